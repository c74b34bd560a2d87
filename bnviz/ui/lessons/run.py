"""The run of a lesson: started as its address asks, and read when it has ended."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Lesson
from bnviz.lessons.watched import Watched
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.plan import Plan
from bnviz.ui.lab_query import probes_of
from bnviz.ui.lessons.query import LessonQuery
from bnviz.ui.tab_run import TabRun, open_page_run, owner

# Key in the tab's session: the setting with which each lesson's run was started.
STATE = "lesson_runs"
# Why a run cannot go on, even if somebody plays it.
ENDED = ("diverged", "limit", "failed")


@dataclass(frozen=True)
class LessonRun:
    """A lesson's run in this tab.

    Attributes:
        tab_run: the run as the tab shows it.
        config: the config with which it was started.
        plan: its schedule.
    """

    tab_run: TabRun
    config: RunConfig
    plan: Plan

    @property
    def step(self) -> int:
        """The newest step; 0 where there is no run."""
        info = self.tab_run.info()
        return info.step if info else 0

    @property
    def finished(self) -> bool:
        """Whether it has reached the last step of its schedule, or cannot go on."""
        return bool(self.tab_run.run_id) and (self.step >= self.plan.last_step or self.ended)

    @property
    def ended(self) -> bool:
        """Whether it cannot go on, at whatever step it is."""
        info = self.tab_run.info()
        return info is not None and _has_ended(info)

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself, now or as soon as somebody looks at it."""
        info = self.tab_run.info()
        if info is None:
            return False
        return info.status in ("running", "queued") or info.reason == "unwatched"

    def play(self) -> None:
        """Let the run go on; a notice says why not."""
        try:
            current_hub().play(self.tab_run.owner, self.tab_run.run_id)
        except LiveError as error:
            self.tab_run.notify("refused", message=str(error))

    def watched(self) -> Watched:
        """What was measured in the run so far."""
        info = self.tab_run.info()
        if info is None:
            return Watched(snapshots=(), config=self.config)
        return Watched(
            snapshots=current_hub().snapshots(self.tab_run.run_id), config=info.initial_config,
            changes=info.changes, ended=_has_ended(info),
        )  # fmt: skip


def _has_ended(info: RunInfo) -> bool:
    return info.status != "running" and info.reason in ENDED


def open_lesson_run(lesson: Lesson, query: LessonQuery) -> LessonRun:
    """The run of a lesson, started over where the address asks for another setting than before.

    Raises:
        ConfigError: the knobs of the address do not go together.
    """
    config, plan = query.setting(lesson)
    waits = query.waits(lesson)
    # On the stage somebody plays it, when the class has guessed.
    paused = waits or query.present
    name = f"lesson:{lesson.name}"
    started: dict[str, tuple[RunConfig, Plan]] = st.session_state.setdefault(STATE, {})
    probes = probes_of(chart for chart, _ in lesson.charts_of(query.broken))
    tab_run = open_page_run(
        name, config, plan=plan, paused=paused, large=query.present, hide=("edge",),
        run_id=_run_of_address(query, config, plan, waits=waits),
        extra_probes=probes,
    )  # fmt: skip
    tab_run.query.present = query.present
    if started.setdefault(name, (config, plan)) != (config, plan):
        started[name] = (config, plan)
        tab_run.plan, tab_run.pace, tab_run.notices = plan, "plan", []
        tab_run.extra_probes = probes
        tab_run.start(config, paused=paused)
    run = LessonRun(tab_run, config, plan)
    if waits and run.step > 0:
        # Back led to before the guess: the page must not show the answer yet.
        tab_run.start(config, paused=True)
    return run


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
    finished = info.step >= plan.last_step or _has_ended(info)
    watched_only = query.embed or (not waits and finished)
    return query.run if watched_only or info.owner_is(owner()) else None
