"""Comparison of several runs on a page, started by a button, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from bnviz.charts.series import value_text
from bnviz.live.runs.run import RunInfo
from bnviz.locations import locations
from bnviz.planned_runs.comparison import Comparison, ComparisonResult
from bnviz.ui.comparison_results import ComparisonResults
from bnviz.ui.html import answer, tag
from bnviz.ui.query_schema import SHOWN_RUN
from bnviz.ui.successive_runs import PlannedRun, TabSeries, records_at_end
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Session-state key of the tab's comparisons by name.
STATE = "series"


@dataclass
class TabComparison(TabSeries):
    result: ComparisonResult

    @property
    def name(self) -> str:
        return self.result.comparison.name

    @property
    def planned(self) -> PlannedRun | None:
        if self.result.complete:
            return None
        return PlannedRun(self.result.index, self.result.config, self.result.comparison.plan)

    def take(self, info: RunInfo) -> bool:
        found = with_ended(self.result, info)
        self.result = found or self.result
        return found is not None

    def fail(self, message: str) -> None:
        self.stop(texts("series")["failed"].format(message=message))

    def start(self) -> None:
        self.clear()
        super().start()

    def clear(self) -> None:
        self.result, self.problem = replace(self.result, members=()), ""


def draw_comparison(series: Comparison, words: Mapping[str, str]) -> None:
    """Draw a comparison and its results; it replaces any other comparison of the same name.

    Args:
        words: Formatted texts `title`, `text` (HTML) and `axis`.
    """
    kept: dict[str, TabComparison] = st.session_state.setdefault(STATE, {})
    comparing = kept.get(series.name)
    if comparing is None or comparing.result.comparison != series:
        comparing = TabComparison(ComparisonResult(comparison=series))
        # After a restart of the server, the browser names what it showed.
        if series.name not in kept and series.name in st.query_params.get_all(SHOWN_RUN):
            comparing.problem = texts("series")["results_gone"]
        kept[series.name] = comparing
    st.html(locations().assets / "series.css")
    with st.container(key=f"series_{series.name}"):
        named = series.name if comparing.running or comparing.result.members else None
        st.html(tag("h3", words["title"], data_shown=named) + words["text"])
        # Before the runs start, show the accuracy at which a network counts as having learned.
        if series.learned is not None:
            share = write(series.learned, "percent0")
            st.html(tag("p", texts("series")["learns"].format(share=share)))
        run, frame = comparing.advance(), texts("series")
        _draw_buttons(comparing)
        if run is not None:
            title = frame["run_title"].format(
                place=comparing.result.index + 1, count=len(series.settings), axis=words["axis"],
                value=value_text(comparing.result.value),
            )  # fmt: skip
            comparing.draw(run, title)
        if comparing.problem:
            st.html(answer(comparing.problem))
        if comparing.result.members:
            ComparisonResults(comparing.result, words["axis"]).draw()


def _draw_buttons(comparing: TabComparison) -> None:
    frame, result, name = texts("series"), comparing.result, comparing.name
    count = len(result.comparison.settings)
    with st.container(horizontal=True):
        if comparing.running:
            st.button(frame["stop"], key=f"series_stop_{name}", on_click=comparing.stop)
            return
        label = frame["run"].format(count=count)
        st.button(label, key=f"series_run_{name}", on_click=comparing.start)
        if result.members:
            st.button(frame["clear"], key=f"series_clear_{name}", on_click=comparing.clear)
    if result.members and not result.complete:
        st.caption(frame["stopped"].format(done=result.index, count=count))


def with_ended(result: ComparisonResult, info: RunInfo) -> ComparisonResult | None:
    """Return the result with the current run added, or None before its last step is measured."""
    kept, comparison = records_at_end(info), result.comparison
    if kept is None:
        return None
    snapshots = kept.only({*comparison.plan.shown, info.step})
    ratios = comparison.ratios
    if ratios is not None and ratios.waits({each.step: each for each in snapshots}):
        return None
    return result.with_next(snapshots)
