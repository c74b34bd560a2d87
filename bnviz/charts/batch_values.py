"""Where single units put the examples of one mini-batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from bnviz.charts import theme as themes
from bnviz.charts.binding import Array, Binding
from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, Panel, Spot, in_rows, lay_out, zone
from bnviz.charts.panels import text_width
from bnviz.charts.percentiles import layer_selector, unit_selector
from bnviz.networks.flat_zones import FLAT_ZONES
from bnviz.probes.axis import BATCH_VALUES

PLOT, PLOT_LARGE = 180, 225
MOST_ACROSS = 4
# Values beyond are marked at the edge.
REACH = 4.0
TICKS = (-4, -2, -1, 0, 1, 2, 4)


def build(view: ChartView) -> Chart:
    """A panel for each network: eight units of the chosen layer, a dot for each example."""
    texts, figure = view.texts["batch_values"], go.Figure()
    panels = [
        Dots(heading=view.label(norm), of=norm, norm=norm, named=place == 0)
        for place, norm in enumerate(view.norms)
    ]
    bindings, arranged = lay_out(
        figure, Page.of(view, PLOT, PLOT_LARGE), in_rows(panels, MOST_ACROSS)
    )
    subtitle = texts["subtitle"].format(
        step="{step}", input=view.texts["phi"][view.config.activation], count=BATCH_VALUES,
        pooled=texts.get(f"pooled_{view.config.network}", ""),
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts[key]),
               f"{norm}.batch_values.values", "number", f"$layer,:,{place}")
        for norm in view.norms for place, key in enumerate(("first", "second"))
    ]  # fmt: skip
    return Chart(
        name="batch_values", title=texts["title"], subtitle=subtitle, figure=figure,
        bindings=bindings, needs=("batch_values",), selectors=(layer_selector(view),),
        table=Table(subtitle, columns, "vector", unit_selector(view).options), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Dots(Panel):
    """One network: a row for each unit.

    Attributes:
        norm: the network.
        named: whether the units' names stand to its left.
    """

    norm: str
    named: bool

    def left(self, page: Page) -> int:
        """Room for the names of the units."""
        names = unit_selector(page.view).options if self.named else [""]
        return round(max(text_width(name, page.sizes.base) for name in names)) + 12

    def fill(self, figure: go.Figure, page: Page, spot: Spot) -> list[Binding]:
        """Add the dots, row by row."""
        style, count = page.styles[self.norm], len(unit_selector(page.view).options)
        edges = {"low": "triangle-left", "inside": style.symbol, "high": "triangle-right"}
        binding = Array(
            trace=len(figure.data), attr="x", field=f"{self.norm}.batch_values.values",
            index="$layer", clip=(-REACH, REACH), edges=edges,
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=[None] * count * BATCH_VALUES,
                y=[row for row in range(count, 0, -1) for _ in range(BATCH_VALUES)],
                mode="markers", xaxis=spot.x, yaxis=spot.y, cliponaxis=False,
                marker={"color": style.line, "size": 7, "symbol": style.symbol, "opacity": 0.7},
                hovertemplate="%{x:.3~g}<extra></extra>",
            )
        )  # fmt: skip
        return [binding]

    def axes(self, page: Page, spot: Spot) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the nonlinearity gets, the same for all networks, and the units."""
        names = unit_selector(page.view).options
        title = page.view.texts["phi"][page.view.config.activation]
        words = [f"{tick:g}".replace("-", "−") for tick in TICKS]
        ends = {0: f"≤{words[0]}", len(words) - 1: f"≥{words[-1]}"}
        words = [ends.get(place, word) for place, word in enumerate(words)]
        return (
            themes.axis(page.theme, page.sizes, title, anchor=spot.y, tickmode="array",
                        range=[-1.06 * REACH, 1.06 * REACH], tickvals=list(TICKS), ticktext=words),
            themes.axis(page.theme, page.sizes, anchor=spot.x, range=[0.4, len(names) + 0.6],
                        fixedrange=True, tickmode="array",
                        tickvals=list(range(len(names), 0, -1)), ticktext=list(names)),
        )  # fmt: skip

    def y_axis_in_row(self, page: Page, *, first: bool) -> dict[str, Any]:
        """Names, unless the panel to the left has them."""
        return {"showticklabels": self.named or first}

    def shapes(self, page: Page, spot: Spot) -> list[dict[str, Any]]:
        """Where the nonlinearity saturates."""
        return [
            zone(page, spot, max(low, -1.06 * REACH), min(high, 1.06 * REACH))
            for low, high in FLAT_ZONES.get(page.view.config.activation, ())
        ]
