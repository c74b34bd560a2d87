"""Measures the breaks in which BN loses: `python -m bnviz.lessons.losses.measure` writes them down.

Only those are measured whose setting is not the one of which `measured.json` tells; with `--all`,
every one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bnviz.experiment import Experiment, steps_with_changes
from bnviz.lessons.lesson import BatchLoses, Lesson
from bnviz.lessons.losses import FILE, Loss, breaks_lost, key_of, made_of, read, write
from bnviz.lessons.watched import Watched

SEEDS = range(5)


def measure(lesson: Lesson, name: str, by: BatchLoses, seeds: Sequence[int] = SEEDS) -> Loss:
    """Run a break once a seed, as fast as it goes."""
    found = [_measure_once(lesson, name, by, seed) for seed in seeds]
    return Loss(
        seeds=tuple(seeds),
        batch=tuple(batch for batch, _ in found),
        other=tuple(other for _, other in found),
        made_of=made_of(lesson, name, by),
    )


def _measure_once(lesson: Lesson, name: str, by: BatchLoses, seed: int) -> tuple[float, float]:
    """Test accuracy of the network with BN, and of the other one, in one run."""
    plan, config = lesson.break_plan(name), lesson.break_config(name, seed)
    since = plan.changes[-1].step if by.by == "lowest" else plan.last_step
    experiment = Experiment(config)
    # Measuring changes no run: only what is asked for is measured.
    snapshots = [
        experiment.snapshot(())
        for step in steps_with_changes(experiment, plan.last_step, plan.changes)
        if step >= since
    ]
    watched = Watched(snapshots=snapshots, config=config, changes=plan.changes)
    batch, other = (
        min(watched.accuracies(norm, since, plan.last_step).values()) for norm in ("batch", by.to)
    )
    return batch, other


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
