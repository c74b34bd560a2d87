"""Inputs of one unit's nonlinearity for the fixed test examples, now and at step 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Binding, Bindings, Ridges, Text
from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.distributions import add_filled
from bnviz.charts.grid import Panel, Spot, in_rows, lay_out
from bnviz.charts.panels import add_trace
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.charts.scale import asinh_ticks
from bnviz.charts.theme import Attributes
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import UNIT_LIMIT

PLOTS = (180, 225)
MOST_ACROSS = 2
REACH = math.asinh(UNIT_LIMIT)
TICKS = (-10.0, -3, -1, 0, 1, 3, 10)
INDEX = "$layer,$unit"
HEIGHT = 0.86


def build(view: ChartView) -> Chart:
    texts = view.texts["unit_hill"]
    panels = [Hill(heading=view.label(norm), norm=norm) for norm in view.norms]
    arranged = lay_out(view, PLOTS, in_rows(panels, MOST_ACROSS))
    phi = view.config.activation
    subtitle = texts["subtitle_zone" if phi in FLAT_ZONES else "subtitle"]
    columns = view.columns(*(
        (texts[what], f"unit_histogram.{what}", "number", "$layer")
        for what in ("mean", "mean_start")
    ))  # fmt: skip
    return Chart(
        subtitle=subtitle, selectors=(layer_selector(view), unit_selector(view)),
        table=Table(columns, unit_selector(view).options), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Hill(Panel):
    """Panel with the histogram of one unit of one network."""

    def left(self, view: ChartView) -> int:
        """Return a small margin: a histogram fills its plot, so its axis has no numbers."""
        return view.sizes.base

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        bindings = [self._start(figure, view, spot), *self._now(figure, view, spot)]
        for field, filled in (("mean_start", False), ("mean", True)):
            bindings.append(self._mean(figure, view, spot, field, filled=filled))
        trace = add_trace(figure, go.Scatter(
            x=[REACH], y=[1.0], text=[""], mode="text", textposition="bottom left",
            hoverinfo="skip", **spot.axes,
            textfont={"size": view.sizes.small, "color": view.styles[self.norm].text},
        ))  # fmt: skip
        bindings.append(
            Text(trace=trace, field=f"{self.norm}.unit_histogram.beyond",
                 index=INDEX, format="percent0", blank_zero=True,
                 template=view.texts["unit_hill"]["beyond"])
        )  # fmt: skip
        return bindings

    def _outline(self, trace: int, value: str) -> Ridges:
        return Ridges(
            trace=trace, field=f"{self.norm}.unit_histogram.{value}", index=INDEX, left=-REACH,
            right=REACH, base=[0.0], height=HEIGHT,
            peaks=[f"{self.norm}.unit_histogram.{each}" for each in ("now", "start")],
        )  # fmt: skip

    def _start(self, figure: go.Figure, view: ChartView, spot: Spot) -> Binding:
        line = {"color": view.styles[self.norm].line, "width": 1.3, "dash": "2px,2px"}
        trace = add_trace(figure, go.Scatter(
            x=[], y=[], mode="lines", line={**line, "simplify": False}, hoverinfo="skip",
            **spot.axes,
        ))  # fmt: skip
        return self._outline(trace, "start")

    def _now(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        state = add_filled(figure, view, self.norm, **spot.axes)
        return [self._outline(state.trace, "now"), state]

    def _mean(
        self, figure: go.Figure, view: ChartView, spot: Spot, field: str, *, filled: bool
    ) -> Binding:
        symbol = "triangle-up" if filled else "triangle-up-open"
        trace = add_trace(figure, go.Scatter(
            x=[None], y=[0], mode="markers", cliponaxis=False, **spot.axes,
            marker={"color": view.styles[self.norm].line, "size": 11, "symbol": symbol},
            hoverinfo="skip",
        ))  # fmt: skip
        return Array(
            trace=trace, attr="x", field=f"{self.norm}.unit_histogram.{field}",
            index=INDEX, transform="asinh", clip=(-REACH, REACH),
        )  # fmt: skip

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        values = {
            "title": view.say(view.texts["layers"]["axis"]), "range": [-REACH, REACH],
            "ticklabelstandoff": 1, **asinh_ticks(TICKS),
        }  # fmt: skip
        height = {
            "range": [-0.03, 1.03], "fixedrange": True, "showticklabels": False, "showgrid": False,
        }  # fmt: skip
        return values, height

    def shapes(self, view: ChartView, spot: Spot) -> list[Attributes]:
        return [
            view.zone(
                xref=spot.x, x0=math.asinh(max(low, -UNIT_LIMIT)),
                x1=math.asinh(min(high, UNIT_LIMIT)), yref=f"{spot.y} domain",
            )
            for low, high in FLAT_ZONES.get(view.config.activation, ())
        ]  # fmt: skip
