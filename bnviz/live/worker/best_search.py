"""The search for each network's best rate, in slices in the background of a run."""

from __future__ import annotations

import time
from typing import Any

from bnviz.best_rate import BestRates, search
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import number
from bnviz.live.worker.builder import Building
from bnviz.live.worker.reports import Send
from bnviz.live.worker.run import WorkerRun
from bnviz.pieces import Pieces


class BestSearch:
    """A background job of a run: trains its networks at other learning rates and compares."""

    what = "best rates"

    def __init__(self, run: WorkerRun, send: Send) -> None:
        self.done = False
        self.run, self._send = run, send
        self._building: Building | None = None
        self._search = search(RunConfig(**run.log.now), build=self._build)

    def _build(self, config: RunConfig) -> Pieces[Experiment]:
        self._building = building = Building(config)
        while not building.done:
            yield
        self._building = None
        return building.result()

    def close(self) -> None:
        """The run is over here."""
        if self._building is not None:
            self._building.abandon()

    def due(self, now: float) -> float:
        """When there is work: at any time but while networks are built."""
        return now if self._building is None else self._building.due(now)

    def work(self, deadline: float) -> None:
        """A few steps of the run at hand."""
        while not self.done:
            try:
                next(self._search)
            except StopIteration as end:
                self.done = True
                self._report(end.value)
            if self._building is not None or time.perf_counter() >= deadline:
                return

    def _report(self, found: BestRates) -> None:
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
        self._send({"type": "best", "run": self.run.id, "generation": self.run.generation, **facts})
