"""The search for each network's best rate, in slices in the background of a run."""

from __future__ import annotations

import time
from typing import Any

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import number
from bnviz.live.worker.builder import ExperimentBuild
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.run import WorkerRun
from bnviz.pieces import Pieces
from bnviz.planned_runs.best_rate import BestRates, search_best_rates

# What may change in a run besides the rates that are tried.
KEPT_KNOBS = tuple(name for name in LIVE_KNOBS if name not in ("learning_rate", "learning_rates"))


class BestSearch:
    """A background job of a run: trains its networks at other learning rates and compares."""

    what = "best rates"

    def __init__(self, run: WorkerRun, send: Send) -> None:
        self.done = False
        self.run, self._send = run, send
        self._building: ExperimentBuild | None = None
        self._config = RunConfig(**run.log.now)
        self._search = search_best_rates(self._config, build=self._build, progress=self._progressed)
        self._told = 0

    def _build(self, config: RunConfig) -> Pieces[Experiment]:
        self._building = building = ExperimentBuild(config)
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

    def _progressed(self, share: float) -> None:
        """A whole percent more is news."""
        percent = int(100 * share)
        if percent > self._told:
            self._told = percent
            self._say("searching", share=share)

    def give_up(self) -> None:
        """It cannot go on: nobody is to wait for it."""
        self._say("searching", share=None)

    def _say(self, kind: str, **facts: Any) -> None:
        self._send(
            {"type": kind, "run": self.run.id, "generation": self.run.generation, **facts}
        )  # fmt: skip

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
        # Of a run whose other knobs are set otherwise since, this says nothing.
        knobs = {name: getattr(self._config, name) for name in KEPT_KNOBS}
        self._say("best", rates=rates, tried=tried, steps=found.steps, knobs=knobs)
