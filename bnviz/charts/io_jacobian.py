"""Singular values of the Jacobian from inputs to outputs, at four examples."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, edge_marks
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.panels import add_trace, add_words
from bnviz.charts.rows_of_words import add_rows, layout_below_rows
from bnviz.charts.scale import decades, log_range, with_ends

EXAMPLES = 4
BOUNDS = (1e-8, 1e4)
PLOTS = (190, 260)


def build(view: ChartView) -> Chart:
    texts = view.texts["io_jacobian"]
    count = min(view.classes, view.features)
    figure, bindings = go.Figure(), Bindings()
    for place, norm in enumerate(view.norms):
        style, shift = view.styles[norm], 0.16 * (place - (len(view.norms) - 1) / 2)
        trace = add_trace(figure, go.Scatter(
            x=[rank + shift for rank in range(1, count + 1)] * EXAMPLES,
            y=[None] * count * EXAMPLES, mode="markers", cliponaxis=False,
            marker=style.marker(7, opacity=0.75), hovertemplate="%{y:.3~g}<extra></extra>",
        ))  # fmt: skip
        bindings.append(
            Array(trace=trace, attr="y", field=f"{norm}.io_jacobian.singular_values", clip=BOUNDS,
                  edges=edge_marks(style.symbol, upward=True))
        )  # fmt: skip
    bindings += _smallest(figure, view, count)
    bindings += add_rows(
        figure, view, template=texts["zeros"], field="io_jacobian.zeros",
        format="percent0",
    )  # fmt: skip
    ticks = decades(-8, 4)
    ticks["ticktext"] = with_ends(ticks["ticktext"])
    figure.layout = layout_below_rows(
        view, PLOTS, round(3.6 * view.sizes.base),
        xaxis=view.axis(texts["axis_x"], range=[0.4, count + 0.6], dtick=1, showgrid=False),
        yaxis=view.axis(texts["axis"], **log_range(-8.3, 4.3, include=(-2, 1)), **ticks),
    )  # fmt: skip
    columns = view.columns((texts["value_column"], "io_jacobian.singular_values", "number", "0,:"))
    names = [str(rank) for rank in range(1, count + 1)]
    subtitle = view.say(texts["subtitle"], count=EXAMPLES)
    return Chart(
        figure=figure, bindings=bindings, height=figure.layout.height, subtitle=subtitle,
        table=Table(columns, names),
    )  # fmt: skip


def _smallest(figure: go.Figure, view: ChartView, count: int) -> Bindings:
    """Add the first example's smallest singular value as a number if it is beyond the axis."""
    bindings: Bindings = []
    # With two networks, one number is to the left and the other to the right of the markers. The
    # numbers of more networks would overlap, so they are not drawn.
    places = ("top left", "top right") if len(view.norms) < 3 else ()
    # Numbers in large type would touch, so each number is placed above the marker of its network.
    aside = 0.12 if view.large_type else 0
    for norm, position in zip(view.norms, places, strict=False):
        x = count + (aside if position == "top right" else -aside)
        font = {"color": view.styles[norm].text, "size": view.sizes.small}
        trace = add_words(figure, [x], [None], textposition=position, textfont=font)
        bindings.append(
            Array(trace=trace, attr="y", clip=BOUNDS, edge_format="number",
                  field=f"{norm}.io_jacobian.singular_values", index="0,-1")
        )  # fmt: skip
    return bindings
