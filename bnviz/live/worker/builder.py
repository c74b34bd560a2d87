"""Building of experiments, their restoration from a checkpoint, and their replay to a step.

Building may take seconds, for example to read data from a disk or to make orthogonal weights for
fifty layers. A thread builds one experiment at a time, so that no run of the worker waits for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, TypeVar

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.pieces import Pieces
from bnviz.records import Change

# Seconds between two checks of whether a build is finished.
POLL_SECONDS = 0.01

Made = TypeVar("Made")

_building = threading.Lock()


class Build(Future[Made]):
    """Future for an object that a thread builds. `cancel` prevents a build that has not begun.

    `seconds` is the CPU time of the build. It is charged to the run that requested the build.
    """

    def __init__(self, config: RunConfig, make: Callable[[], Made]) -> None:
        """Start the thread. It loads the data of `config`, then calls `make`."""
        super().__init__()
        self.seconds = 0.0
        threading.Thread(target=self._make, args=(config, make), daemon=True).start()

    def _make(self, config: RunConfig, make: Callable[[], Made]) -> None:
        try:
            # Load the data before taking the lock, so that a download does not delay other builds.
            load(config)
            with _building:
                if not self.set_running_or_notify_cancel():
                    return
                began = time.thread_time()
                made = make()
                self.seconds = time.thread_time() - began
            self.set_result(made)
        except BaseException as problem:
            with suppress(InvalidStateError):  # the build was cancelled
                self.set_exception(problem)


class Builder:
    """Job that waits while a thread builds an object for it.

    Attributes:
        building: the current build, or None.
        built_seconds: CPU time of finished builds that is not yet charged to a run.
    """

    building: Build[Any] | None = None
    built_seconds = 0.0

    def due(self, now: float) -> float:
        """Return the time of the job's next work, on the clock of `time.perf_counter`."""
        return now if self.building is None or self.building.done() else now + POLL_SECONDS

    def close(self) -> None:
        """Cancel the current build, whose result is no longer needed."""
        if self.building is not None:
            self.building.cancel()

    def build(self, config: RunConfig, make: Callable[[], Made]) -> Pieces[Made]:
        """Build an object on a thread. Yield until it is finished, then return it; see `Build`."""
        self.building = building = Build(config, make)
        while not building.done():
            yield
        self.building = None
        self.built_seconds += building.seconds
        return building.result()


def build_experiment(
    config: RunConfig,
    checkpoint: bytes = b"",
    log: Sequence[Change] | None = None,
    keep: Collection[int] = (),
) -> Build[Experiment]:
    return Build(config, lambda: reopen(config, checkpoint, log, keep))


def reopen(
    config: RunConfig,
    checkpoint: bytes,
    log: Sequence[Change] | None = None,
    keep: Collection[int] = (),
) -> Experiment:
    """Restore an experiment from `checkpoint` if it fits `log`, otherwise create one at step 0.

    A fork's parent may have made other changes than the fork, so its checkpoint may not fit.
    Without `log`, the checkpoint must fit. `keep` lists the steps whose weights are kept.
    """
    if checkpoint and log is None:
        return Experiment.restore(config, checkpoint, keep=keep)
    if checkpoint and log is not None:
        # Another version of the app may have saved a checkpoint that this version cannot read.
        with suppress(ValueError, LookupError, TypeError, RuntimeError):
            experiment = Experiment.restore(config, checkpoint, keep=keep)
            if _fits(experiment, log):
                return experiment
    return Experiment(config, keep=keep)


def catch_up_to(
    experiment: Experiment, log: Sequence[Change], target: int, deadline: float
) -> bool:
    """Take training steps until `target` or `deadline`. Return whether `target` is reached.

    Apply each change of `log` at its step. The changes that the experiment has made must be the
    first changes of `log`.
    """
    while True:
        _apply(experiment, log)
        if experiment.step_number >= target:
            return True
        experiment.step()
        if time.perf_counter() >= deadline:
            return False


def _fits(experiment: Experiment, log: Sequence[Change]) -> bool:
    """Return whether an experiment has the weights that `log` gives at the experiment's step.

    The experiment's changes must be the first changes of the log, and the log must have no other
    change before that step. If a drag continues at that step, the log may contain its later value.
    """
    seen, step = list(experiment.changes), experiment.step_number
    if any(change.step < step for change in log[len(seen) :]):
        return False
    if 0 < len(seen) <= len(log):
        last, later = seen[-1], log[len(seen) - 1]
        same_drag = last.drag and (later.drag, [*later.values]) == (last.drag, [*last.values])
        if same_drag and last.step == later.step == step:
            seen.pop()
    return seen == list(log[: len(seen)])


def _apply(experiment: Experiment, log: Sequence[Change]) -> None:
    """Apply the changes of `log` that are due and that the experiment has not made yet."""
    seen = len(experiment.changes)
    last = log[seen - 1] if 0 < seen <= len(log) else None
    if last and last.step == experiment.step_number and last != experiment.changes[-1]:
        # The drag continued before the next step, so its later value replaces the earlier value.
        experiment.update(drag=last.drag, **last.values)
    while seen < len(log) and log[seen].step <= experiment.step_number:
        experiment.update(drag=log[seen].drag, **log[seen].values)
        seen += 1
