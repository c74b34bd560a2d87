"""The search for each network's best learning rate, as a background job of a run."""

from __future__ import annotations

import time

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.experiment import Experiment
from bnviz.live.worker.builder import Builder
from bnviz.live.worker.run import WorkerRun
from bnviz.planned_runs.best_rate import STEPS, search_best_rates
from bnviz.records import json_number

# The live knobs besides the learning rates, which are tried.
KEPT_KNOBS = tuple(name for name in LIVE_KNOBS if name not in ("learning_rate", "learning_rates"))


class BestSearch(Builder):
    """Trains a run's networks at other learning rates, and reports progress and result to the hub.

    Args:
        run: whose knobs it takes as they are now.
    """

    kind_of_work = "best rates"

    def __init__(self, run: WorkerRun) -> None:
        self.done = False
        self.run = run
        self._config = RunConfig(**run.log.now)
        self._search = search_best_rates(
            self._config,
            build=lambda config: self.build(config, lambda: Experiment(config)),
            progress=self._report_progress,
        )
        self._reported_percent = 0

    def work(self, deadline: float) -> None:
        """Train until `deadline`, or until networks have to be built."""
        while not self.done:
            try:
                next(self._search)
            except StopIteration as end:
                self.done = True
                self._report(end.value)
            if self.building is not None or time.perf_counter() >= deadline:
                return

    def _report_progress(self, share: float) -> None:
        """Tell the hub which share is done, 0 to 1, at most once a percent."""
        percent = int(100 * share)
        if percent > self._reported_percent:
            self._reported_percent = percent
            self.run.hub.send("searching", share=share)

    def give_up(self) -> None:
        """Tell the hub that the search has failed, so that nobody waits for it."""
        self.run.hub.send("searching", share=None)

    def _report(self, best: dict[str, tuple[float, float]]) -> None:
        rates = {
            norm: {"rate": rate, "accuracy": json_number(accuracy)}
            for norm, (rate, accuracy) in best.items()
        }
        # The result holds for these knobs only: who reads it compares them with those of the run.
        knobs = {name: getattr(self._config, name) for name in KEPT_KNOBS}
        self.run.hub.send("best", rates=rates, steps=STEPS, knobs=knobs)
