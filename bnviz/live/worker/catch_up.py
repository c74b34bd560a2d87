"""Getting an experiment to a step again: nearest checkpoint, then the log of changes replayed."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import Change


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
