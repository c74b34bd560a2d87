"""How far one step moves the middle of what each unit gets: shift of inputs, step by step."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import lay_out
from bnviz.charts.over_time import OverTime, Trace
from bnviz.charts.scale import log_axis
from bnviz.charts.time_axis import end_labels

PLOTS = (180, 210)
CLIP = (1e-8, 1e4)
# The second one, by the spread of a unit's values, is in the table alone.
VALUES = ("change", "relative")


def build(view: ChartView) -> Chart:
    """A line for each network on a log axis."""
    texts = view.texts["shift_per_step"]
    ends = end_labels(view)
    moves = OverTime(
        axis=texts["axis"], clip=CLIP, value_axis=log_axis(-8, 4, include=(-2, 0), labelled=1),
        beyond=True,
        lines=[
            Trace(norm=norm, field=f"{norm}.median_step.change", label=ends[norm])
            for norm in view.norms
        ],
    )  # fmt: skip
    arranged = lay_out(view, PLOTS, [[moves]])
    subtitle = texts["subtitle"].format(one_unit=view.text("one_unit"), probe=view.probe_text())
    columns = [
        view.column(norm, texts[value], f"median_step.{value}")
        for norm in view.norms for value in VALUES
    ]  # fmt: skip
    return Chart(subtitle=subtitle, table=Table(columns), **arranged)
