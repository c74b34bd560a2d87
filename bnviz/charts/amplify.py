"""Growth of a small weight change: ratio of the change in each layer to the change in layer 1."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis

CLIP = (1e-8, 1e8)


def build(view: ChartView) -> Chart:
    texts = view.texts["amplify"]
    lines = network_lines(view, "amplify.amplified", texts["amplified"])
    axis = log_axis(-8, 8, include=(-1, 1), labelled=1)
    amplified = Quantity(texts["axis"], axis, lines, clip=CLIP, levels=(1,), beyond=True)
    return build_profile(view, [amplified])
