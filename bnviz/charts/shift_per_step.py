"""Change per step of the median input of each unit's nonlinearity."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import lay_out
from bnviz.charts.over_time import OverTime, network_traces
from bnviz.charts.scale import log_axis

PLOTS = (180, 210)
CLIP = (1e-8, 1e4)
# Values of the probe. The second value is relative to the standard deviation of a unit's values,
# and only the table shows it.
VALUES = ("change", "relative")


def build(view: ChartView) -> Chart:
    texts = view.texts["shift_per_step"]
    moves = OverTime(
        axis=texts["axis"], clip=CLIP, value_axis=log_axis(-8, 4, include=(-2, 0), labelled=1),
        beyond=True, lines=network_traces(view, "median_step.change"),
    )  # fmt: skip
    columns = view.columns(*((texts[value], f"median_step.{value}") for value in VALUES))
    return Chart(table=Table(columns), **lay_out(view, PLOTS, [[moves]]))
