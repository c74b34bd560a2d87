"""Participation ratio of each layer's outputs, and mean absolute correlation of its units."""

from __future__ import annotations

import math

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.theme import Attributes

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def build(view: ChartView) -> Chart:
    texts, width = view.texts["rank"], view.config.width
    participation = Quantity(
        texts["axis_participation"].format(width=width), _axis(width),
        network_lines(view, "rank.participation", texts["participation"]),
        heading=texts["heading_participation"], clip=(0.99, 1.01 * width),
    )  # fmt: skip
    correlation = Quantity(
        texts["axis_correlation"],
        {"range": [-0.03, 1.03], "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        network_lines(view, "rank.correlation", texts["correlation"]),
        heading=texts["heading_correlation"], clip=(-0.01, 1.01),
    )  # fmt: skip
    return build_profile(view, [participation, correlation])


def _axis(width: int) -> Attributes:
    # The width of the layers has its own tick, so the tick before it must not be too close.
    ticks = [*(tick for tick in TICKS if tick <= width / 1.7 or tick == 1), width]
    room = 0.04 * math.log10(max(width, 2))
    return {"type": "log", "range": [-room, math.log10(max(width, 2)) + room],
            "tickmode": "array", "tickvals": sorted(set(ticks)),
            "ticktext": [str(tick) for tick in sorted(set(ticks))]}  # fmt: skip
