"""One unit: what it receives for the fixed test examples, now and at the start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding, Ridges, State, Text
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, Panel, Spot, in_rows, lay_out, zone
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.charts.scale import asinh_ticks
from bnviz.networks.flat_zones import FLAT_ZONES
from bnviz.probes.axis import UNIT_LIMIT

PLOT, PLOT_LARGE = 180, 225
MOST_ACROSS = 2
REACH = math.asinh(UNIT_LIMIT)
TICKS = (-10.0, -3, -1, 0, 1, 3, 10)
INDEX = "$layer,$unit"
# A hill's area is always the same: one with so large a share of the values in one bin is as high as
# the plot, and a higher one ends there.
HIGHEST = 0.2
FULL_COUNT, FULL_SCALE = 65535, 255


def build(view: ChartView) -> Chart:
    """A panel for each network on one axis, the outline of step 0 behind its hill."""
    texts, figure = view.texts["unit_hill"], go.Figure()
    panels = [Hill(heading=view.label(norm), of=norm, norm=norm) for norm in view.norms]
    bindings, arranged = lay_out(
        figure, Page.of(view, PLOT, PLOT_LARGE), in_rows(panels, MOST_ACROSS)
    )
    phi = view.config.activation
    subtitle = texts["subtitle_zone" if phi in FLAT_ZONES else "subtitle"].format(
        step="{step}", input=view.texts["phi"][phi], one_unit=view.text("one_unit"),
        probe=view.probe_text(),
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts[what]),
               f"{norm}.unit_histogram.{what}", "number", "$layer")
        for norm in view.norms
        for what in ("mean", "mean_start")
    ]  # fmt: skip
    return Chart(
        name="unit_hill", title=texts["title"], subtitle=subtitle, figure=figure,
        bindings=bindings, needs=("unit_histogram",),
        selectors=(layer_selector(view), unit_selector(view)),
        table=Table(subtitle, columns, "vector", unit_selector(view).options), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Hill(Panel):
    """One network's unit.

    Attributes:
        norm: the network.
    """

    norm: str

    def left(self, page: Page) -> int:
        """No numbers: a hill's height is a share of its values, its area always the same."""
        return page.sizes.base

    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """The outline of step 0, the hill, both means, and what lies beyond the axis."""
        bindings = [self._start(figure, page, spot), *self._now(figure, page, spot)]
        for field, filled in (("mean_start", False), ("mean", True)):
            bindings.append(self._mean(figure, page, spot, field, filled=filled))
        figure.add_trace(
            go.Scatter(
                x=[REACH], y=[1.0], text=[""], mode="text", textposition="bottom left",
                xaxis=spot.x, yaxis=spot.y, hoverinfo="skip",
                textfont={"size": page.sizes.small, "color": page.styles[self.norm].text},
            )
        )  # fmt: skip
        bindings.append(
            Text(trace=len(figure.data) - 1, field=f"{self.norm}.unit_histogram.beyond",
                 index=INDEX, format="percent0", blank_zero=True,
                 template=page.view.texts["unit_hill"]["beyond"])
        )  # fmt: skip
        return bindings

    def _outline(self, trace: int, value: str) -> Ridges:
        return Ridges(
            trace=trace, field=f"{self.norm}.unit_histogram.{value}", index=INDEX, left=-REACH,
            right=REACH, base=[0.0], scale=FULL_COUNT / FULL_SCALE / HIGHEST, limit=1.0,
        )  # fmt: skip

    def _start(self, figure: go.Figure, page: Page, spot: Spot) -> Binding:
        line = {"color": page.styles[self.norm].line, "width": 1.3, "dash": "2px,2px"}
        figure.add_trace(
            go.Scatter(x=[], y=[], mode="lines", line={**line, "simplify": False},
                       hoverinfo="skip", xaxis=spot.x, yaxis=spot.y)
        )  # fmt: skip
        return self._outline(len(figure.data) - 1, "start")

    def _now(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        style, trace = page.styles[self.norm], len(figure.data)
        alive = {"line.color": style.line, "fillcolor": style.alpha(0.32)}
        dead = {"line.color": page.theme.dead, "fillcolor": "rgba(128,128,128,0.25)"}
        figure.add_trace(
            go.Scatter(
                x=[], y=[], mode="lines", fill="toself", fillcolor=alive["fillcolor"],
                line={"color": style.line, "width": 1.2, "simplify": False}, hoverinfo="skip",
                xaxis=spot.x, yaxis=spot.y,
            )
        )  # fmt: skip
        state = State(trace=trace, network=self.norm, when={"diverged": dead}, otherwise=alive)
        return [self._outline(trace, "now"), state]

    def _mean(
        self, figure: go.Figure, page: Page, spot: Spot, field: str, *, filled: bool
    ) -> Binding:
        symbol = "triangle-up" if filled else "triangle-up-open"
        figure.add_trace(
            go.Scatter(
                x=[None], y=[0], mode="markers", xaxis=spot.x, yaxis=spot.y, cliponaxis=False,
                marker={"color": page.styles[self.norm].line, "size": 11, "symbol": symbol},
                hoverinfo="skip",
            )
        )  # fmt: skip
        return Array(
            trace=len(figure.data) - 1, attr="x", field=f"{self.norm}.unit_histogram.{field}",
            index=INDEX, transform="asinh", clip=(-REACH, REACH),
        )  # fmt: skip

    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the unit receives, the same axis for all networks, and the hill's height."""
        title = str(page.view.texts["phi"][page.view.config.activation])
        axis = str(page.view.texts["layers"]["axis"]).format(input=title)
        return (
            themes.axis(page.theme, page.sizes, axis, anchor=spot.y, range=[-REACH, REACH],
                        ticklabelstandoff=1, **asinh_ticks(TICKS)),
            themes.axis(page.theme, page.sizes, anchor=spot.x, range=[-0.03, 1.03],
                        fixedrange=True, showticklabels=False, showgrid=False),
        )  # fmt: skip

    def shapes(self, page: Page, spot: Spot) -> list[dict[str, Any]]:
        """Where the nonlinearity is flat."""
        return [
            zone(page, spot, math.asinh(max(low, -UNIT_LIMIT)), math.asinh(min(high, UNIT_LIMIT)))
            for low, high in FLAT_ZONES.get(page.view.config.activation, ())
        ]
