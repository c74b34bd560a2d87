"""Share of values in the flat zone, by layer and over time. For ReLU, also share of dead units."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView
from bnviz.charts.profile import Quantity, build_profile, network_lines
from bnviz.charts.scale import percents


def build(view: ChartView) -> Chart:
    texts, relu = view.texts["saturation"], view.config.activation == "relu"
    kind = "_relu" if relu else "" if view.config.activation in ("tanh", "sigmoid") else "_none"
    shares = "saturation.saturated"
    if relu:
        lines = network_lines(view, shares, texts["zero"], thin=True)
        lines += network_lines(view, "saturation.dead", texts["dead"])
    else:
        lines = network_lines(view, shares, texts["saturated"])
    share = Quantity(
        texts["axis_relu" if relu else "axis"], percents(), lines, scale=100.0, style="percent1"
    )
    title, subtitle = texts["title_dead" if relu else "title"], texts[f"subtitle{kind}"]
    return build_profile(view, [share], title=title, subtitle=subtitle)
