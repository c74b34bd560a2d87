"""Which worker gets a run: the one with the least to do. And when one moves to another."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bnviz.live.hub.run import Run
from bnviz.live.hub.workers import Workers

# Moving costs a run a second or so of its work; a smaller difference is not worth that.
UNEVEN = 3
# So long a run that was moved stays where it is.
STAY_SECONDS = 30.0


def least_to_do(runs: Iterable[Run], workers: Workers) -> int:
    """The place of the worker that has the fewest running runs, then was the least busy of late,
    then has the fewest runs. Workers that are not ready come last.
    """
    running, held = [0] * len(workers), [0] * len(workers)
    for run in runs:
        if run.worker is not None:
            running[run.worker] += run.status == "running"
            held[run.worker] += 1

    def load(place: int) -> tuple[bool, int, float, int]:
        worker = workers.at(place)
        busy = round(worker.busy_share, 1) if worker else 0.0
        return not (worker and worker.ready), running[place], busy, held[place]

    return min(range(len(workers)), key=load)


def next_move(runs: Collection[Run], workers: Workers, now: float) -> tuple[Run, int] | None:
    """A running run to move, and where to, when one worker has many more than another: after a
    death its neighbours are all elsewhere, and the replacement has nothing to do.

    Args:
        runs: all runs.
        workers: those that are ready count.
        now: monotonic seconds.
    """
    at: dict[int, list[Run]] = {worker.number: [] for worker in workers.living() if worker.ready}
    for run in runs:
        if run.worker in at and run.status == "running":
            at[run.worker].append(run)
    if not at:
        return None
    most, least = (choose(at, key=lambda place: len(at[place])) for choose in (max, min))
    free = [run for run in at[most] if _may_move(run, now)]
    if len(at[most]) - len(at[least]) < UNEVEN or not free:
        return None
    return free[0], least


def _may_move(run: Run, now: float) -> bool:
    """Whether a run is where it should be, for a while already, and under no suspicion."""
    return run.catch_up_to is None and not run.deaths and now - run.moved_at >= STAY_SECONDS
