"""The eigenvalues of a layer's covariance over a mini-batch, and how many of them are zero."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.rows_of_words import add_rows, axes_of_rows, room_for_rows
from bnviz.charts.scale import decades
from bnviz.probes.axis import ZERO_EIGENVALUE, eigenvalue_places

# Far below the smallest that counts, so that the fall to zero can be seen.
LOWEST, HIGHEST = -12, 0
PLOT, PLOT_LARGE = 190, 260


def build(view: ChartView) -> Chart:
    """The chosen layer's eigenvalues by size, a line a network; the count of zeros is printed."""
    theme, sizes = themes.theme(view.dark), themes.type_sizes(large=view.large)
    styles, texts = theme.networks(view.norms), view.texts["spectrum"]
    places = [int(place) + 1 for place in eigenvalue_places(view.config)]
    figure, bindings = go.Figure(), list[Binding]()
    for norm in view.norms:
        bindings.append(_line(figure, norm, styles[norm], places))
    bindings += add_rows(
        figure, view, styles, sizes, field="spectrum.zeros", index="$layer", format="count",
        template=texts["zeros"].replace("{count}", str(view.config.width)),
    )  # fmt: skip
    plot = PLOT_LARGE if view.large else PLOT
    above, below = room_for_rows(view, sizes), round(3.2 * sizes.base)
    figure.layout = _layout(view, theme, sizes, (8 + above + plot + below, above, plot))
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts["column"]),
               f"{norm}.spectrum.eigenvalues", "number", "$layer")
        for norm in view.norms
    ]  # fmt: skip
    subtitle = texts["subtitle"].replace("{units}", view.text("units"))
    subtitle = subtitle.replace("{pooled}", texts.get(f"pooled_{view.config.network}", ""))
    return Chart(
        name="spectrum", title=texts["title"], subtitle=subtitle, figure=figure,
        bindings=bindings, height=figure.layout.height, needs=("spectrum",),
        selectors=(layer_selector(view),),
        table=Table(subtitle, columns, "vector", [str(place) for place in places]),
    )  # fmt: skip


def _line(figure: go.Figure, norm: str, style: themes.NetworkStyle, places: list[int]) -> Array:
    edges = {"low": "triangle-down", "inside": style.symbol, "high": "triangle-up"}
    figure.add_trace(
        go.Scatter(
            x=places, y=[None] * len(places), mode="lines+markers", cliponaxis=False,
            line={"color": style.line, "width": 1.4, "dash": style.dash},
            marker={"color": style.line, "size": 4, "symbol": style.symbol},
            hovertemplate="%{y:.2~e}<extra></extra>",
        )
    )  # fmt: skip
    return Array(
        trace=len(figure.data) - 1, attr="y", field=f"{norm}.spectrum.eigenvalues", index="$layer",
        clip=(10.0**LOWEST, 10.0**HIGHEST), edges=edges,
    )  # fmt: skip


def _layout(
    view: ChartView, theme: themes.Theme, sizes: themes.Type, tall: tuple[int, int, int]
) -> dict[str, Any]:
    texts, (height, above, plot) = view.texts["spectrum"], tall
    ticks = decades(LOWEST, HIGHEST)
    ticks["ticktext"][0] = f"≤{ticks['ticktext'][0]}"
    foot = plot / (plot + above)
    return themes.layout(
        theme, sizes, height=height,
        xaxis=themes.axis(
            theme, sizes, texts["axis_x"], range=[0, view.config.width + 1], showgrid=False
        ),
        yaxis=themes.axis(
            theme, sizes, texts["axis"], type="log", range=[LOWEST - 0.4, HIGHEST + 0.4],
            domain=[0, foot], **ticks,
        ),
        **axes_of_rows(view, foot),
        margin={"l": themes.left_margin(sizes, 5), "r": 2 * sizes.base, "t": 8,
                "b": round(3.2 * sizes.base)},
        shapes=[{
            "type": "line", "layer": "below", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y",
            "y0": ZERO_EIGENVALUE, "y1": ZERO_EIGENVALUE,
            "line": {"color": theme.muted, "width": 1, "dash": "3px,3px"},
        }],
    )  # fmt: skip
