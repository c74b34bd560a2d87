"""What a page says of a comparison by measured quantities: its chart, sentences, table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from bnviz.charts.chart import ChartView
from bnviz.charts.ratios import build_ratios
from bnviz.planned_runs.comparison import ComparisonResult, MemberResult
from bnviz.planned_runs.gauges import Ratios
from bnviz.ui.html import Markup, tag
from bnviz.words.joining import in_list, sentences
from bnviz.words.numbers import write


def ratio_chart(
    result: ComparisonResult, ratios: Ratios, view: ChartView, frame: Mapping[str, Any]
) -> tuple[str, go.Figure]:
    """The title of the picture of all ratios, and the picture."""
    words, networks = frame["ratios"], _networks(ratios, view)
    steps = in_list(write(step, "count") for step in ratios.steps)
    figure = build_ratios(result, view, frame["gauges"], words["axis"].format(**networks))
    return str(words["title"]).format(**networks, steps=steps), figure


def ratio_sentence(
    result: ComparisonResult, ratios: Ratios, view: ChartView, frame: Mapping[str, Any]
) -> str:
    """In how many of the runs each quantity is smaller in the one network, in how many larger."""
    said = []
    for gauge in ratios.gauges:
        found = [each.ratios[gauge] for each in result.members]
        measured = [ratio for ratio in found if ratio is not None]
        less = sum(ratio < 1 for ratio in measured)
        said.append(
            frame["ratios"]["turns"].format(
                gauge=frame["gauges"][gauge], less=less, more=len(measured) - less,
                count=len(measured), **_networks(ratios, view),
            )
        )  # fmt: skip
    return sentences(said)


def ratio_heads(ratios: Ratios, frame: Mapping[str, Any]) -> list[Markup]:
    """The heads of the columns that a table has for the ratios."""
    column = frame["ratios"]["column"]
    return [
        tag("th", column.format(gauge=frame["gauges"][gauge]), scope="col")
        for gauge in ratios.gauges
    ]


def ratio_cells(each: MemberResult, ratios: Ratios, frame: Mapping[str, Any]) -> list[Markup]:
    """The cells of these columns in the row of one run."""
    missing = frame["ratios"]["missing"]
    found = [each.ratios[gauge] for gauge in ratios.gauges]
    return [tag("td", missing if ratio is None else write(ratio, "number3")) for ratio in found]


def _networks(ratios: Ratios, view: ChartView) -> dict[str, str]:
    return {"above": view.label(ratios.above), "below": view.label(ratios.below)}
