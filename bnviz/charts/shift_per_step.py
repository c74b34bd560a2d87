"""How far one step moves the middle of what each unit gets: shift of inputs, step by step."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import lay_out
from bnviz.charts.over_time import OverTime, network_traces
from bnviz.charts.scale import log_axis

PLOTS = (180, 210)
CLIP = (1e-8, 1e4)
# The second one, by the spread of a unit's values, is in the table alone.
VALUES = ("change", "relative")


def build(view: ChartView) -> Chart:
    """A line for each network on a log axis."""
    texts = view.texts["shift_per_step"]
    moves = OverTime(
        axis=texts["axis"], clip=CLIP, value_axis=log_axis(-8, 4, include=(-2, 0), labelled=1),
        beyond=True, lines=network_traces(view, "median_step.change"),
    )  # fmt: skip
    columns = view.columns(*((texts[value], f"median_step.{value}") for value in VALUES))
    return Chart(table=Table(columns), **lay_out(view, PLOTS, [[moves]]))
