"""Slow probes of one run, measured in another process: when, and one request at a time."""

from __future__ import annotations

import math
import time

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.measurer_link import MeasurerLink
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.training.checkpoint import unpack

# How often it is looked whether something is to be measured.
LOOK_SECONDS = 0.1


class SlowProbes:
    """The requests of one run."""

    def __init__(
        self,
        run: str,
        generation: int,
        config: RunConfig,
        probe_schedule: ProbeSchedule,
        link: MeasurerLink,
    ) -> None:
        self._run, self._generation, self._config = run, generation, config
        self._probe_schedule, self._link = probe_schedule, link
        self._asked_at = 0.0
        self._due, self._looked_until = math.inf, -math.inf

    def due(self, step: int, now: float, *, standing: bool) -> float:
        """When to ask for something.

        Args:
            step: the run's.
            now: seconds of the monotonic clock.
            standing: the run stands still: everything is measured, once.
        """
        if standing:
            return now if self._probe_schedule.slow_due(step, now, standing=True) else math.inf
        # Asked many times a second: what it was a moment ago will do.
        if now >= self._looked_until:
            self._looked_until = now + LOOK_SECONDS
            self._due = self._probe_schedule.next_slow_due(now)
        return self._due

    def ask(self, experiment: Experiment, now: float, *, standing: bool) -> Pieces[None] | None:
        """Ask for what is due, if anything is; the arguments are those of `due`.

        Returns:
            The work for it, for which the run stands still.
        """
        names = self._probe_schedule.slow_due(experiment.step_number, now, standing=standing)
        if names:
            self._looked_until = -math.inf
            return self._hand_over(experiment, names)
        # What is old enough is of this very step.
        self._due, self._looked_until = math.inf, now + LOOK_SECONDS
        return None

    def _hand_over(self, experiment: Experiment, names: tuple[str, ...]) -> Pieces[None]:
        """Send a checkpoint, made in pieces, to have these probes measured on it."""
        self._asked_at = time.perf_counter()
        self._probe_schedule.under_way = names
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self._link.ask(
            {
                "type": "measure", "run": self._run, "generation": self._generation,
                "config": self._config.model_dump(), "names": names,
                "step": experiment.step_number,
            },
            checkpoint,
        )  # fmt: skip

    def answer(self, header: Header, payload: bytes) -> bool:
        """Take in what came of it. Returns whether there are values."""
        if header["generation"] != self._generation:
            return False
        if header["type"] != "measured":
            self._probe_schedule.give_up(header["names"])
            return False
        found = unpack(payload)
        self._probe_schedule.take_slow(header["step"], found, header["seconds"], self._asked_at)
        return True
