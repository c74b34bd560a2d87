"""Singular values of the derivative of the outputs by the inputs."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.rows_of_words import add_rows, axes_of_rows, room_for_rows
from bnviz.charts.scale import decades

EXAMPLES = 4
BOUNDS = (1e-8, 1e4)


def build(view: ChartView) -> Chart:
    """All singular values at four examples, by size; the share that is exactly zero is printed."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, texts = theme.networks(view.norms), view.texts["io_jacobian"]
    count = min(view.classes, view.features)
    figure, bindings = go.Figure(), list[Binding]()
    for place, norm in enumerate(view.norms):
        style, shift = styles[norm], 0.16 * (place - (len(view.norms) - 1) / 2)
        edges = {"low": "triangle-down", "inside": style.symbol, "high": "triangle-up"}
        bindings.append(
            Array(trace=len(figure.data), attr="y", clip=BOUNDS, edges=edges,
                  field=f"{norm}.io_jacobian.singular_values")
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=[rank + shift for rank in range(1, count + 1)] * EXAMPLES,
                y=[None] * count * EXAMPLES, mode="markers", cliponaxis=False,
                marker={"color": style.line, "size": 7, "symbol": style.symbol, "opacity": 0.75},
                hovertemplate="%{y:.3~g}<extra></extra>",
            )
        )  # fmt: skip
    bindings += _smallest(figure, view, styles, sizes, count)
    bindings += add_rows(
        figure, view, styles, sizes, template=texts["zeros"], field="io_jacobian.zeros",
        format="percent0",
    )  # fmt: skip
    plot = 260 if view.large else 190
    above, below = room_for_rows(view, sizes), round(3.2 * sizes.base)
    height = 8 + above + plot + below
    figure.layout = _layout(view, theme, sizes, count, (height, above, plot))
    columns = []
    for norm in view.norms:
        words = view.texts["common"]["network_column"].format(
            network=view.label(norm), what=texts["value_column"]
        )
        columns.append(Column(words, f"{norm}.io_jacobian.singular_values", "number", "0,:"))
    names = [str(rank) for rank in range(1, count + 1)]
    subtitle = texts["subtitle"].replace("{count}", str(EXAMPLES))
    return Chart(
        name="io_jacobian", title=texts["title"], figure=figure, bindings=bindings, height=height,
        subtitle=subtitle, needs=("io_jacobian",),
        table=Table(subtitle, columns, "vector", names),
    )  # fmt: skip


def _smallest(
    figure: go.Figure, view: ChartView, styles: dict[str, themes.NetworkStyle], sizes: themes.Type,
    count: int,
) -> list[Binding]:  # fmt: skip
    """The number of the first example's smallest singular value where it lies beyond the axis."""
    bindings: list[Binding] = []
    # Two networks have a side each; more would lie on each other.
    places = ("top left", "top right") if len(view.norms) < 3 else ()
    # Large words would touch: each stands over its own network's marker.
    aside = 0.12 if view.large else 0
    for norm, position in zip(view.norms, places, strict=False):
        x = count + (aside if position == "top right" else -aside)
        bindings.append(
            Array(trace=len(figure.data), attr="y", clip=BOUNDS, edge_format="number",
                  field=f"{norm}.io_jacobian.singular_values", index="0,-1")
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=[x], y=[None], text=[""], mode="text", textposition=position,
                cliponaxis=False, hoverinfo="skip",
                textfont={"color": styles[norm].text, "size": sizes.small},
            )
        )  # fmt: skip
    return bindings


def _layout(
    view: ChartView,
    theme: themes.Theme,
    sizes: themes.Type,
    count: int,
    tall: tuple[int, int, int],
) -> dict[str, Any]:
    texts = view.texts["io_jacobian"]
    ticks = decades(-8, 4)
    ticks["ticktext"][0] = f"≤{ticks['ticktext'][0]}"
    ticks["ticktext"][-1] = f"≥{ticks['ticktext'][-1]}"
    height, above, plot = tall
    foot = plot / (plot + above)
    return themes.layout(
        theme, sizes, height=height,
        xaxis=themes.axis(theme, sizes, texts["axis_x"], range=[0.4, count + 0.6], dtick=1,
                          showgrid=False),
        yaxis=themes.axis(
            theme, sizes, texts["axis"], type="log", autorange=True, domain=[0, foot],
            **ticks,
            autorangeoptions={"include": [-2, 1], "minallowed": -8.3, "maxallowed": 4.3},
        ),
        **axes_of_rows(view, foot),
        margin={"l": themes.left_margin(sizes, 5), "r": round(3.6 * sizes.base),
                "t": 8, "b": round(3.2 * sizes.base)},
    )  # fmt: skip
