"""How large each layer's biases are."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import from_zero

# Beyond this biases are marked at the edge; the table has them.
CLIP = (0.0, 1e4)
LEAST = 0.5


def build(view: ChartView) -> Chart:
    """‖b‖, layer by layer and over time; 0 for a layer that keeps none."""
    texts = view.texts["biases"]
    lines = network_lines(view, "weights.bias", texts["bias"])
    return build_profile(view, [Quantity(texts["axis"], from_zero(LEAST), lines, clip=CLIP)])
