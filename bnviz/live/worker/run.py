"""One run inside a worker: what the hub and the scheduler ask of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from bnviz.change_log import ChangeLog
from bnviz.config import RunConfig
from bnviz.live.protocol.frames import read_change
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.measurer_link import MeasurerLink
from bnviz.live.worker.probe_schedule import Costs, ProbeSchedule
from bnviz.live.worker.reports import Reports, Send
from bnviz.live.worker.run_work import RunWork


class WorkerRun:
    """A run as its worker sees it. `work` takes one slice, `due` says when the next is due.

    Attributes:
        id: of the run.
        generation: how often the hub has started it on a worker; see `Run`.
        config: at step 0.
        log: all live changes so far.
        probe_schedule: what is measured here, and what it costs.
        checkpoints: those that are kept here.
    """

    def __init__(
        self, start: Header, checkpoint: bytes | None, send: Send, costs: Costs,
        link: MeasurerLink,
    ) -> None:  # fmt: skip
        """Begin to build the run.

        Args:
            start: the hub's message that starts it.
            checkpoint: to begin from; None: from step 0.
            send: takes a message for the hub.
            costs: what probes cost on such networks; read at first, added to.
            link: to the process that measures what takes long.
        """
        self.id: str = start["run"]
        self.generation: int = start["generation"]
        self.config = RunConfig(**start["config"])
        self.log = ChangeLog(self.config.model_dump(), map(read_change, start["log"]))
        self.probe_schedule = ProbeSchedule(start["wants"], costs)
        self._largest_checkpoint: int = start["checkpoint_bytes"]
        self._reports = Reports(self.id, self.generation, start["order"], send)
        self._work = work = RunWork(
            start, self.config, checkpoint, self.log, self.probe_schedule, self._reports, link
        )
        self._stepping, self._showing = work.stepping, work.showing
        self.checkpoints = work.checkpoints

    # What the hub asks for.

    def change(self, number: int, values: dict[str, Any], drag: int = 0) -> None:
        """Apply live knobs before the next step, or once the run is where it should be."""
        self._work.change(number, values, drag)

    def control(self, order: int, playing: bool, pace: str, awake: bool, seen: bool) -> None:
        """Play or pause, at a pace, while somebody watches or while nobody does."""
        self._reports.order = order
        if self._stepping.playing and not playing:
            self._showing.want("full")
        self._stepping.control(self.step, time.perf_counter(), playing=playing, pace=pace)
        self._showing.watch(self.step, awake=awake, seen=seen)
        self._reports.state(self.step, self._stepping, None)
        self._work.measure_missing()

    def single_step(self) -> None:
        """One step more, paused."""
        self._stepping.single_step()

    def want(self, probes: Sequence[str]) -> None:
        """Measure these probes: somebody's charts draw them."""
        self.probe_schedule.want(probes)
        self._work.measure_missing()

    def offer_checkpoint(self, fork: str, step: int) -> None:
        """Send the kept checkpoint nearest below a step, for a fork in another worker; without
        bytes if there is none, or none that may travel.
        """
        at, checkpoint = self.checkpoints.nearest(step) or (0, b"")
        fits = len(checkpoint) <= self._largest_checkpoint
        self._reports.send("checkpoint_for", checkpoint if fits else b"", fork=fork, step=at)

    def acknowledge(self) -> None:
        """The hub took the last frame."""
        self._showing.acknowledge()

    # What the scheduler asks for.

    @property
    def step(self) -> int:
        """The step the run is at, or is on its way to."""
        return self._work.step

    @property
    def step_seconds(self) -> float:
        """How long a step of one network takes."""
        return self._stepping.step_seconds

    @property
    def framing(self) -> bool:
        """Whether a frame is in the making."""
        return self._showing.framing

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for a frame, and may before the work of other runs."""
        return not self._stepping.under_way and self._showing.urgent

    @property
    def what(self) -> str:
        """The kind of work that the last slice did."""
        return self._work.what

    @property
    def used(self) -> float:
        """Seconds of the worker's time; the scheduler keeps account of them."""
        return self._work.used

    @used.setter
    def used(self, seconds: float) -> None:
        self._work.used = seconds

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        return self._work.due(now)

    def work(self, deadline: float) -> None:
        """One slice: pieces of work until `deadline`, or until there is nothing to do."""
        while self._work.piece(deadline) and time.perf_counter() < deadline:
            pass

    def accrue(self, seconds: float, runs: float) -> None:
        """Earn a share of the worker's time for measuring, one of `runs` that work."""
        self.probe_schedule.accrue(seconds, runs, full_pace=self._stepping.full_pace)

    def take_slow_values(self, header: Header, payload: bytes) -> None:
        """Take in the values of slow probes; they go into the next frame."""
        self._work.take_slow_values(header, payload)

    def close(self) -> None:
        """The run is over here."""
        self._work.close()
