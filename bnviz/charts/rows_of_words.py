"""One row of text per network above a plot, with a number that frames fill in."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from bnviz.charts.binding import Bindings, Text
from bnviz.charts.chart import ChartView
from bnviz.charts.panels import add_words
from bnviz.charts.theme import Attributes
from bnviz.words.numbers import Format

# Second x and y axis of the figure, which are invisible.
X, Y = "x2", "y2"


def add_rows(
    figure: go.Figure, view: ChartView, *, template: str, field: str, format: Format,
    index: str | None = None,
) -> Bindings:  # fmt: skip
    """Add the rows; `template` has "{network}" and "{value}", and `field` omits the network."""
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
    """Return the layout of text rows above a plot. `plots`: its normal and large-type height."""
    count, plot = len(view.norms), plots[1] if view.large_type else plots[0]
    above = (view.sizes.base + 5) * count
    share = plot / (plot + above)
    hidden = {"range": [0, 1], "fixedrange": True, "visible": False}
    return view.layout(
        height=8 + above + plot + view.foot, xaxis=xaxis, yaxis={**yaxis, "domain": [0, share]},
        xaxis2={**hidden, "anchor": Y},
        yaxis2={**hidden, "range": [0, count], "domain": [share, 1], "anchor": X},
        margin={"l": view.left_margin(5), "r": right, "t": 8, "b": view.foot}, **more,
    )  # fmt: skip
