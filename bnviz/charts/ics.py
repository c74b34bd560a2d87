"""Change of a layer's gradient that the update of lower layers causes: ‖G − G′‖ and the angle."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import from_zero, log_axis

CLIP = (1e-10, 1e4)
# Index of the first layer drawn. No layer is below layer 1, so its change is 0 by definition.
FIRST = 1


def build(view: ChartView) -> Chart:
    texts = view.texts["ics"]
    change = Quantity(
        texts["axis_change"], log_axis(-10, 4, include=(-2, 0)),
        network_lines(view, "ics.change", texts["change"]), heading=texts["heading_change"],
        clip=CLIP, output=True, first=FIRST,
    )  # fmt: skip
    angle = Quantity(
        texts["axis_angle"], from_zero(10, most=185),
        network_lines(view, "ics.angle", texts["angle"]), heading=texts["heading_angle"],
        clip=(0.0, 180.0), output=True, first=FIRST,
    )  # fmt: skip
    relative = view.columns((texts["relative"], "ics.relative"))
    return build_profile(view, [change, angle], more=relative)
