"""How large each layer's biases are."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines

# Beyond this biases are marked at the edge; the table has them.
CLIP = (0.0, 1e4)
LEAST = 0.5


def build(view: ChartView) -> Chart:
    """‖b‖, layer by layer and over time; 0 for a layer that keeps none."""
    texts = view.texts["biases"]
    axis = {
        "autorange": True, "rangemode": "tozero",
        "autorangeoptions": {"include": [0, LEAST], "minallowed": 0},
        "nticks": 6,
    }  # fmt: skip
    sizes = Quantity(
        texts["axis"], axis, network_lines(view, "weights.bias", texts["bias"]), clip=CLIP
    )
    return build_profile(view, [sizes], subtitle=texts["subtitle"])
