"""Saturated and dead shares, layer by layer and over time."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Line, Quantity, build_profile


def build(view: ChartView) -> Chart:
    """The share of units and examples in the flat part of the nonlinearity; for ReLU, at zero."""
    texts, relu = view.texts["saturation"], view.config.activation == "relu"
    kind = "_relu" if relu else "" if view.config.activation in ("tanh", "sigmoid") else "_none"
    lines = []
    for norm in view.norms:
        label, share = view.label(norm), f"{norm}.saturation.saturated"
        if relu:
            lines.append(Line(norm, share, "", texts["zero"], thin=True))
            lines.append(Line(norm, f"{norm}.saturation.dead", label, texts["dead"]))
        else:
            lines.append(Line(norm, share, label, texts["saturated"]))
    quantity = Quantity(
        "saturation", texts["axis_relu" if relu else "axis"],
        {"range": [-2, 102], "tickvals": [0, 25, 50, 75, 100]}, ("saturation",), scale=100.0,
        style="percent1",
    )  # fmt: skip
    return build_profile(
        view, quantity, lines, title=texts["title_dead" if relu else "title"],
        subtitle=texts[f"subtitle{kind}"].format(probe=view.probe_words()),
        panels=(texts["over_layers"], texts["over_time"]),
        source=view.texts["source"]["saturation"],
    )  # fmt: skip
