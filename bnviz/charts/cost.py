"""Duration of a training step of each network, and its ratio to the duration without BN."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Panel, Spot, lay_out
from bnviz.charts.over_time import OverTime, network_traces
from bnviz.charts.panels import add_trace, text_width, widest
from bnviz.charts.scale import from_zero, named_rows
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import end_labels

PLOTS = (150, 210)
# Network with which the other networks are compared.
PLAIN = "none"
SECONDS = "seconds_per_step"
MILLI = 1000.0
# Number of milliseconds that the axis always includes.
LEAST = 0.1


def build(view: ChartView) -> Chart:
    texts, plain = view.texts["cost"], _compared(view)
    bars = CostBars(heading=texts["heading_ratio" if plain else "heading_now"], share=0.36)
    over_time = OverTime(
        heading=texts["heading_time"], lines=network_traces(view, SECONDS), axis=texts["axis"],
        scale=MILLI, share=0.64, value_axis=from_zero(LEAST, nticks=None),
    )  # fmt: skip
    arranged = lay_out(view, PLOTS, [[bars, over_time]])
    columns = list[Column]()
    for norm in view.norms:
        columns.append(view.column(norm, texts["seconds"], SECONDS))
        if plain and norm != PLAIN:
            columns.append(view.column(norm, texts["ratio"], SECONDS, over=_field(PLAIN)))
    return Chart(table=Table(columns, [texts["row"]]), **arranged)


def _field(norm: str) -> str:
    return f"{norm}.{SECONDS}"


@dataclass(frozen=True, kw_only=True)
class CostBars(Panel):
    """Panel with one bar per network: its step time, divided by the time without BN if known."""

    tall = True

    def left(self, view: ChartView) -> int:
        return round(widest(end_labels(view).values(), view.sizes.base)) + 10

    def right(self, view: ChartView) -> int:
        return round(text_width("000 ms", view.sizes.base))

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        bindings: Bindings = []
        norms, texts = view.norms, view.texts["cost"]
        over = _field(PLAIN) if _compared(view) else None
        scale, words = (1.0, texts["times"]) if over else (MILLI, texts["time"])
        for place, norm in enumerate(norms):
            style = view.styles[norm]
            trace = add_trace(figure, go.Bar(
                x=[None], y=[len(norms) - place], orientation="h", width=0.56, text=[""],
                textposition="outside", cliponaxis=False, constraintext="none",
                marker=style.bar(), textfont={"color": style.text, "size": view.sizes.base},
                hoverinfo="skip", **spot.axes,
            ))  # fmt: skip
            bindings.append(
                Array(trace=trace, attr="x", field=_field(norm), scale=scale, over=over)
            )
            bindings.append(
                Text(trace=trace, field=_field(norm), format="number", scale=scale, over=over,
                     template=words)
            )  # fmt: skip
        return bindings

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        key, least = ("axis_ratio", 1) if _compared(view) else ("axis", LEAST)
        across = {"title": view.texts["cost"][key], **from_zero(least, nticks=5)}
        return across, named_rows([*end_labels(view).values()])

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        if not _compared(view):
            return []
        return [view.level(yref=f"{spot.y} domain", xref=spot.x, x0=1, x1=1)]


def _compared(view: ChartView) -> bool:
    return PLAIN in view.norms and len(view.norms) > 1
