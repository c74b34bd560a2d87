"""The run of a lesson: started as its address asks, and read when it has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.watched import Watched
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

# Key in the tab's session: the setting with which each lesson's run was started.
STATE = "lesson_runs"
# Key in the tab's session: results by lesson and seed; the result of the present seed comes last.
COMPARISONS = "lesson_comparisons"
# Why a run cannot go on, even if somebody plays it.
ENDED = ("diverged", "limit", "failed")


@dataclass(frozen=True)
class LessonRun:
    """A lesson's run in this tab, as one run of the page's script sees it.

    The run is read once, where it is first asked for: what is drawn first and what is drawn last
    show the same step, whatever is measured meanwhile.

    Attributes:
        tab_run: the run as the tab shows it; of several that are compared, the present one.
        config: the config with which it was started.
        plan: its schedule.
        comparing: what was measured where the lesson's run is several; None: it is one.
        others: whole results of the same settings with other seeds, oldest first.
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
        """The newest step; 0 where there is no run."""
        return self._info.step if self._info else 0

    @property
    def begun(self) -> bool:
        """Whether something of it can be seen."""
        return self.step > 0 or (self.comparing is not None and bool(self.comparing.members))

    @property
    def finished(self) -> bool:
        """Whether it has come to the end of its schedule, or cannot go on; of several, all have."""
        if not self.tab_run.run_id:
            return False
        if self.comparing is not None:
            return self.comparing.complete
        return self.step >= self.plan.last_step or reason_of(self._info) in ENDED

    @property
    def lags(self) -> bool:
        """Whether one of several runs has ended whose last step is not yet known here."""
        several = self.comparing is not None and not self.comparing.complete
        return several and reason_of(self._info) in MEMBER_ENDED

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself, now or as soon as somebody looks at it."""
        return plays(self._info)

    def play(self) -> None:
        """Let the run go on; a notice says why not."""
        try:
            current_hub().play(self.tab_run.owner, self.tab_run.run_id)
        except LiveError as error:
            self.tab_run.tell(error.phrase)

    @cached_property
    def watched(self) -> Watched:
        """What was measured in the run so far."""
        info, compared = self._info, self.comparing
        if info is None:
            return Watched(snapshots=(), config=self.config, compared=compared)
        snapshots = current_hub().snapshots(self.tab_run.run_id)
        watched = watched_run(info, snapshots)
        if compared is None:
            return watched
        return replace(watched, config=compared.comparison.first, compared=compared)


def watched_run(info: RunInfo, snapshots: Sequence[Snapshot]) -> Watched:
    """A run as a verdict reads it, from what the hub knows of it."""
    return Watched(
        snapshots=snapshots, config=info.initial_config, changes=info.changes,
        ended=reason_of(info) in ENDED,
    )  # fmt: skip


def plays(info: RunInfo | None) -> bool:
    """Whether a run goes on by itself, now or as soon as somebody looks at it."""
    return info is not None and (info.status in ("running", "queued") or info.reason == "unwatched")


def reason_of(info: RunInfo | None) -> str | None:
    """Why a run stands; None where it does not."""
    return None if info is None or info.status == "running" else info.reason


def open_comparison(
    lesson: Lesson, query: LessonQuery, run: TabRun | None
) -> tuple[ComparisonResult | None, tuple[ComparisonResult, ...]]:
    """A lesson's comparison as measured so far, and the complete results of other seeds.

    None where its run is one, as that of a break is.

    Args:
        lesson: the lesson.
        query: what its address asks for; before a guess nothing is known. A seed that has run
            before is not run again.
        run: the lesson's run in this tab so far, or None.

    Raises:
        ConfigError: the knobs of the address do not go together.
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
    """The result with what the present member has measured, if `run` is its run and has ended."""
    info = run.info() if run else None
    if info is None or result.complete or info.changes:
        return result
    if (info.initial_config, info.plan) != (result.config, result.comparison.plan):
        return result
    return with_ended(result, info) or result


def open_lesson_run(lesson: Lesson, query: LessonQuery) -> LessonRun:
    """The run of a lesson, started over where the address asks for another setting than before.

    Of several that are compared it is the present one: the next, where the last one has ended.

    Raises:
        ConfigError: the knobs of the address do not go together.
    """
    name = f"lesson:{lesson.name}"
    comparing, others = open_comparison(lesson, query, page_run(name))
    config, plan = query.setting(lesson)
    if comparing is not None:
        config, plan = comparing.config, comparing.comparison.plan
    waits = query.waits(lesson)
    # On the stage somebody plays it, when the class has guessed; what follows follows by itself.
    begun = comparing is not None and bool(comparing.members)
    paused = waits or (query.present and not begun)
    started: dict[str, tuple[RunConfig, Plan]] = st.session_state.setdefault(STATE, {})
    probes = probes_of(chart for chart, _ in lesson.charts_of(query.broken))
    of_address = _run_of_address(query, config, plan, waits=waits)
    pace = FULL if query.again else PLANNED
    tab_run = open_page_run(
        name, config, plan=plan, pace=pace, paused=paused, large=query.present, hide=("edge",),
        run_id=of_address, extra_probes=probes,
    )  # fmt: skip
    tab_run.query.present = query.present
    if query.led and of_address is not None and of_address != tab_run.run_id:
        # Back or Forward leads to a run from before.
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
        # Back led to before the guess: the page must not show the answer yet. Forward leads to it.
        tab_run.pace = pace
        tab_run.start(config, paused=True, led=True)
    elif query.again and query.led and info is not None and info.step == 0 and not plays(info):
        # It waited for a guess until the browser said that there is one from before.
        tab_run.pace = pace
        tab_run.start(config)
    elif comparing and not comparing.complete and info is not None and info.changes:
        # Somebody has set a knob of it in the lab: it is no member any more.
        tab_run.start(config)
    return LessonRun(tab_run, config, plan, comparing, others)


def _run_of_address(
    query: LessonQuery, config: RunConfig, plan: Plan, *, waits: bool
) -> str | None:
    """The id of the run that the address names, if this tab may show it; else None.

    The run has to live still, and to have begun with this config and schedule. A run of another
    browser can only be watched: it is shown in a frame, or when it has ended.
    """
    info = current_hub().info(query.run) if query.run else None
    if info is None or (info.initial_config, info.plan) != (config, plan):
        return None
    finished = info.step >= plan.last_step or reason_of(info) in ENDED
    watched_only = query.embed or (not waits and finished)
    return query.run if watched_only or info.owner_is(owner()) else None
