"""Run of a lesson: starting it as its address requires, and reading its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.observation import Observation
from bnviz.live import LiveError, current_hub
from bnviz.live.protocol.pace import PLANNED
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.comparison import ComparisonResult
from bnviz.planned_runs.plan import Plan
from bnviz.records import Snapshot
from bnviz.ui.comparison import with_ended
from bnviz.ui.lab_query import probes_of
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.successive_runs import ENDED as MEMBER_ENDED
from bnviz.ui.successive_runs import PACE as FULL
from bnviz.ui.tab_run import TabRun, open_page_run, page_run
from bnviz.ui.visitor import owner

# Session-state key of the setting with which each lesson's run was started.
STATE = "lesson_runs"
# Session-state key of the comparison results, by lesson and seed. The present seed comes last.
COMPARISONS = "lesson_comparisons"
# Reasons for which a run cannot continue, even if a visitor presses Play.
ENDED = ("diverged", "limit", "failed")


@dataclass(frozen=True)
class LessonRun:
    """A lesson's run in this tab, during one run of the Streamlit script.

    The run's state is read once, so that all parts of the page show the same step.

    Attributes:
        tab_run: run that the tab shows; in a comparison, the current run.
        comparing: results so far if the lesson compares several runs, or None.
        others: complete results of the same settings with other seeds, oldest first.
    """

    tab_run: TabRun
    config: RunConfig
    plan: Plan
    comparing: ComparisonResult | None = None
    others: tuple[ComparisonResult, ...] = ()

    @cached_property
    def _info(self) -> RunInfo | None:
        return self.tab_run.info()

    @property
    def step(self) -> int:
        return self._info.step if self._info else 0

    @property
    def begun(self) -> bool:
        """Return whether the run has visible results."""
        return self.step > 0 or (self.comparing is not None and bool(self.comparing.members))

    @property
    def finished(self) -> bool:
        """Return whether the run, or every run of a comparison, is complete or cannot continue."""
        if not self.tab_run.run_id:
            return False
        if self.comparing is not None:
            return self.comparing.complete
        return self.step >= self.plan.last_step or reason_of(self._info) in ENDED

    @property
    def is_measured_later(self) -> bool:
        """Return whether missing measurements will come: the run stands at its last step.

        They never come if the run was continued in the lab past its last step, or if a network's
        mini-batch is too small for its norm.
        """
        ended = self.finished and self.step == self.plan.last_step
        return ended and not self.observed.stands_still

    @property
    def lags(self) -> bool:
        """Return whether a compared run has ended, but its last step is not known in this tab."""
        several = self.comparing is not None and not self.comparing.complete
        return several and reason_of(self._info) in MEMBER_ENDED

    @property
    def playing(self) -> bool:
        return plays(self._info)

    def play(self) -> None:
        """Let the run continue, or show a notice with the reason why it cannot."""
        try:
            current_hub().play(self.tab_run.owner, self.tab_run.run_id)
        except LiveError as error:
            self.tab_run.tell(error.phrase)

    @cached_property
    def observed(self) -> Observation:
        info, compared = self._info, self.comparing
        if info is None:
            return Observation(snapshots=(), config=self.config, compared=compared)
        snapshots = current_hub().snapshots(self.tab_run.run_id)
        observed = observed_run(info, snapshots)
        if compared is None:
            return observed
        return replace(observed, config=compared.comparison.first, compared=compared)


def observed_run(info: RunInfo, snapshots: Sequence[Snapshot]) -> Observation:
    """Convert a run's state and snapshots from the hub into the input of a verdict."""
    return Observation(
        snapshots=snapshots, config=info.initial_config, changes=info.changes,
        ended=reason_of(info) in ENDED,
    )  # fmt: skip


def plays(info: RunInfo | None) -> bool:
    """Return whether a run continues by itself, now or as soon as a page watches it."""
    return info is not None and (info.status in ("running", "queued") or info.reason == "unwatched")


def reason_of(info: RunInfo | None) -> str | None:
    """Return the reason why a run does not continue, or None."""
    return None if info is None or info.status == "running" else info.reason


