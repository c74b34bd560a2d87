"""Experiments built, restored from a checkpoint, and replayed to a step.

Building may take seconds (data from a disk, orthogonal weights of fifty layers). It is done on a
thread, one experiment at a time, so that no run of the worker has to wait for it.
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

# Seconds between two looks at whether something is built.
POLL_SECONDS = 0.01

Made = TypeVar("Made")

_building = threading.Lock()


class Build(Future[Made]):
    """Something that is being built on a thread; `cancel` keeps it from being begun.

    Attributes:
        seconds: of CPU time that it took; they count as work on the run that asked for it.
    """

    def __init__(self, config: RunConfig, make: Callable[[], Made]) -> None:
        """Start the thread.

        Args:
            config: whose data is loaded first.
            make: builds and returns it.
        """
        super().__init__()
        self.seconds = 0.0
        threading.Thread(target=self._make, args=(config, make), daemon=True).start()

    def _make(self, config: RunConfig, make: Callable[[], Made]) -> None:
        try:
            # Outside the lock: a download of data keeps no other build waiting.
            load(config)
            with _building:
                if not self.set_running_or_notify_cancel():
                    return
                began = time.thread_time()
                made = make()
                self.seconds = time.thread_time() - began
            self.set_result(made)
        except BaseException as problem:
            with suppress(InvalidStateError):  # it was cancelled
                self.set_exception(problem)


class Builder:
    """A job that waits while something is built for it on a thread.

    Attributes:
        building: what is being built; None: nothing is.
        built_seconds: of CPU time that building took and that nobody was charged for yet.
    """

    building: Build[Any] | None = None
    built_seconds = 0.0

    def due(self, now: float) -> float:
        """When there is work, in seconds of `time.perf_counter`; infinity: after a message only."""
        return now if self.building is None or self.building.done() else now + POLL_SECONDS

    def close(self) -> None:
        """Do not build what is not built yet: nobody needs it any more."""
        if self.building is not None:
            self.building.cancel()

    def build(self, config: RunConfig, make: Callable[[], Made]) -> Pieces[Made]:
        """Build something in pieces, of which each only waits; see `Build`."""
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
    """An experiment from a checkpoint, or at step 0 where there is none that fits its log.

    Args:
        config: at step 0.
        checkpoint: from `Experiment.checkpoint`, or empty.
        log: all changes of the run. The checkpoint of a fork's parent may have seen others, or
            have missed those that were made in the fork.
        keep: steps whose weights are kept.
    """
    if checkpoint:
        experiment = Experiment.restore(config, checkpoint, keep=keep)
        if log is None or _fits(experiment, log):
            return experiment
    return Experiment(config, keep=keep)


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


def _fits(experiment: Experiment, log: Sequence[Change]) -> bool:
    """Return whether an experiment has the weights that this log gives at its step.

    The experiment has seen the first changes of the log, and the log has no further change before
    the experiment's step. After a drag at that very step, the log may have a later value of it.
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
    """Apply the changes that are due at an experiment's step and that it has not seen."""
    seen = len(experiment.changes)
    last = log[seen - 1] if 0 < seen <= len(log) else None
    if last and last.step == experiment.step_number and last != experiment.changes[-1]:
        # A drag went on before the next step: its later value replaces the one that was seen.
        experiment.update(drag=last.drag, **last.values)
    while seen < len(log) and log[seen].step <= experiment.step_number:
        experiment.update(drag=log[seen].drag, **log[seen].values)
        seen += 1
