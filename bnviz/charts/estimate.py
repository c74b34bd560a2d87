"""Similarity of mini-batch gradients to the gradient of the whole training set, by batch size."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Text
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import Panel, Spot, in_rows, lay_out
from bnviz.charts.panels import add_trace, add_words, text_width, widest
from bnviz.charts.scale import named_rows
from bnviz.charts.theme import Attributes
from bnviz.probes.axis import ESTIMATE_SIZES

PLOTS = (132, 190)
MOST_ACROSS, MOST_ACROSS_MEDIUM = 4, 2


def build(view: ChartView) -> Chart:
    texts = view.texts["estimate"]
    panels = [EstimateBars(heading=view.label(norm), norm=norm) for norm in view.norms]
    arranged = lay_out(
        view, PLOTS, in_rows(panels, MOST_ACROSS), in_rows(panels, MOST_ACROSS_MEDIUM)
    )
    columns = view.columns((texts["cosine"], "estimate.cosine"), (texts["error"], "estimate.error"))
    return Chart(table=Table(columns, _names(view)), **arranged)


def _names(view: ChartView) -> list[str]:
    return [view.texts["estimate"]["size"].format(size=size) for size in ESTIMATE_SIZES]


@dataclass(frozen=True, kw_only=True)
class EstimateBars(Panel):
    """Panel of one network: cosines as bars (smallest mini-batch on top), and errors as numbers."""

    def left(self, view: ChartView) -> int:
        return round(widest(_names(view), view.sizes.base)) + 10

    def right(self, view: ChartView) -> int:
        words = view.texts["estimate"]["times"].format(value="0.00")
        return round(text_width(words, view.sizes.base)) + 14

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        style, rows = view.styles[self.norm], list(range(len(ESTIMATE_SIZES), 0, -1))
        field = f"{self.norm}.estimate"
        bars = add_trace(figure, go.Bar(
            x=[None] * len(rows), y=rows, orientation="h", width=0.6, cliponaxis=False,
            marker=style.bar(),
            hovertemplate="%{x:.3~f}<extra></extra>", **spot.axes,
        ))  # fmt: skip
        # Put the numbers at the edge of the plot, because Plotly hides the text of points outside
        # it.
        errors = add_words(
            figure, [1] * len(rows), rows, textposition="middle right",
            textfont={"color": style.text, "size": view.sizes.base}, **spot.axes,
        )  # fmt: skip
        return [
            Array(trace=bars, attr="x", field=f"{field}.cosine", clip=(0, 1)),
            Text(trace=errors, field=f"{field}.error", format="number",
                 template=view.texts["estimate"]["times"]),
        ]  # fmt: skip

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        likeness = {
            "title": view.texts["estimate"]["axis"], "range": [0, 1.01], "fixedrange": True,
            "tickvals": [0, 0.5, 1],
        }  # fmt: skip
        return likeness, named_rows(_names(view))
