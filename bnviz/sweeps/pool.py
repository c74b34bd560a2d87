"""Stacks run in several processes; each uses one core. What a GPU can run stays in this one."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import BaseContext

from bnviz.device import tell
from bnviz.sweeps.backend import BackendError, run_on_gpu_here, run_stack_here
from bnviz.sweeps.cells import Cell, Done
from bnviz.sweeps.stack_sizes import into_stacks, longest_first, runs_on_gpu
from bnviz.words.phrase import phrase

# So often in a row the processes may end before anything is done.
MOST_BREAKS = 5


class Pool:
    """Processes that run stacks; with one worker, this process does all.

    Where a process was killed, what was under way is run again, each stack counted once.
    Leaving it waits for no stack that has not begun.
    """

    def __init__(self, workers: int) -> None:
        """Get ready for so many processes; they start with the first stack."""
        self._workers = workers
        self._executor: ProcessPoolExecutor | None = None

    @property
    def cores(self) -> int:
        """As many as there are processes."""
        return self._workers

    def __enter__(self) -> Pool:
        """The pool itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Stop the processes after the stacks in which they are."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def run_cells(self, cells: Sequence[Cell]) -> Iterator[Done]:
        """Cells of any shapes, gathered into stacks; each with its outcome, exactly once.

        They come stack by stack, as soon as one is done; first those that a GPU runs.

        Raises:
            BackendError: processes end again and again. What came before counts.
        """
        others = [cell for cell in cells if not runs_on_gpu(cell.config)]
        if len(others) < len(cells):
            yield from run_on_gpu_here([cell for cell in cells if runs_on_gpu(cell.config)])
        yield from self.run(into_stacks(others))

    def run(self, stacks: Sequence[Sequence[Cell]]) -> Iterator[Done]:
        """Every stack's cells with their outcomes, each stack as soon as it is done.

        Args:
            stacks: as `into_stacks` gave them.
        """
        in_order = longest_first(stacks)
        if self._workers == 1 or (self._executor is None and len(stacks) == 1):
            for stack in in_order:
                yield run_stack_here(stack)
            return
        lost = in_order
        breaks = 0
        while lost:
            waiting, lost = {self._start(stack): stack for stack in lost}, []
            for each in as_completed(waiting):
                try:
                    found = each.result()
                except BrokenProcessPool:
                    # All that wait are lost with the process that ended.
                    lost.append(waiting[each])
                else:
                    breaks = 0
                    yield found
            breaks += bool(lost)
            if breaks == MOST_BREAKS:
                raise BackendError(phrase("command.sweep.ended", losses=MOST_BREAKS))

    def _start(self, stack: list[Cell]) -> Future[Done]:
        if self._executor is not None:
            # It may have lost a process since its last stack.
            with suppress(BrokenProcessPool):
                return self._executor.submit(run_stack_here, stack)
        # Each process that looks for a GPU would take a part of its memory.
        self._executor = ProcessPoolExecutor(
            self._workers, mp_context=_processes(), initializer=tell, initargs=(None,)
        )
        return self._executor.submit(run_stack_here, stack)


def _processes() -> BaseContext:
    """How processes are started: never as copies of this one, whose threads may hold locks.

    They are copies of one that has imported everything and has no other threads, or, where a system
    cannot copy, begin with nothing.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bnviz.sweeps.backend"])
    return context
