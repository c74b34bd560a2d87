"""Error class of the sweep backends `Pool` and `RayCluster`, and their functions that run
stacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, Done
from bnviz.sweeps.stack_sizes import fits_device
from bnviz.words.phrase import Phrase, english


class BackendError(Exception):
    """Failure of a backend during a sweep; its message is a sentence, as in `ConfigError`."""

    def __init__(self, said: Phrase | str = "") -> None:
        super().__init__(english(said))
        self.phrase = said if isinstance(said, Phrase) else None


def run_stack_here(stack: Sequence[Cell]) -> Done:
    """Run a stack in this process and return its cells with their outcomes."""
    # Import late: torch takes seconds to import, and planning a sweep does not need it.
    from bnviz.sweeps.stacks import run_stack

    return list(zip(stack, run_to_end(run_stack(stack)), strict=True))


def run_on_gpu_here(cells: Sequence[Cell]) -> Iterator[Done]:
    """Run cells on the GPU in this process, in stacks if possible. Yield them with outcomes."""
    from bnviz.sweeps.device_stacks import jobs_of, run_on_device

    for job in jobs_of([cell for cell in cells if fits_device(cell.config)]):
        together = [cell for stack in job for cell in stack]
        yield list(zip(together, run_to_end(run_on_device(together)), strict=True))
    for cell in cells:
        if not fits_device(cell.config):
            yield run_stack_here([cell])
