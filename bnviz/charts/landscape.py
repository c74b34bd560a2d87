"""Loss along −g and its range over time, gradient predictiveness and effective β-smoothness."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import Panel, Spot, lay_out
from bnviz.charts.over_time import NUMBER, OverTime, PlotTrace, network_traces
from bnviz.charts.panels import add_trace
from bnviz.charts.scale import log_axis
from bnviz.charts.theme import Attributes
from bnviz.charts.time_axis import end_labels

PLOTS = (150, 150)
LOSS_CLIP, SIZE_CLIP = (1e-6, 1e6), (1e-6, 1e6)
# Smallest and largest step length on the axis, as multiples of the learning rate.
REACH = (0.5, 4.0)
# Values that the table shows, in this order.
VALUES = ("loss_low", "loss_high", "predictiveness", "beta")


def build(view: ChartView) -> Chart:
    texts = view.texts["landscape"]
    bands = OverTime(
        heading=texts["heading_range"], lines=_bands(view), axis=_loss_title(view),
        clip=LOSS_CLIP, value_axis=_decades_around_one(), share=0.68, shares="loss",
    )  # fmt: skip
    along = Along(heading=texts["heading_along"], share=0.32, shares="loss")
    sizes = [
        OverTime(
            heading=texts[f"heading_{value}"], lines=network_traces(view, f"landscape.{value}"),
            clip=SIZE_CLIP, axis=texts[f"axis_{value}"], names_marks=False,
            value_axis=_decades_around_one(),
        )
        for value in ("predictiveness", "beta")
    ]  # fmt: skip
    arranged = lay_out(view, PLOTS, [[along, bands], sizes])
    columns = view.columns(*((texts[value], f"landscape.{value}") for value in VALUES))
    return Chart(table=Table(columns), **arranged)


def _loss_title(view: ChartView) -> str:
    squared = "_squared" if view.config.loss == "squared" else ""
    return str(view.texts["landscape"][f"axis_loss{squared}"])


def _decades_around_one() -> Attributes:
    return log_axis(-6, 6, include=(-1, 1), labelled=1)


def _bands(view: ChartView) -> list[PlotTrace]:
    """Return the lowest and highest loss of each network, with the area between them shaded."""
    ends, count, lines = end_labels(view), max(2, len(view.norms)), list[PlotTrace]()
    for norm in view.norms:
        field = f"{norm}.landscape.loss"
        lines.append(PlotTrace(norm=norm, field=f"{field}_low", width=1.0))
        lines.append(PlotTrace(norm=norm, field=f"{field}_high", width=1.8, fill=0.4 / count,
                           label=ends[norm]))  # fmt: skip
    return lines


@dataclass(frozen=True, kw_only=True)
class Along(Panel):
    """Panel with the loss at several step lengths along the gradient, at the step shown."""

    def left(self, view: ChartView) -> int:
        return view.left_margin(NUMBER)

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        bindings: Bindings = []
        for norm in view.norms:
            style = view.styles[norm]
            trace = add_trace(figure, go.Scatter(
                x=[], y=[], mode="lines+markers", **spot.axes,
                line=style.stroke(1.8),
                marker=style.marker(5),
                hovertemplate="%{x:.3~g} × η: %{y:.3~g}<extra></extra>",
            ))  # fmt: skip
            field = f"{norm}.landscape"
            bindings.append(Array(trace=trace, attr="x", field=f"{field}.multiples"))
            bindings.append(Array(trace=trace, attr="y", field=f"{field}.loss", clip=LOSS_CLIP))
        return bindings

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        low, high = REACH
        steps = {
            "title": view.texts["landscape"]["axis_step"], "type": "log",
            "range": [math.log10(low / 1.1), math.log10(high * 1.1)], "tickvals": [0.5, 1, 2, 4],
        }  # fmt: skip
        return steps, {"title": _loss_title(view), **_decades_around_one()}
