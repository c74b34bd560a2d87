"""Stacks run in several processes; each uses one core."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait

from bnviz.pieces import whole
from bnviz.sweeps.cells import Cell, Outcome

Done = list[tuple[Cell, Outcome]]


def run_stacks(stacks: Sequence[Sequence[Cell]], workers: int) -> Iterator[Done]:
    """Every stack's cells with their outcomes, each stack as soon as it is done.

    Args:
        stacks: as `into_stacks` gave them.
        workers: processes; with one, this process does all.
    """
    if workers == 1 or len(stacks) < 2:
        for stack in stacks:
            yield _run(stack)
        return
    # A forked process would inherit threads that hold locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(stacks)), mp_context=context)
    try:
        waiting: set[Future[Done]] = {pool.submit(_run, list(stack)) for stack in stacks}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()
    finally:
        # Whoever stops listening waits for no stack that has not begun.
        pool.shutdown(wait=False, cancel_futures=True)


def _run(stack: Sequence[Cell]) -> Done:
    # torch takes seconds to import, and whoever only plans a sweep needs none of it.
    from bnviz.sweeps.stacks import run_stack

    return list(zip(stack, whole(run_stack(stack)), strict=True))
