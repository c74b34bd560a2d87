"""Background job of a run that searches for the best learning rate of each network."""

from __future__ import annotations

import time

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.experiment import Experiment
from bnviz.live.worker.builder import Builder
from bnviz.live.worker.run import WorkerRun
from bnviz.planned_runs.best_rate import STEPS, search_best_rates
from bnviz.records import json_number

# Live knobs that the search keeps: all except the learning rates, which it varies.
KEPT_KNOBS = tuple(name for name in LIVE_KNOBS if name not in ("learning_rate", "learning_rates"))


class BestSearch(Builder):
    """Search that trains a run's networks at other learning rates, with all other knobs kept."""

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
        """Train until `deadline`, or until a thread has to build networks."""
        while not self.done:
            try:
                next(self._search)
            except StopIteration as end:
                self.done = True
                self._report(end.value)
            if self.building is not None or time.perf_counter() >= deadline:
                return

    def _report_progress(self, share: float) -> None:
        """Report the search's finished share, 0 to 1, to the hub, at most once per percent."""
        percent = int(100 * share)
        if percent > self._reported_percent:
            self._reported_percent = percent
            self.run.hub.send("searching", share=share)

    def give_up(self) -> None:
        """Report a failed search to the hub, so that nobody waits for the result."""
        self.run.hub.send("searching", share=None)

    def _report(self, best: dict[str, tuple[float, float]]) -> None:
        rates = {
            norm: {"rate": rate, "accuracy": json_number(accuracy)}
            for norm, (rate, accuracy) in best.items()
        }
        # The result is valid only for these knobs, so browsers compare them with the current knobs
        # of the run.
        knobs = {name: getattr(self._config, name) for name in KEPT_KNOBS}
        self.run.hub.send("best", rates=rates, steps=STEPS, knobs=knobs)
