"""Runs that a page starts on the hub, one after another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from bnviz.config import RunConfig
from bnviz.live import LiveError, current_hub
from bnviz.live.runs.parsed_frames import HistoryRecords
from bnviz.live.runs.run import RunInfo
from bnviz.planned_runs.plan import Plan
from bnviz.ui.html import tag
from bnviz.ui.live_view import LiveViewSpec, mount_live_view
from bnviz.ui.tab_run import TabRun, close_page_run, open_page_run
from bnviz.words.numbers import write
from bnviz.words.texts import texts

# Interval in seconds at which the page checks whether the current run has ended.
POLL_SECONDS = 0.5
CHART = "accuracy"
# Pace of the runs of a series. At full pace, a run spends little time on frames.
PACE = "full"
# Pause reasons that mean that the run has ended.
ENDED = ("plan", "diverged", "limit")


class PlannedRun(NamedTuple):
    """Run of a series: its index, counted from 0, and the arguments of its request to the hub."""

    place: int
    config: RunConfig
    plan: Plan
    probes: tuple[str, ...] = ()


@dataclass(kw_only=True)
class TabSeries(ABC):
    """Series of runs in this tab, started one by one until all have ended or the series is stopped.

    Attributes:
        opened: Index of the run that was requested last, or None before the first request.
        problem: Reason why the series stopped, or "".
    """

    running: bool = False
    opened: int | None = None
    problem: str = ""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the series' runs in this tab."""

    @property
    @abstractmethod
    def planned(self) -> PlannedRun | None:
        """Current run, or the next run if none has started; None if all runs have ended."""

    @abstractmethod
    def take(self, info: RunInfo) -> bool:
        """Return whether the current run has ended; if so, store its results."""

    @abstractmethod
    def fail(self, message: str) -> None:
        """Record that the current run has failed."""

    def start(self) -> None:
        self.running, self.opened, self.problem = True, None, ""

    def stop(self, problem: str = "") -> None:
        """Stop the series and keep its results."""
        self.running, self.problem = False, problem
        close_page_run(self._run_name)

    @property
    def _run_name(self) -> str:
        return f"series:{self.name}"

    def advance(self) -> TabRun | None:
        """Return the current run; if it has ended, store its results and start the next run."""
        words = texts("series")
        while self.running and (planned := self.planned) is not None:
            run = self._open(planned)
            info = run.info()
            if info is None:
                why = run.notices[-1].text() if run.notices else ""
                self.stop(words["refused"].format(message=why) if why else words["gone"])
            elif info.error is not None:
                self.fail(info.error)
            elif not self.take(info):
                return run
        self.stop(self.problem)
        return None

    def _open(self, planned: PlannedRun) -> TabRun:
        """Return the tab's run for a planned run, and start it if necessary."""
        place, config, plan, probes = planned
        run = open_page_run(
            self._run_name, config, plan=plan, pace=PACE, hide=("edge",), extra_probes=probes
        )
        if self.opened not in (None, place):
            before, run.plan, run.pace, run.notices = run.run_id, plan, PACE, []
            run.extra_probes = probes
            run.start(config)
            if run.run_id == before:
                run.leave()
                run.run_id = ""
        self.opened = place
        return run

    def draw(self, run: TabRun, title: str) -> None:
        """Draw the current run's live view, and rerun the script when the run has ended.

        The hub suspends a run without viewers, so the series pauses if the visitor leaves the page.
        """
        words, planned = texts("series"), self.planned
        st.html(tag("p", title, class_="series-now", role="status"))
        key = f"series_view_{self.name}"
        mount_live_view(run, LiveViewSpec(key=key, charts=((CHART, "full"),), parts=(), knobs=()))

        @st.fragment(run_every=POLL_SECONDS)
        def look() -> None:
            info = run.info()
            if planned is None or info is None or info.error is not None or self.take(info):
                st.rerun()
            key = "asleep" if info.reason == "unwatched" else "progress"
            progress = words[key if info.queue_place is None else "waiting"]
            step, last_step = write(info.step, "count"), write(planned.plan.last_step, "count")
            st.caption(progress.format(step=step, last_step=last_step, place=info.queue_place))

        look()


def records_at_end(info: RunInfo) -> HistoryRecords | None:
    """Return the records of an ended run, or None until the hub has stored the run's last step."""
    if info.status == "running" or info.reason not in ENDED:
        return None
    try:
        kept = current_hub().snapshots(info.id)
    except LiveError:
        return None
    return kept if kept.steps and kept.steps[-1] == info.step else None
