"""Accuracy on the training set and on the test set, and the train–test gap."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import in_rows, lay_out
from bnviz.charts.over_time import OverTime, PlotTrace, network_traces
from bnviz.charts.scale import percents

PLOTS = (150, 164)
MOST_ACROSS, MOST_ACROSS_MEDIUM = 3, 2
PERCENT = 100.0
# Range in percentage points that the axis of the gaps always shows. The range includes a number
# with two digits, because the numbers that are drawn first determine the distance between the axis
# and its title.
LEAST = [0, 10]


def build(view: ChartView) -> Chart:
    texts = view.texts["fit_gap"]
    panels = [_gaps(view), *(_panel(view, norm) for norm in view.norms)]
    # Put four panels in rows of two, so that none is alone in a row.
    across = MOST_ACROSS_MEDIUM if len(panels) == MOST_ACROSS + 1 else MOST_ACROSS
    arranged = lay_out(view, PLOTS, in_rows(panels, across),
        in_rows(panels, MOST_ACROSS_MEDIUM),
    )  # fmt: skip
    columns = view.columns(*(
        (texts[key], f"fit.{value}", "percent1")
        for key, value in (("train", "accuracy"), ("test", "test_accuracy"), ("gap", "gap"))
    ))  # fmt: skip
    return Chart(table=Table(columns), **arranged)


def _gaps(view: ChartView) -> OverTime:
    texts = view.texts["fit_gap"]
    return OverTime(
        heading=texts["heading_gap"], axis=texts["axis_gap"], scale=PERCENT, levels=(0,),
        lines=network_traces(view, "fit.gap"),
        value_axis={"autorange": True, "autorangeoptions": {"include": LEAST}, "nticks": 6},
    )  # fmt: skip


def _panel(view: ChartView, norm: str) -> OverTime:
    """Return one network's panel: training and test accuracy, with the gap between them shaded."""
    texts = view.texts["fit_gap"]
    lines = [
        PlotTrace(norm=norm, field=f"{norm}.fit.{value}", label=texts[key], width=width, fill=fill)
        for key, value, width, fill in (
            ("test", "test_accuracy", 2.4, 0.0), ("train", "accuracy", 1.2, 0.22),
        )
    ]  # fmt: skip
    return OverTime(
        heading=view.label(norm), norm=norm, lines=lines, axis=texts["axis"], scale=PERCENT,
        value_axis=percents(0), marks=(norm,),
    )  # fmt: skip
