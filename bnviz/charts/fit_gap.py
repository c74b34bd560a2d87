"""Accuracy on the training set and on the test set, and the gap between them."""

from __future__ import annotations

import plotly.graph_objects as go

from bnviz.charts.chart import Chart, ChartView, Column, Table
from bnviz.charts.grid import Page, in_rows, lay_out
from bnviz.charts.over_time import OverTime, Trace
from bnviz.charts.time_axis import end_labels

PLOT, PLOT_LARGE = 150, 164
MOST_ACROSS, MOST_ACROSS_MEDIUM = 3, 2
PERCENT = 100.0
# Percentage points that the axis of the gaps shows at least. Its title keeps the distance that the
# first numbers need: so one of two digits is among them.
LEAST = [0, 10]


def build(view: ChartView) -> Chart:
    """The gaps of all networks on one axis, and a panel a network with its gap as an area."""
    texts, figure = view.texts["fit_gap"], go.Figure()
    panels = [_gaps(view), *(_panel(view, norm) for norm in view.norms)]
    # Of four panels two stand beside each other, so that none stands alone.
    across = MOST_ACROSS_MEDIUM if len(panels) == MOST_ACROSS + 1 else MOST_ACROSS
    bindings, arranged = lay_out(
        figure, Page.of(view, PLOT, PLOT_LARGE), in_rows(panels, across),
        in_rows(panels, MOST_ACROSS_MEDIUM),
    )  # fmt: skip
    say = view.texts["common"]["network_column"]
    columns = [
        Column(say.format(network=view.label(norm), what=texts[key]), f"{norm}.fit.{value}",
               "percent1")
        for norm in view.norms
        for key, value in (("train", "accuracy"), ("test", "test_accuracy"), ("gap", "gap"))
    ]  # fmt: skip
    return Chart(
        name="fit_gap", title=texts["title"], subtitle=texts["subtitle"], figure=figure, time=True,
        bindings=bindings, needs=("fit",),
        table=Table(texts["subtitle"], columns, row_names=view.texts["common"]["step"]), **arranged,
    )  # fmt: skip


def _gaps(view: ChartView) -> OverTime:
    texts, ends = view.texts["fit_gap"], end_labels(view)
    return OverTime(
        heading=texts["heading_gap"], axis=texts["axis_gap"], scale=PERCENT, levels=(0,),
        lines=[Trace(norm=n, field=f"{n}.fit.gap", label=ends[n]) for n in view.norms],
        value_axis={"autorange": True, "autorangeoptions": {"include": LEAST}, "nticks": 6},
    )  # fmt: skip


def _panel(view: ChartView, norm: str) -> OverTime:
    """One network: its line on the test set, and that on the training set with the gap below it."""
    texts = view.texts["fit_gap"]
    lines = [
        Trace(norm=norm, field=f"{norm}.fit.{value}", label=texts[key], width=width, fill=fill)
        for key, value, width, fill in (
            ("test", "test_accuracy", 2.4, 0.0), ("train", "accuracy", 1.2, 0.22),
        )
    ]  # fmt: skip
    return OverTime(
        heading=view.label(norm), of=norm, lines=lines, axis=texts["axis"], scale=PERCENT,
        value_axis={"range": [0, 102], "tickvals": [0, 25, 50, 75, 100]}, marks=(norm,),
    )  # fmt: skip
