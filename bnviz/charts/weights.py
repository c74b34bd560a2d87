"""How large each layer's weights are, and how far a step moves them for their size."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Column
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import log_axis

CLIP_NORM = (1e-2, 1e6)
CLIP_RATE = (1e-12, 1e2)


def build(view: ChartView) -> Chart:
    """‖W‖ and the effective rate η/‖W‖², layer by layer and over time."""
    texts = view.texts["weights"]
    norm = Quantity(
        texts["axis_norm"], log_axis(-2, 6, include=(0, 2), labelled=1),
        network_lines(view, "weights.norm", texts["norm"]), heading=texts["heading_norm"],
        clip=CLIP_NORM, output=True,
    )  # fmt: skip
    rate = Quantity(
        texts["axis_rate"], log_axis(-12, 2, include=(-4, -2)),
        network_lines(view, "weights.effective_rate", texts["rate"]),
        heading=texts["heading_rate"], clip=CLIP_RATE, output=True,
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    updates = [
        Column(say.format(network=view.label(name), what=texts["update"]),
               f"{name}.weights.update_ratio")
        for name in view.norms
    ]  # fmt: skip
    shared = "_shared" if view.config.network == "recurrent" else ""
    return build_profile(
        view, "weights", [norm, rate], needs=("weights",), subtitle=texts[f"subtitle{shared}"],
        more=updates,
    )  # fmt: skip
