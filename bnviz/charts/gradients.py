"""Norm of each layer's weight gradient, by layer and over time."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis

CLIP = (1e-20, 1e10)


def build(view: ChartView) -> Chart:
    texts = view.texts["gradients"]
    lines = network_lines(view, "gradients.grad_weight_norm", texts["norm"])
    axis = log_axis(-20, 10, include=(-2, 0))
    norm = Quantity(texts["axis"], axis, lines, clip=CLIP, output=True)
    # Show layer 1 over time, because it is the last layer that the gradient reaches.
    return build_profile(view, [norm], layer=0)
