"""How well the gradient of a mini-batch tells that of the whole training set, by its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, Panel, Spot, in_rows, lay_out
from bnviz.charts.panels import text_width
from bnviz.probes.axis import ESTIMATE_SIZES

PLOT, PLOT_LARGE = 132, 190
MOST_ACROSS, MOST_ACROSS_MEDIUM = 4, 2


def build(view: ChartView) -> Chart:
    """A panel a network: a bar for each size of a mini-batch, beside it the relative error."""
    texts, figure = view.texts["estimate"], go.Figure()
    panels = [Bars(heading=view.label(norm), of=norm, norm=norm) for norm in view.norms]
    bindings, arranged = lay_out(
        figure, Page.of(view, PLOT, PLOT_LARGE), in_rows(panels, MOST_ACROSS),
        in_rows(panels, MOST_ACROSS_MEDIUM),
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts[value]), f"{norm}.estimate.{value}")
        for norm in view.norms for value in ("cosine", "error")
    ]  # fmt: skip
    return Chart(
        name="estimate", title=texts["title"], subtitle=texts["subtitle"], figure=figure,
        bindings=bindings, needs=("estimate",),
        table=Table(texts["subtitle"], columns, "vector", _names(view)), **arranged,
    )  # fmt: skip


def _names(view: ChartView) -> list[str]:
    return [view.texts["estimate"]["size"].format(size=size) for size in ESTIMATE_SIZES]


@dataclass(frozen=True, kw_only=True)
class Bars(Panel):
    """One network: cosines as bars, the smallest mini-batch on top, and errors as numbers.

    Attributes:
        norm: the network.
    """

    norm: str

    def left(self, page: Page) -> int:
        """Room for the sizes."""
        return round(max(text_width(name, page.sizes.base) for name in _names(page.view))) + 10

    def right(self, page: Page) -> int:
        """Room for the errors."""
        words = page.view.texts["estimate"]["times"].format(value="0.00")
        return round(text_width(words, page.sizes.base)) + 14

    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """Add the bars, and the numbers behind them."""
        style, rows = page.styles[self.norm], list(range(len(ESTIMATE_SIZES), 0, -1))
        field, bars = f"{self.norm}.estimate", len(figure.data)
        figure.add_trace(
            go.Bar(
                x=[None] * len(rows), y=rows, orientation="h", width=0.6, cliponaxis=False,
                marker={"color": style.alpha(0.5), "line": {"color": style.line, "width": 1.5}},
                hovertemplate="%{x:.3~f}<extra></extra>", xaxis=spot.x, yaxis=spot.y,
            )
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                # At the edge, not beyond it: Plotly hides the words of points outside a plot.
                x=[1] * len(rows), y=rows, mode="text", text=[""] * len(rows),
                textposition="middle right", cliponaxis=False, hoverinfo="skip",
                textfont={"color": style.text, "size": page.sizes.base},
                xaxis=spot.x, yaxis=spot.y,
            )
        )  # fmt: skip
        return [
            Array(trace=bars, attr="x", field=f"{field}.cosine", clip=(0, 1)),
            Text(trace=bars + 1, field=f"{field}.error", format="number",
                 template=page.view.texts["estimate"]["times"]),
        ]  # fmt: skip

    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """From no likeness to the same direction; the sizes."""
        names = _names(page.view)
        return (
            themes.axis(
                page.theme, page.sizes, page.view.texts["estimate"]["axis"], anchor=spot.y,
                range=[0, 1.01], fixedrange=True, tickvals=[0, 0.5, 1],
            ),
            themes.axis(
                page.theme, page.sizes, anchor=spot.x, range=[0.4, len(names) + 0.6],
                fixedrange=True, showgrid=False, tickmode="array",
                tickvals=list(range(len(names), 0, -1)), ticktext=names,
            ),
        )  # fmt: skip
