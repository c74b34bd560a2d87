"""Stacks run in several processes; each uses one core."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from types import TracebackType

from bnviz.pieces import whole
from bnviz.sizes import flops_per_step
from bnviz.sweeps.cells import Cell, Done


class Pool:
    """Processes that run stacks; with one worker, this process does all.

    Leaving it waits for no stack that has not begun.
    """

    def __init__(self, workers: int) -> None:
        """Get ready for so many processes; they start with the first stack."""
        self._workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        """The pool itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Stop the processes after the stacks in which they are."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def run_cells(self, cells: Sequence[Cell]) -> Iterator[Done]:
        """Cells of any shapes, gathered into stacks."""
        from bnviz.sweeps.stacks import into_stacks

        yield from self.run(into_stacks(cells))

    def run(self, stacks: Sequence[Sequence[Cell]]) -> Iterator[Done]:
        """Every stack's cells with their outcomes, each stack as soon as it is done.

        Args:
            stacks: as `into_stacks` gave them. The longest run first, so that no process is left
                with a long one in the end.
        """
        in_order = sorted(stacks, key=_work, reverse=True)
        if self._workers == 1 or (self._executor is None and len(stacks) == 1):
            for stack in in_order:
                yield _run(stack)
            return
        if self._executor is None:
            # A forked process would inherit threads that hold locks.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._workers, mp_context=context)
        waiting: set[Future[Done]] = {
            self._executor.submit(_run, list(stack)) for stack in in_order
        }
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                yield each.result()


def _work(stack: Sequence[Cell]) -> float:
    return flops_per_step(stack[0].config) * stack[0].steps * len(stack)


def _run(stack: Sequence[Cell]) -> Done:
    # torch takes seconds to import, and whoever only plans a sweep needs none of it.
    from bnviz.sweeps.stacks import run_stack

    return list(zip(stack, whole(run_stack(stack)), strict=True))
