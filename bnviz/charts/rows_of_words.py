"""A row of words for each network over a plot, with a number in it that frames fill in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Binding, Text
from bnviz.charts.chart import ChartView
from bnviz.words.numbers import Format

# The second pair of axes of the figure, which nobody sees.
X, Y = "x2", "y2"


def room_for_rows(view: ChartView, sizes: themes.Type) -> int:
    """Pixels over the plot that the rows take."""
    return (sizes.base + 5) * len(view.norms)


def add_rows(
    figure: go.Figure, view: ChartView, styles: Mapping[str, themes.NetworkStyle],
    sizes: themes.Type, *, template: str, field: str, format: Format, index: str | None = None,
) -> list[Binding]:  # fmt: skip
    """Add the rows, the first network's on top.

    Args:
        figure: gets one more trace.
        view: whose networks they are of.
        styles, sizes: what they look like.
        template: the words, with "{network}" and "{value}".
        field: of a frame, after the network's name.
        format: of the number.
        index: which part of the field.
    """
    trace, count = len(figure.data), len(view.norms)
    figure.add_trace(
        go.Scatter(
            x=[0] * count, y=[row - 0.5 for row in range(count, 0, -1)], text=[""] * count,
            mode="text", textposition="middle right", cliponaxis=False, hoverinfo="skip",
            xaxis=X, yaxis=Y, textfont={"color": [styles[norm].text for norm in view.norms],
                                  "size": sizes.base},
        )
    )  # fmt: skip
    return [
        Text(trace=trace, field=f"{norm}.{field}", index=index, format=format, at=place,
             template=template.replace("{network}", view.label(norm)))
        for place, norm in enumerate(view.norms)
    ]  # fmt: skip


def axes_of_rows(view: ChartView, foot: float) -> dict[str, Any]:
    """The layout of their axes; `foot`: the share of the figure's height that is below them."""
    hidden = {"range": [0, 1], "fixedrange": True, "visible": False}
    return {
        "xaxis2": {**hidden, "anchor": Y},
        "yaxis2": {**hidden, "range": [0, len(view.norms)], "domain": [foot, 1], "anchor": X},
    }
