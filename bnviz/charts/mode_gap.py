"""Accuracy of the same weights with mini-batch, running and recomputed statistics."""

from __future__ import annotations

from bnviz.charts.chart import Chart, ChartView, Table
from bnviz.charts.grid import in_rows, lay_out
from bnviz.charts.over_time import OverTime, PlotTrace
from bnviz.charts.scale import percents
from bnviz.words.joining import in_list

PLOTS = (180, 180)
MOST_ACROSS = 2
# Width, dash and opacity of the lines, which can be distinguished even where they coincide:
# recomputed statistics are a pale band, mini-batch statistics a thin line in it, and running
# averages are dashed.
LINES = {
    "population": (7.0, "solid", 0.28), "batch": (1.4, "solid", 1.0),
    "running": (2.6, "7px,4px", 1.0),
}  # fmt: skip


def build(view: ChartView) -> Chart:
    texts, norms = view.texts["mode_gap"], view.batch_norms()
    # More than two panels in a row are too narrow for the labels at the ends of the lines.
    across = min(len(norms), MOST_ACROSS)
    panels = [_panel(view, norm, numbered=place % across == 0) for place, norm in enumerate(norms)]
    arranged = lay_out(view, PLOTS, in_rows(panels, across))
    others = [view.label(norm) for norm in view.norms if norm not in norms]
    subtitle = texts["subtitle"]
    if others:
        subtitle += texts["without"].format(networks=in_list(others))
    named = ((texts[each], f"mode_gap.{each}", "percent1") for each in LINES)
    columns = view.columns(*named, norms=norms)
    return Chart(subtitle=subtitle, table=Table(columns), **arranged)


def _panel(view: ChartView, norm: str, *, numbered: bool) -> OverTime:
    texts = view.texts["mode_gap"]
    lines = [
        PlotTrace(norm=norm, field=f"{norm}.mode_gap.{statistics}", label=texts[statistics],
              width=width, line_style={"dash": dash}, opacity=opacity)
        for statistics, (width, dash, opacity) in LINES.items()
    ]  # fmt: skip
    return OverTime(
        heading=view.label(norm), norm=norm, lines=lines, axis=texts["axis"], scale=100.0,
        value_axis=percents(), marks=(norm,), numbered=numbered,
    )  # fmt: skip
