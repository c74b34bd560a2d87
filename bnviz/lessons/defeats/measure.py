"""Measure the experiments in which BN loses: `python -m bnviz.lessons.defeats.measure`.

It measures only new and changed settings; with `--all`, it measures all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnviz.experiment import Experiment, train
from bnviz.lessons.defeats import (
    FILE,
    STEPS,
    RecordedDefeat,
    breaks_lost,
    key_of,
    made_of,
    read,
    write,
)
from bnviz.lessons.lesson import BatchLoses, Lesson
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.arrival import arrival
from bnviz.planned_runs.execution import run_plan

SEEDS = range(5)


def measure(
    lesson: Lesson, name: str, by: BatchLoses, seeds: Sequence[int] = SEEDS
) -> RecordedDefeat:
    """Run an experiment once per seed, as fast as possible."""
    found = [_measure_once(lesson, name, by, seed) for seed in seeds]
    return RecordedDefeat(
        seeds=tuple(seeds),
        batch=tuple(batch for batch, _ in found),
        other=tuple(other for _, other in found),
        made_of=made_of(lesson, name, by),
        by=by.by,
    )


def _measure_once(lesson: Lesson, name: str, by: BatchLoses, seed: int) -> tuple[float, float]:
    """Return the result of the network with BN and of the network that it loses to, in one run."""
    plan, config = lesson.plan_of_try(name), lesson.config_of_try(name, seed)
    if by.by == STEPS:
        snapshots = list(run_plan(config, plan, probes=(), every=plan.last_step))
        observed = Observation(snapshots=snapshots, config=config)
        target_accuracy = lesson.try_named(name).target_accuracy or 1.0
        batch, other = (_steps_taken(observed, norm, target_accuracy) for norm in ("batch", by.to))
        return batch, other
    since = plan.changes[-1].step if by.by == "lowest" else plan.last_step
    # Measuring does not affect a run, so measure only the steps that are needed.
    looks = range(since, plan.last_step + 1)
    snapshots = list(train(Experiment(config), looks, (), plan.changes))
    observed = Observation(snapshots=snapshots, config=config, changes=plan.changes)
    batch, other = (
        min(observed.accuracies(norm, since, plan.last_step).values()) for norm in ("batch", by.to)
    )
    return batch, other


def _steps_taken(observed: Observation, norm: str, target_accuracy: float) -> float:
    """Return the step at which a network reaches the target accuracy, or else the last step."""
    last = observed.last_step
    found = arrival(observed.accuracies(norm, 0, last), target_accuracy)
    return last if found is None else found


def main(everything: bool) -> None:
    """Measure missing results, and drop the results of experiments that no longer exist."""
    before = read() if FILE.exists() else {}
    found = {}
    for lesson, name, by in breaks_lost():
        key = key_of(lesson, name)
        known = before.get(key)
        same = known is not None and known.made_of == made_of(lesson, name, by)
        found[key] = known if known and same and not everything else measure(lesson, name, by)
    write(found)


if __name__ == "__main__":
    main("--all" in sys.argv[1:])
