"""A comparison of several runs on a page: a button runs them one after another.

Their results stay on the page: two charts, a sentence, and the numbers as a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from bnviz.charts.series import value_text
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.kept_frames import KeptRecords
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.comparison import (
    Comparison,
    ComparisonResult,
    Member,
    MemberResult,
    member_result,
)
from bnviz.ui.comparison_results import ComparisonResults
from bnviz.ui.html import answer, tag
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.sitemap import ROOT
from bnviz.ui.tab_run import TabRun, close_page_run, open_page_run
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Key in the tab's session: its comparisons by name.
STATE = "series"
# How often the page looks whether the present run has ended, in seconds.
LOOK_EVERY = 0.5
CHART = "accuracy"
# At this pace a run spends little of its time on frames.
PACE = "full"
# Why a run pauses when it has come to its end.
ENDED = ("plan", "reached", "diverged", "limit")


@dataclass
class TabComparison:
    """A comparison in this tab.

    Attributes:
        result: what was measured.
        running: whether its runs are made.
        started: how many runs the hub was asked for.
        problem: a sentence on why it stopped, or "".
    """

    result: ComparisonResult
    running: bool = False
    started: int = 0
    problem: str = ""

    @property
    def run_name(self) -> str:
        """The name of its runs, for `open_page_run`."""
        return f"series:{self.result.comparison.name}"

    @property
    def index(self) -> int:
        return len(self.result.members)

    @property
    def member(self) -> Member:
        """The member that runs, or is next."""
        return self.result.comparison.members[self.index]

    def start(self) -> None:
        self.clear()
        self.running, self.started = True, 0

    def stop(self, problem: str = "") -> None:
        """Make no more runs; what was measured stays."""
        self.running, self.problem = False, problem

    def clear(self) -> None:
        """Forget what was measured."""
        self.result, self.problem = replace(self.result, members=()), ""


def draw_comparison(series: Comparison, words: Mapping[str, str]) -> None:
    """Draw a comparison: its question, its buttons, the present run, and what was measured.

    Args:
        series: the comparison; another one of the same name replaces it and its results.
        words: its own words, filled: `title`, `text` (HTML) and `axis`.
    """
    kept: dict[str, TabComparison] = st.session_state.setdefault(STATE, {})
    comparing = kept.get(series.name)
    if comparing is None or comparing.result.comparison != series:
        comparing = kept[series.name] = TabComparison(ComparisonResult(comparison=series))
        close_page_run(comparing.run_name)
    st.html(ROOT / "assets" / "series.css")
    with st.container(key=f"series_{series.name}"):
        st.html(tag("h3", words["title"]) + words["text"])
        if series.learned is not None:  # each comparison has its own, and says it before it runs
            share = write(series.learned, "percent0")
            st.html(tag("p", texts("series")["learns"].format(share=share)))
        info = _advance(comparing) if comparing.running else None
        if info is None:
            close_page_run(comparing.run_name)
        _draw_buttons(comparing)
        if info is not None:
            _draw_run(comparing, words["axis"])
        if comparing.problem:
            st.html(answer(comparing.problem))
        if comparing.result.members:
            ComparisonResults(comparing.result, words["axis"]).draw()


def _draw_buttons(comparing: TabComparison) -> None:
    frame, comparison = texts("series"), comparing.result.comparison
    count, name = len(comparison.members), comparison.name
    with st.container(horizontal=True):
        if comparing.running:
            st.button(frame["stop"], key=f"series_stop_{name}", on_click=comparing.stop)
            return
        label = frame["run"].format(count=count)
        st.button(label, key=f"series_run_{name}", on_click=comparing.start)
        if comparing.result.members:
            st.button(frame["clear"], key=f"series_clear_{name}", on_click=comparing.clear)
    if comparing.result.members and not comparing.result.complete:
        st.caption(frame["stopped"].format(done=comparing.index, count=count))


def _advance(comparing: TabComparison) -> RunInfo | None:
    """Take the result of the present run if it has ended, and start the next one.

    Returns:
        What the hub knows of the run that goes on; None where none does.
    """
    run, frame = _open(comparing), texts("series")
    info = run.info()
    if info is None:
        message = refusal_of(run)
        comparing.stop(frame["refused"].format(message=message) if message else frame["gone"])
        return None
    if info.error is not None:
        comparing.stop(frame["failed"].format(message=info.error))
        return None
    measured = ended_result(comparing.member, info)
    if measured is None:
        return info
    result = comparing.result
    comparing.result = replace(result, members=(*result.members, measured))
    if comparing.result.complete:
        comparing.stop()
        return None
    return _advance(comparing)


def _open(comparing: TabComparison) -> TabRun:
    """The run of the present member, started if it was not yet."""
    member = comparing.member
    run = open_page_run(
        comparing.run_name, member.config, plan=member.plan, pace=PACE, hide=("edge",)
    )
    if comparing.started and comparing.started <= comparing.index:
        before, run.plan, run.pace, run.notices = run.run_id, member.plan, PACE, []
        run.start(member.config)
        if run.run_id == before:
            run.leave()
            run.run_id = ""
    comparing.started = comparing.index + 1
    return run


def refusal_of(run: TabRun) -> str:
    """Why the hub has refused a run, in the words of the lab."""
    if not run.notices:
        return ""
    key, values = run.notices[-1]
    return str(texts("lab")["notice"][key]).format(**values)


def ended_result(member: Member, info: RunInfo) -> MemberResult | None:
    """What a run has measured; None before it has ended and its last step is measured."""
    kept = kept_at_end(info)
    if kept is None:
        return None
    snapshots = kept.near([*member.plan.shown, info.step])
    if member.ratios is not None and member.ratios.waits({each.step: each for each in snapshots}):
        return None
    return member_result(member, snapshots)


def kept_at_end(info: RunInfo) -> KeptRecords | None:
    """The records of a run that has ended; None before the hub has those of its last step."""
    if info.status == "running" or info.reason not in ENDED:
        return None
    try:
        kept = current_hub().snapshots(info.id)
    except LiveError:
        return None
    return kept if kept.steps and kept.steps[-1] == info.step else None


def _draw_run(comparing: TabComparison, axis: str) -> None:
    """Draw the live view of the present run, and run the script again when the run has ended.

    A run that nobody watches sleeps: when the visitor leaves the page, the comparison waits.
    """
    frame, member = texts("series"), comparing.member
    run = open_page_run(comparing.run_name, member.config, plan=member.plan, pace=PACE)
    value, count = value_text(member.value), len(comparing.result.comparison.members)
    title = frame["run_title"].format(
        place=comparing.index + 1, count=count, axis=axis, value=value
    )
    st.html(tag("p", title, class_="series-now", role="status"))
    key = f"series_view_{comparing.result.comparison.name}"
    mount_live_view(run, LiveViewSpec(key=key, charts=((CHART, "full"),), parts=(), knobs=()))

    @st.fragment(run_every=LOOK_EVERY)
    def look() -> None:
        info = run.info()
        if info is None or info.error is not None or ended_result(member, info) is not None:
            st.rerun()
        else:
            key = "asleep" if info.reason == "unwatched" else "progress"
            progress = frame[key if info.queue_place is None else "waiting"]
            step, last_step = write(info.step, "count"), write(member.last_step, "count")
            place = info.queue_place
            st.caption(progress.format(step=step, last_step=last_step, place=place))

    look()
