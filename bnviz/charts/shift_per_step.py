"""How far one step moves the middle of what each unit gets: shift of inputs, step by step."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, lay_out
from bnviz.charts.over_time import OverTime, Trace
from bnviz.charts.scale import log_axis
from bnviz.charts.time_axis import end_labels

PLOT, PLOT_LARGE = 180, 210
CLIP = (1e-8, 1e4)
# The second one, by the spread of a unit's values, is in the table alone.
VALUES = ("change", "relative")


def build(view: ChartView) -> Chart:
    """A line for each network on a log axis."""
    texts, page, figure = view.texts["shift_per_step"], Page.of(view, PLOT, PLOT_LARGE), go.Figure()
    ends = end_labels(view)
    moves = OverTime(
        axis=texts["axis"], clip=CLIP, value_axis=log_axis(-8, 4, include=(-2, 0), labelled=1),
        beyond=True,
        lines=[
            Trace(norm=norm, field=_field(norm, VALUES[0]), label=ends[norm]) for norm in view.norms
        ],
    )  # fmt: skip
    bindings, arranged = lay_out(figure, page, [[moves]])
    subtitle = texts["subtitle"].format(one_unit=view.text("one_unit"), probe=view.probe_text())
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts[value]), _field(norm, value))
        for norm in view.norms for value in VALUES
    ]  # fmt: skip
    return Chart(
        name="shift_per_step", title=texts["title"], subtitle=subtitle, figure=figure, time=True,
        bindings=bindings, needs=("median_step",),
        table=Table(subtitle, columns, row_names=view.texts["common"]["step"]), **arranged,
    )  # fmt: skip


def _field(norm: str, value: str) -> str:
    return f"{norm}.median_step.{value}"
