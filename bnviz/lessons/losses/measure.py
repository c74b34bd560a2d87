"""Measures the breaks in which BN loses: `python -m bnviz.lessons.losses.measure` writes them down.

Only those are measured whose setting is not the one of which `measured.json` tells; with `--all`,
every one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnviz.experiment import Experiment, train
from bnviz.lessons.lesson import BatchLoses, Lesson
from bnviz.lessons.losses import FILE, STEPS, Loss, breaks_lost, key_of, made_of, read, write
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.arrival import arrival
from bnviz.planned_runs.execution import run_plan

SEEDS = range(5)


def measure(lesson: Lesson, name: str, by: BatchLoses, seeds: Sequence[int] = SEEDS) -> Loss:
    """Run a break once a seed, as fast as it goes."""
    found = [_measure_once(lesson, name, by, seed) for seed in seeds]
    return Loss(
        seeds=tuple(seeds),
        batch=tuple(batch for batch, _ in found),
        other=tuple(other for _, other in found),
        made_of=made_of(lesson, name, by),
        by=by.by,
    )


def _measure_once(lesson: Lesson, name: str, by: BatchLoses, seed: int) -> tuple[float, float]:
    """What the network with BN, and the other one, come to in one run."""
    plan, config = lesson.break_plan(name), lesson.break_config(name, seed)
    if by.by == STEPS:
        snapshots = list(run_plan(config, plan, probes=(), every=plan.last_step))
        watched = Watched(snapshots=snapshots, config=config)
        target_accuracy = lesson.break_named(name).target_accuracy or 1.0
        batch, other = (_steps_taken(watched, norm, target_accuracy) for norm in ("batch", by.to))
        return batch, other
    since = plan.changes[-1].step if by.by == "lowest" else plan.last_step
    # Measuring changes no run: only what is asked for is measured.
    looks = range(since, plan.last_step + 1)
    snapshots = list(train(Experiment(config), looks, (), plan.changes))
    watched = Watched(snapshots=snapshots, config=config, changes=plan.changes)
    batch, other = (
        min(watched.accuracies(norm, since, plan.last_step).values()) for norm in ("batch", by.to)
    )
    return batch, other


def _steps_taken(watched: Watched, norm: str, target_accuracy: float) -> float:
    """The step at which a network arrives; the last step where it does not."""
    last = watched.last_step
    found = arrival(watched.accuracies(norm, 0, last), target_accuracy)
    return last if found is None else found


def main(everything: bool) -> None:
    """Measure what is not yet known, and forget what is no longer among the breaks."""
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
