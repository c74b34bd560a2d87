"""Getting an experiment to a step again: nearest checkpoint, then the log of changes replayed."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import Change


def reopen(config: RunConfig, checkpoint: bytes | None) -> Experiment:
    """An experiment from a checkpoint, or at step 0 where there is none."""
    return Experiment(config) if checkpoint is None else Experiment.restore(config, checkpoint)


def advance(experiment: Experiment, log: Sequence[Change], target: int, deadline: float) -> bool:
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
        while (
            len(experiment.changes) < len(log)
            and log[len(experiment.changes)].step <= experiment.step_number
        ):
            experiment.update(**log[len(experiment.changes)].values)
        if experiment.step_number >= target:
            return True
        experiment.step()
        if time.perf_counter() >= deadline:
            return False
