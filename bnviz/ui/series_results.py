"""What a series has measured: two still charts, a sentence, and the numbers as a table."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from bnviz.charts.chart import PLOTLY_CONFIG, ChartView, chart_texts
from bnviz.charts.numbers import write
from bnviz.charts.series import build_curves, build_outcome, value_text
from bnviz.data import DATASETS
from bnviz.series import MemberResult, SeriesResult
from bnviz.texts import texts
from bnviz.ui.claims.html import joined, tag


def draw_results(result: SeriesResult, axis: str) -> None:
    """Draw what was measured so far.

    Args:
        result: at least one member has run.
        axis: what is varied.
    """
    said, name = texts("series"), result.series.name
    view = _view(result)
    until = _until(result)
    outcome = said["outcome_race" if result.series.races else "outcome"]
    reaches = said["reaches"].format(until=until)
    st.html(tag("p", said["curves"].format(axis=axis), class_="series-title"))
    _still(build_curves(result, view), f"series_curves_{name}")
    st.html(tag("p", outcome, class_="series-title"))
    _still(build_outcome(result, view, axis, reaches), f"series_outcome_{name}")
    st.html(tag("p", sentence(result, view, said)))
    if result.series.learned is not None:
        st.html(tag("p", who_learned(result, view, axis, said)))
    with st.expander(said["table"]):
        st.html(_table(result, axis, view, said))


def sentence(result: SeriesResult, view: ChartView, said: Mapping[str, str]) -> str:
    """How each network ended over all members that have run."""
    parts = []
    for norm in result.series.norms:
        network = view.label(norm)
        if result.series.races:
            arrived = sum(each.curves[norm].reached is not None for each in result.members)
            parts.append(
                said["arrivals"].format(network=network, arrived=arrived, count=len(result.members))
            )
            continue
        low, high = (write(end(result.ends(norm)), "percent0") for end in (min, max))
        key = "one_end" if low == high else "network_ends"
        parts.append(said[key].format(network=network, low=low, high=high, end=low))
    key = "arrived" if result.series.races else "ends"
    return said[key].format(networks=", ".join(parts), until=_until(result))


def who_learned(result: SeriesResult, view: ChartView, axis: str, said: Mapping[str, str]) -> str:
    """In which of the members that have run each network learned."""
    parts, count = [], len(result.members)
    for norm in result.series.norms:
        found = result.learned(norm)
        key = "learned_none" if not found else "learned_at" if len(found) < count else "learned_all"
        values = ", ".join(map(value_text, found))
        parts.append(said[key].format(network=view.label(norm), values=values, count=count))
    least = write(result.series.learned or 0, "percent0")
    return said["learned"].format(share=least, axis=axis, networks="; ".join(parts))


def _until(result: SeriesResult) -> str:
    """The accuracies that members race to."""
    found = {member.until for member in result.series.members if member.until is not None}
    return ", ".join(write(until, "percent0") for until in sorted(found))


def _view(result: SeriesResult) -> ChartView:
    config = result.series.members[0].config
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), dark=st.context.theme.type == "dark",
        classes=data.classes, features=data.features,
    )  # fmt: skip


def _still(figure: go.Figure, key: str) -> None:
    st.plotly_chart(figure, key=key, theme=None, config=PLOTLY_CONFIG)


def _table(result: SeriesResult, axis: str, view: ChartView, said: Mapping[str, str]) -> str:
    until, races = _until(result), result.series.races
    heads = [tag("th", axis, scope="col")]
    for norm in result.series.norms:
        network = view.label(norm)
        heads.append(tag("th", said["accuracy"].format(network=network), scope="col"))
        if races:
            text = said["arrival"].format(network=network, until=until)
            heads.append(tag("th", text, scope="col"))
    rows = [tag("tr", *_row(each, result, said)) for each in result.members]
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="series-table")


def _row(each: MemberResult, result: SeriesResult, said: Mapping[str, str]) -> list[str]:
    cells = [tag("th", value_text(each.member.value), scope="row")]
    for norm in result.series.norms:
        curve = each.curves[norm]
        cells.append(tag("td", write(curve.last, "percent1")))
        if result.series.races:
            reached = said["never"] if curve.reached is None else write(curve.reached, "count")
            cells.append(tag("td", reached))
    return [joined(*cells)]
