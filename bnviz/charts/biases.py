"""Norm of the biases ‖b‖ of each layer, which is 0 for a layer without biases."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import from_zero

# Biases with a norm beyond these bounds are drawn at the edge; the table contains them.
CLIP = (0.0, 1e4)
LEAST = 0.5


def build(view: ChartView) -> Chart:
    texts = view.texts["biases"]
    lines = network_lines(view, "weights.bias", texts["bias"])
    return build_profile(view, [Quantity(texts["axis"], from_zero(LEAST), lines, clip=CLIP)])
