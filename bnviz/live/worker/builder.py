"""Building and restoring experiments on a thread of its own, one at a time.

It may take seconds (data from a disk, orthogonal weights of fifty layers), for which nobody's run
should stand still. Only the thread that asked uses what was built afterwards.

Getting an experiment to a step again: nearest checkpoint, then the log of changes replayed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.records import Change

# How often it is looked whether something is ready.
POLL_SECONDS = 0.01

Made = TypeVar("Made")

_building = threading.Lock()


class ThreadedBuild(Generic[Made]):
    """Something on its way.

    Attributes:
        seconds: of CPU time that it took; they count as work on the run that asked for it.
    """

    def __init__(self, config: RunConfig, make: Callable[[], Made]) -> None:
        """Begin.

        Args:
            config: whose data is needed; it is loaded first.
            make: gives it.
        """
        self.seconds, self._abandoned = 0.0, False
        self._result: Future[Made] = Future()
        threading.Thread(target=self._make, args=(config, make), daemon=True).start()

    @property
    def done(self) -> bool:
        """Whether it is there, or has failed."""
        return self._result.done()

    def result(self) -> Made:
        """What was made, once `done`.

        Raises:
            Exception: what went wrong.
        """
        return self._result.result()

    def abandon(self) -> None:
        """It is not needed any more: do not begin to make it, if that has not begun yet."""
        self._abandoned = True

    def due(self, now: float) -> float:
        """When to look."""
        return now if self.done else now + POLL_SECONDS

    def _make(self, config: RunConfig, make: Callable[[], Made]) -> None:
        try:
            # Data may have to be fetched from elsewhere, for which no other has to wait.
            load(config)
            with _building:
                if self._abandoned:
                    return
                began = time.thread_time()
                made = make()
                self.seconds = time.thread_time() - began
            self._result.set_result(made)
        except BaseException as problem:
            self._result.set_exception(problem)


class ExperimentBuild(ThreadedBuild[Experiment]):
    """An experiment on its way."""

    def __init__(
        self,
        config: RunConfig,
        checkpoint: bytes | None = None,
        log: Sequence[Change] | None = None,
        keep: Collection[int] = (),
    ) -> None:
        """Begin.

        Args:
            config: at step 0.
            checkpoint: to restore; None: at step 0.
            log: see `reopen`.
            keep: steps whose weights are kept.
        """
        super().__init__(config, lambda: reopen(config, checkpoint, log, keep))


def reopen(
    config: RunConfig,
    checkpoint: bytes | None,
    log: Sequence[Change] | None = None,
    keep: Collection[int] = (),
) -> Experiment:
    """An experiment from a checkpoint, or at step 0 where there is none.

    Args:
        config: at step 0.
        checkpoint: from `Experiment.checkpoint`.
        log: all changes of the run; a checkpoint that has seen others is of no use. (That of a
            parent may have: a change made at the very step at which it was forked.)
        keep: steps whose weights are kept.
    """
    if checkpoint is None:
        return Experiment(config, keep=keep)
    experiment = Experiment.restore(config, checkpoint, keep=keep)
    if log is not None and not _fits(experiment, log):
        return Experiment(config, keep=keep)
    return experiment


def _fits(experiment: Experiment, log: Sequence[Change]) -> bool:
    """Whether the run could go on from here to what the log says.

    The last value that a drag had at this very step may have been followed by another one.
    """
    seen = list(experiment.changes)
    if seen and seen[-1].drag and seen[-1].step == experiment.step_number:
        later = log[len(seen) - 1 : len(seen)]
        same_drag = [(c.step, c.drag, *c.values) for c in later]
        if same_drag == [(seen[-1].step, seen[-1].drag, *seen[-1].values)]:
            seen.pop()
    return seen == list(log[: len(seen)])


def catch_up_to(
    experiment: Experiment, log: Sequence[Change], target: int, deadline: float
) -> bool:
    """Step towards `target`, applying the changes of `log` when they took effect.

    Args:
        experiment: at some step; the changes it has seen are the first ones of `log`.
        log: all changes of the run, in order.
        target: the step to get to.
        deadline: when to stop for now, in seconds of `time.perf_counter`.

    Returns:
        Whether `target` is reached and every change up to it applied.
    """
    while True:
        _apply(experiment, log)
        if experiment.step_number >= target:
            return True
        experiment.step()
        if time.perf_counter() >= deadline:
            return False


def _apply(experiment: Experiment, log: Sequence[Change]) -> None:
    """Apply the changes that are due."""
    known = len(experiment.changes)
    last = log[known - 1] if 0 < known <= len(log) else None
    if last and last.step == experiment.step_number and last != experiment.changes[-1]:
        # A drag went on before the next step: this value took the place of the one known here.
        _update(experiment, last)
    while known < len(log) and log[known].step <= experiment.step_number:
        _update(experiment, log[known])
        known += 1


def _update(experiment: Experiment, change: Change) -> None:
    experiment.update(drag=change.drag, **change.values)
