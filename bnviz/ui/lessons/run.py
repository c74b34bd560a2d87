"""The run of a lesson: started for what the address says, read when it has come to its end."""

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

STATE = "lesson_runs"
# Why a run goes no further, whoever plays it.
OVER = ("diverged", "limit", "failed")


@dataclass(frozen=True)
class LessonRun:
    """A lesson's run in this tab.

    Attributes:
        lab: what the tab shows of it.
        config: with what it was asked to begin.
        plan: its schedule.
    """

    lab: TabRun
    config: RunConfig
    plan: Plan

    @property
    def step(self) -> int:
        """The newest step shown; 0 where there is no run."""
        info = self.lab.info()
        return info.step if info else 0

    @property
    def finished(self) -> bool:
        """Whether it has come to the last step of its schedule, or goes no further."""
        return bool(self.lab.run_id) and (self.step >= self.plan.last_step or self.ended)

    @property
    def ended(self) -> bool:
        """Whether it goes no further, wherever it stands."""
        info = self.lab.info()
        return info is not None and _over(info)

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself, or will as soon as the page looks at it."""
        info = self.lab.info()
        if info is None:
            return False
        return info.status in ("running", "queued") or info.reason == "unwatched"

    def play(self) -> None:
        """Let it go on."""
        try:
            current_hub().play(self.lab.owner, self.lab.run_id)
        except LiveError as error:
            self.lab.notify("refused", message=str(error))

    def watched(self) -> Watched:
        """What was measured in it so far."""
        info = self.lab.info()
        if info is None:
            return Watched(snapshots=(), config=self.config)
        return Watched(
            snapshots=current_hub().snapshots(self.lab.run_id), config=info.initial_config,
            changes=info.changes, ended=_over(info),
        )  # fmt: skip


def _over(info: RunInfo) -> bool:
    """Whether a run goes no further."""
    return info.status != "running" and info.reason in OVER


def open_lesson_run(lesson: Lesson, visit: LessonQuery) -> LessonRun:
    """The run of a lesson's block, started over where the address asks for another setting.

    Raises:
        ConfigError: the knobs of the address do not go together.
    """
    config, plan = visit.setting(lesson)
    waits = visit.waits(lesson)
    # On the stage somebody plays it, when the class has guessed.
    paused = waits or visit.present
    name = f"lesson:{lesson.name}"
    asked: dict[str, tuple[RunConfig, Plan]] = st.session_state.setdefault(STATE, {})
    lab = open_page_run(
        name, config, plan=plan, paused=paused, run_id=_same_run(visit, config, plan, waits=waits),
        large=visit.present, hide=("edge",),
        extra_probes=probes_of(chart for chart, _ in lesson.charts),
    )  # fmt: skip
    lab.query.present = visit.present
    if asked.setdefault(name, (config, plan)) != (config, plan):
        asked[name] = (config, plan)
        lab.plan, lab.pace, lab.notices = plan, "plan", []
        lab.start(config, paused=paused)
    running = LessonRun(lab, config, plan)
    if waits and running.step > 0:
        # Back led to before the guess: what comes must not stand there yet.
        lab.start(config, paused=True)
    return running


def _same_run(visit: LessonQuery, config: RunConfig, plan: Plan, *, waits: bool) -> str | None:
    """The run of the address, if it still lives, began with what the address says, and follows it.

    Another browser's can only be looked at: in a frame, or when it has come to its end. Who is to
    play it gets a run of their own.
    """
    info = current_hub().info(visit.run) if visit.run else None
    if info is None or (info.initial_config, info.plan) != (config, plan):
        return None
    finished = info.step >= plan.last_step or _over(info)
    seen = visit.embed or (not waits and finished)
    return visit.run if seen or info.owner_is(owner()) else None
