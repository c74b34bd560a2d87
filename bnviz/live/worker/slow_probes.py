"""What one run has measured apart: one request at a time, and what came of it."""

from __future__ import annotations

import time

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.worker.measurer_link import MeasurerLink
from bnviz.live.worker.probe_schedule import Measuring
from bnviz.live.protocol.wire import Header
from bnviz.pieces import Pieces
from bnviz.training.checkpoint import unpack


class Apart:
    """The requests of one run."""

    def __init__(
        self, run: str, epoch: int, config: RunConfig, measuring: Measuring, link: MeasurerLink
    ) -> None:
        self._run, self._epoch, self._config = run, epoch, config
        self._measuring, self._link = measuring, link
        self._asked_at = 0.0

    def ask(self, experiment: Experiment, names: tuple[str, ...]) -> Pieces[None]:
        """Hand over a checkpoint, made in pieces; the run stands still meanwhile.

        Args:
            experiment: between two steps.
            names: the probes to measure.
        """
        self._asked_at = time.perf_counter()
        self._measuring.under_way = names
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self._link.ask(
            {
                "type": "measure", "run": self._run, "epoch": self._epoch,
                "config": self._config.model_dump(), "names": names,
                "step": experiment.step_number,
            },
            checkpoint,
        )  # fmt: skip

    def answer(self, header: Header, payload: bytes) -> bool:
        """Take in what came of it. Returns whether there are values."""
        if header["type"] != "measured":
            self._measuring.give_up(header["names"])
            return False
        found = unpack(payload)
        self._measuring.take_apart(header["step"], found, header["seconds"], self._asked_at)
        return True