def open_comparison(
    lesson: Lesson, query: LessonQuery, run: TabRun | None
) -> tuple[ComparisonResult | None, tuple[ComparisonResult, ...]]:
    """Return the lesson's comparison so far, and the complete results of other seeds.

    The comparison is None for a single run, such as a try-it experiment, and empty before a guess.
    If the results of a seed are complete, its runs are not repeated.

    Raises:
        ConfigError: The knobs of the address are incompatible.
    """
    if lesson.compares is None or query.broken is not None:
        return None, ()
    comparison = lesson.compares(query.setting(lesson)[0])
    kept: dict[str, dict[int, ComparisonResult]] = st.session_state.setdefault(COMPARISONS, {})
    by_seed = {
        seed: each for seed, each in kept.get(lesson.name, {}).items()
        if each.comparison.with_seed(query.seed) == comparison
        and (each.complete or seed == query.seed)
    }  # fmt: skip
    known, empty = by_seed.pop(query.seed, None), ComparisonResult(comparison=comparison)
    result = empty if query.waits(lesson) else _taken(known or empty, run)
    kept[lesson.name] = by_seed | {query.seed: result}
    return result, tuple(by_seed.values())


def _taken(result: ComparisonResult, run: TabRun | None) -> ComparisonResult:
    """Return the result, with `run` added if it is the comparison's current run and has ended."""
    info = run.info() if run else None
    if info is None or result.complete or info.changes:
        return result
    if (info.initial_config, info.plan) != (result.config, result.comparison.plan):
        return result
    return with_ended(result, info) or result


def open_lesson_run(lesson: Lesson, query: LessonQuery) -> LessonRun:
    """Open the run of a lesson, and restart it if the address has other settings than before.

    In a comparison, open the next run that has not ended.

    Raises:
        ConfigError: The knobs of the address are incompatible.
    """
    name = f"lesson:{lesson.name}"
    comparing, others = open_comparison(lesson, query, page_run(name))
    config, plan = query.setting(lesson)
    if comparing is not None:
        config, plan = comparing.config, comparing.comparison.plan
    waits = query.waits(lesson)
    # In the presentation view, a person starts the first run, after the class has voted. Later runs
    # of a comparison start by themselves.
    begun = comparing is not None and bool(comparing.members)
    paused = waits or (query.present and not begun)
    started: dict[str, tuple[RunConfig, Plan]] = st.session_state.setdefault(STATE, {})
    probes = probes_of(chart for chart, _ in lesson.charts_of(query.broken))
    of_address = _run_of_address(query, config, plan, waits=waits)
    pace = FULL if query.again else PLANNED
    tab_run = open_page_run(
        name, config, plan=plan, pace=pace, paused=paused, large_type=query.present, hide=("edge",),
        run_id=of_address, extra_probes=probes,
    )  # fmt: skip
    tab_run.query.present = query.present
    if query.led and of_address is not None and of_address != tab_run.run_id:
        # Back or Forward returns to an earlier run.
        started[name] = (config, plan)
        tab_run.plan, tab_run.extra_probes, tab_run.notices = plan, probes, []
        tab_run.show_again(of_address)
    elif started.setdefault(name, (config, plan)) != (config, plan):
        started[name] = (config, plan)
        tab_run.plan, tab_run.pace, tab_run.notices = plan, pace, []
        tab_run.extra_probes = probes
        tab_run.start(config, paused=paused)
    info = tab_run.info()
    if waits and info is not None and info.step > 0:
        # Back returned to the time before the guess, so hide the results. Forward shows them again.
        tab_run.pace = pace
        tab_run.start(config, paused=True, led=True)
    elif query.again and query.led and info is not None and info.step == 0 and not plays(info):
        # The run was paused until a guess, and the browser has now sent the guess of an earlier
        # visit.
        tab_run.pace = pace
        tab_run.start(config)
    elif comparing and not comparing.complete and info is not None and info.changes:
        # A visitor has set a knob of this run in the lab, so it no longer belongs to the
        # comparison.
        tab_run.start(config)
    return LessonRun(tab_run, config, plan, comparing, others)


def _run_of_address(
    query: LessonQuery, config: RunConfig, plan: Plan, *, waits: bool
) -> str | None:
    """Return the id of the run in the address if this tab may show that run, otherwise None.

    The run must still exist, with this initial config and schedule. Another browser's run is shown
    only in a frame or after its end.
    """
    info = current_hub().info(query.run) if query.run else None
    if info is None or (info.initial_config, info.plan) != (config, plan):
        return None
    finished = info.step >= plan.last_step or reason_of(info) in ENDED
    watched_only = query.embed or (not waits and finished)
    return query.run if watched_only or info.owner_is(owner()) else None
