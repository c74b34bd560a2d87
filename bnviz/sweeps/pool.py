"""Process pool for sweeps: each process uses one core; the calling process runs cells on a GPU."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import BaseContext

from bnviz.device import tell
from bnviz.host import MEGABYTE, this_host
from bnviz.sweeps.backend import BackendError, run_on_gpu_here, run_stack_here
from bnviz.sweeps.cells import Cell, Done
from bnviz.sweeps.stack_sizes import into_stacks, longest_first, runs_on_gpu
from bnviz.words.phrase import phrase

# Memory of a process that runs stacks, and of everything else of a sweep (measured 180 and 70 MB).
PROCESS_BYTES, OTHER_BYTES = 250 * MEGABYTE, 100 * MEGABYTE
# Number of consecutive process failures, without a result between them, after which a sweep ends.
MOST_BREAKS = 5


def fitting_processes() -> int:
    """Return how many processes of a pool the cores and the memory of this machine allow."""
    return this_host().processes(bytes_each=PROCESS_BYTES, bytes_apart=OTHER_BYTES)[0]


class Pool:
    """Processes that run stacks; with one worker, this process does all the work.

    If a process is killed, its stacks run again, and each result counts once. Leaving the pool
    cancels the stacks that have not begun.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._executor: ProcessPoolExecutor | None = None

    @property
    def cores(self) -> int:
        return self._workers

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        """Stop each process after its current stack."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def run_cells(self, cells: Sequence[Cell]) -> Iterator[Done]:
        """Yield the cells of each finished stack with their outcomes, GPU cells first.

        Raises:
            BackendError: If processes are killed repeatedly; earlier outcomes remain valid.
        """
        others = [cell for cell in cells if not runs_on_gpu(cell.config)]
        if len(others) < len(cells):
            yield from run_on_gpu_here([cell for cell in cells if runs_on_gpu(cell.config)])
        yield from self.run(into_stacks(others))

    def run(self, stacks: Sequence[Sequence[Cell]]) -> Iterator[Done]:
        """Yield the cells of each stack with their outcomes, as soon as the stack is done."""
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
                    # A killed process breaks the pool, so all waiting stacks are lost.
                    lost.append(waiting[each])
                else:
                    breaks = 0
                    yield found
            breaks += bool(lost)
            if breaks == MOST_BREAKS:
                raise BackendError(phrase("command.sweep.ended", losses=MOST_BREAKS))

    def _start(self, stack: list[Cell]) -> Future[Done]:
        if self._executor is not None:
            # If a process was lost after the last stack, the pool is broken, and a new pool
            # replaces it.
            with suppress(BrokenProcessPool):
                return self._executor.submit(run_stack_here, stack)
        # Tell the processes that there is no GPU, because a process that looks for a GPU takes
        # some of the GPU's memory.
        self._executor = ProcessPoolExecutor(
            self._workers, mp_context=_processes(), initializer=tell, initargs=(None,)
        )
        return self._executor.submit(run_stack_here, stack)


def _processes() -> BaseContext:
    """Return a multiprocessing context that never forks this process: its threads may hold
    locks.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bnviz.sweeps.backend"])
    return context
