"""What one run has measured apart: one request at a time, and what came of it."""

from __future__ import annotations

import time

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.measurer_link import MeasurerLink
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.training.checkpoint import unpack


class SlowProbes:
    """The requests of one run."""

    def __init__(
        self,
        run: str,
        generation: int,
        config: RunConfig,
        measuring: ProbeSchedule,
        link: MeasurerLink,
    ) -> None:
        self._run, self._generation, self._config = run, generation, config
        self._probe_schedule, self._link = measuring, link
        self._asked_at = 0.0

    def ask(self, experiment: Experiment, names: tuple[str, ...]) -> Pieces[None]:
        """Hand over a checkpoint, made in pieces; the run stands still meanwhile.

        Args:
            experiment: between two steps.
            names: the probes to measure.
        """
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
        if header["type"] != "measured":
            self._probe_schedule.give_up(header["names"])
            return False
        found = unpack(payload)
        self._probe_schedule.take_apart(header["step"], found, header["seconds"], self._asked_at)
        return True
