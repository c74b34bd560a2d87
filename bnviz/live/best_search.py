"""The search for each network's best rate, in slices beside a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from bnviz.best_rate import BestRates, search
from bnviz.live.frames import number

if TYPE_CHECKING:
    from bnviz.live.worker_run import Send, WorkerRun


class BestSearch:
    """A job beside a run: what could have been at other learning rates, by running them."""

    weight = 0.25
    urgent = False

    def __init__(self, run: WorkerRun, send: Send) -> None:
        self.used, self.done = run.used, False
        self._run, self._send = run, send
        config = run.config
        for change in run.log:
            config = config.replace(**change.values)
        self._search = search(config)

    def due(self, now: float) -> float:
        """When there is work: always."""
        return now

    def work(self, deadline: float) -> None:
        """A few steps of the run at hand."""
        while not self.done:
            try:
                next(self._search)
            except StopIteration as end:
                self.done = True
                self._tell(end.value)
            if time.perf_counter() >= deadline:
                return

    def _tell(self, found: BestRates) -> None:
        tried: list[dict[str, Any]] = [
            {
                "norm": run.norm, "rate": run.rate, "accuracy": number(run.accuracy),
                "loss": number(run.loss), "state": run.state,
            }
            for run in found.tried
        ]  # fmt: skip
        rates = {
            norm: {"rate": rate, "accuracy": number(accuracy)}
            for norm, (rate, accuracy) in found.best.items()
        }
        facts = {"rates": rates, "tried": tried, "steps": found.steps}
        self._send({"type": "best", "run": self._run.id, "epoch": self._run.epoch, **facts})
