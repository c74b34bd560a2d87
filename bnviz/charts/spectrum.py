"""Eigenvalues of a layer's covariance over a mini-batch, and the number of zero eigenvalues."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, edge_marks
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.panels import add_trace
from bnviz.charts.percentiles import layer_selector
from bnviz.charts.rows_of_words import add_rows, layout_below_rows
from bnviz.charts.scale import decades
from bnviz.charts.theme import NetworkStyle
from bnviz.probes.axis import ZERO_EIGENVALUE, eigenvalue_places

# Ends of the axis, as powers of ten. The lower end is far below the smallest nonzero eigenvalue, so
# that the drop to zero is visible.
LOWEST, HIGHEST = -12, 0
PLOTS = (190, 260)


def build(view: ChartView) -> Chart:
    texts = view.texts["spectrum"]
    places = [int(place) + 1 for place in eigenvalue_places(view.config)]
    figure, bindings = go.Figure(), Bindings()
    for norm in view.norms:
        bindings.append(_line(figure, norm, view.styles[norm], places))
    bindings += add_rows(
        figure, view, field="spectrum.zeros", index="$layer", format="count",
        template=texts["zeros"].replace("{count}", str(view.config.width)),
    )  # fmt: skip
    ticks = decades(LOWEST, HIGHEST)
    ticks["ticktext"][0] = f"≤{ticks['ticktext'][0]}"
    figure.layout = layout_below_rows(
        view, PLOTS, 2 * view.sizes.base,
        xaxis=view.axis(texts["axis_x"], range=[0, view.config.width + 1], showgrid=False),
        yaxis=view.axis(
            texts["axis"], type="log", range=[LOWEST - 0.4, HIGHEST + 0.4], **ticks
        ),
        shapes=[view.level(xref="x domain", yref="y", y0=ZERO_EIGENVALUE, y1=ZERO_EIGENVALUE)],
    )  # fmt: skip
    columns = view.columns((texts["column"], "spectrum.eigenvalues", "number", "$layer"))
    subtitle = view.say(texts["subtitle"], pooled=view.own(texts, "pooled"))
    return Chart(
        figure=figure, bindings=bindings, height=figure.layout.height, subtitle=subtitle,
        selectors=(layer_selector(view),),
        table=Table(columns, [str(place) for place in places]),
    )  # fmt: skip


def _line(figure: go.Figure, norm: str, style: NetworkStyle, places: list[int]) -> Array:
    trace = add_trace(figure, go.Scatter(
        x=places, y=[None] * len(places), mode="lines+markers", cliponaxis=False,
        line=style.stroke(1.4), marker=style.marker(4),
        hovertemplate="%{y:.2~e}<extra></extra>",
    ))  # fmt: skip
    return Array(
        trace=trace, attr="y", field=f"{norm}.spectrum.eigenvalues", index="$layer",
        clip=(10.0**LOWEST, 10.0**HIGHEST), edges=edge_marks(style.symbol, upward=True),
    )  # fmt: skip
