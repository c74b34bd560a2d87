"""Accuracy of a network whose lower layers are from one step and upper layers from another."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from bnviz.charts.binding import Array, Bindings, Heat, grey
from bnviz.charts.chart import Chart, ChartView, Column, Selector, Table
from bnviz.charts.distributions import heat_scales
from bnviz.charts.grid import Panel, Spot, in_rows, lay_out
from bnviz.charts.panels import add_trace
from bnviz.charts.theme import Attributes
from bnviz.planned_runs.plan import MOST_KEPT

PLOTS = (250, 330)
MOST_ACROSS = 2
# Opacity of a cell by accuracy. The opacity changes most near an accuracy of 1, where most
# accuracies are, and stays low enough for the numbers in the cells.
COLOURS = {0.0: 0.03, 0.5: 0.08, 0.8: 0.18, 0.9: 0.36, 0.95: 0.54, 1.0: 0.75}


def build(view: ChartView) -> Chart:
    texts = view.texts["cut"]
    panels = [Cells(heading=view.label(norm), norm=norm) for norm in view.norms]
    arranged = lay_out(view, PLOTS, in_rows(panels, MOST_ACROSS))
    names = [texts["place"].format(number=number) for number in range(1, view.config.depth)]
    return Chart(
        selectors=(Selector("cut", texts["cut"], names, view.config.depth // 2 - 1),),
        table=_table(view), **arranged,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cells(Panel):
    """Panel of one network with one cell per pair of steps."""

    def left(self, view: ChartView) -> int:
        return view.left_margin(3)

    def fill(self, figure: go.Figure, view: ChartView, spot: Spot) -> Bindings:
        """Add the cells; those whose lower and upper layers are from the same step have frames."""
        alive, dead = heat_scales(view.style(self.norm), COLOURS)
        cells = add_trace(figure, go.Heatmap(
            x=[0], y=[0], z=[[None]], zmin=0, zmax=1, colorscale=alive, showscale=False,
            xgap=2, ygap=2, hoverinfo="skip", texttemplate="%{z:.1%}",
            textfont={"size": view.sizes.small - 1, "color": view.theme.ink}, **spot.axes,
        ))  # fmt: skip
        frames = add_trace(figure, go.Scatter(
            x=[None], y=[None], mode="markers", hoverinfo="skip", **spot.axes,
            marker={"symbol": "square-open", "size": 38 * view.sizes.small / 12,
                    "color": view.theme.ink, "line": {"width": 1.2}},
        ))  # fmt: skip
        steps = f"{self.norm}.cut.steps"
        return [
            *(Array(trace=trace, attr=attr, field=steps)
              for trace in (cells, frames) for attr in ("x", "y")),
            Heat(trace=cells, field=f"{self.norm}.cut.accuracy", index="$cut"),
            grey(self.norm, cells, {"colorscale": alive}, {"colorscale": dead}),
        ]  # fmt: skip

    def axes(self, view: ChartView, spot: Spot) -> tuple[Attributes, Attributes]:
        texts = view.texts["cut"]
        # On category axes all cells have the same size, whatever the distance between steps.
        steps = {"type": "category", "showgrid": False, "fixedrange": True}
        return (
            {"title": texts["upper"], "autorange": True, **steps},
            # Put the first step on top, as in the lesson's table.
            {"title": texts["lower"], "autorange": "reversed", **steps},
        )


def _table(view: ChartView) -> Table:
    texts = view.texts["cut"]
    columns = [Column(texts["step"], f"{view.norms[0]}.cut.steps", "count")]
    for norm in view.norms:
        for what, field, place in (
            ("first", "accuracy", 0), ("last", "accuracy", -1), ("control", "random", 0),
        ):  # fmt: skip
            index = f"$cut,:,{place}"
            columns.append(view.column(norm, texts[what], f"cut.{field}", "percent1", index))
    names = [texts["row"].format(number=number) for number in range(1, MOST_KEPT + 1)]
    return Table(columns, names)
