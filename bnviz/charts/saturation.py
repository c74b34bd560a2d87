"""Saturated and dead shares, layer by layer and over time."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines


def build(view: ChartView) -> Chart:
    """The share of units and examples in the flat part of the nonlinearity; for ReLU, at zero."""
    texts, relu = view.texts["saturation"], view.config.activation == "relu"
    kind = "_relu" if relu else "" if view.config.activation in ("tanh", "sigmoid") else "_none"
    shares = "saturation.saturated"
    if relu:
        lines = network_lines(view, shares, texts["zero"], thin=True)
        lines += network_lines(view, "saturation.dead", texts["dead"])
    else:
        lines = network_lines(view, shares, texts["saturated"])
    share = Quantity(
        texts["axis_relu" if relu else "axis"],
        {"range": [-2, 102], "tickvals": [0, 25, 50, 75, 100]}, lines, scale=100.0,
        style="percent1",
    )  # fmt: skip
    return build_profile(view, [share],
        title=texts["title_dead" if relu else "title"],
        subtitle=texts[f"subtitle{kind}"].format(
            probe=view.probe_text(), units=view.text("units")
        ),
    )  # fmt: skip
