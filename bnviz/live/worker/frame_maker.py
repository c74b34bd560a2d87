"""One frame of a run on its way: a frozen moment, measured in pieces while the run steps on."""

from __future__ import annotations

import time

import torch

from bnviz.change_log import ChangeLog
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body, plain_gestures
from bnviz.live.worker.probe_schedule import BASE, FRAME, FrameScope, ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.probes import PROBES
from bnviz.records import Snapshot
from bnviz.story import tell


class FrameMaker:
    """Makes one frame; `work` takes a slice.

    Attributes:
        step: at which the run was frozen.
        urgent: somebody waits for this frame.
        began: when, by `time.perf_counter`.
        spent: seconds of CPU time so far.
        body: the frame, when it is ready.
    """

    def __init__(
        self, experiment: Experiment, log: ChangeLog, probe_schedule: ProbeSchedule,
        scope: FrameScope, *, urgent: bool = False, replayed: bool = False,
    ) -> None:  # fmt: skip
        """Freeze a run.

        Args:
            experiment: between two steps.
            log: its live changes so far.
            probe_schedule: chooses the probes; learns what they cost.
            scope: what is measured.
            urgent: see above.
            replayed: a frame of the past: the experiment stands still until it is ready.
        """
        self.began = began = time.perf_counter()
        cpu = time.thread_time()
        self.step, self.urgent = experiment.step_number, urgent
        self.spent, self.body = 0.0, b""
        self._log, self._replayed = log, replayed
        # The log may grow before the frame is ready.
        self._gestures = plain_gestures(log.until(self.step))
        self._probe_schedule, self._seconds = probe_schedule, dict[str, float]()
        probe_schedule.frame_began(began)
        names = probe_schedule.chosen(self.step, began, scope, urgent=urgent)
        moment = experiment.moment(frozen=not replayed)
        self._config = experiment.initial_config
        self._pieces: Pieces[Snapshot] = moment.measure(names, self._seconds)
        self._snapshot: Snapshot | None = None
        self.spent = time.thread_time() - cpu

    def work(self, deadline: float) -> bool:
        """Measure until `deadline`. Returns whether the frame is ready."""
        began = time.thread_time()
        if self._snapshot is None:
            self._measure(deadline)
        else:
            self._encode()
        spent = time.thread_time() - began
        self.spent += spent
        self._probe_schedule.charge(spent)
        if self.body:
            self._learn_cost()
        return bool(self.body)

    def _measure(self, deadline: float) -> None:
        try:
            with torch.no_grad():
                while True:
                    next(self._pieces)
                    if time.perf_counter() >= deadline:
                        return
        except StopIteration as end:
            self._snapshot = self._probe_schedule.take(end.value, self._seconds, self.began)
        if time.perf_counter() < deadline:
            self._encode()

    def _encode(self) -> None:
        assert self._snapshot is not None
        story = tell(self._snapshot, self._config, self._log)
        self.body = encode_body(
            self._snapshot, gestures=self._gestures, story=story, replayed=self._replayed
        )

    def _learn_cost(self) -> None:
        """Learn what a frame without its expensive probes costs."""
        cheap = {BASE, *(name for name, entry in PROBES.items() if entry.cheap)}
        expensive = sum(cost for name, cost in self._seconds.items() if name not in cheap)
        self._probe_schedule.learn_cost(FRAME, max(0.0, self.spent - expensive))
