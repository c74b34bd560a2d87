"""A row of words for each network over a plot, with a number in it that frames fill in."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Text
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_words
from bnviz.charts.theme import Attributes
from bnviz.words.numbers import Format

# The second pair of axes of the figure, which nobody sees.
X, Y = "x2", "y2"


def add_rows(
    figure: go.Figure, view: ChartView, *, template: str, field: str, format: Format,
    index: str | None = None,
) -> Bindings:  # fmt: skip
    """Add the rows, the first network's on top.

    Args:
        figure: gets one more trace.
        view: whose networks they are of.
        template: the words, with "{network}" and "{value}".
        field: of a frame, after the network's name.
        format: of the number.
        index: which part of the field.
    """
    count = len(view.norms)
    colours = [view.styles[norm].text for norm in view.norms]
    trace = add_words(
        figure, [0] * count, [row - 0.5 for row in range(count, 0, -1)], xaxis=X, yaxis=Y,
        textposition="middle right", textfont={"color": colours, "size": view.sizes.base},
    )  # fmt: skip
    return [
        Text(trace=trace, field=f"{norm}.{field}", index=index, format=format, at=place,
             template=template.replace("{network}", view.label(norm)))
        for place, norm in enumerate(view.norms)
    ]  # fmt: skip


def layout_below_rows(
    view: ChartView, plots: tuple[int, int], right: int, *, xaxis: Attributes,
    yaxis: Attributes, **more: Any,
) -> Attributes:  # fmt: skip
    """The layout of a figure with rows of words over one plot.

    Args:
        view: whose figure it is.
        plots: height of the plot in pixels, with small and with large type.
        right: margin.
        xaxis, yaxis: of the plot.
    """
    count, plot = len(view.norms), plots[1] if view.large else plots[0]
    above = (view.sizes.base + 5) * count
    share = plot / (plot + above)
    hidden = {"range": [0, 1], "fixedrange": True, "visible": False}
    return view.layout(
        height=8 + above + plot + view.foot, xaxis=xaxis, yaxis={**yaxis, "domain": [0, share]},
        xaxis2={**hidden, "anchor": Y},
        yaxis2={**hidden, "range": [0, count], "domain": [share, 1], "anchor": X},
        margin={"l": view.left_margin(5), "r": right, "t": 8, "b": view.foot}, **more,
    )  # fmt: skip
