"""Where the stacks of a sweep are run: what every such place offers, and what they share.

`Pool` has the cores of this machine, `RayCluster` those of many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, Done
from bnviz.words.phrase import Phrase, english


class Backend(Protocol):
    """Runs cells; a context manager. Leaving it gives up what has not been done."""

    @property
    def cores(self) -> int:
        """How many stacks it runs at once; known when it is entered."""

    def __enter__(self) -> Self:
        """Get ready.

        Raises:
            ConfigError: it cannot be had.
        """

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Let go of it."""

    def run_cells(self, cells: Sequence[Cell]) -> Iterator[Done]:
        """Cells of any shapes, gathered into stacks; each with its outcome, exactly once.

        They come stack by stack, as soon as one is done.

        Raises:
            BackendError: it can do no more. What came before counts.
        """


class BackendError(Exception):
    """A backend broke in the middle of a sweep; says how, in a sentence, as `ConfigError` does."""

    def __init__(self, said: Phrase | str = "") -> None:
        super().__init__(english(said))
        self.phrase = said if isinstance(said, Phrase) else None


def run_stack_here(stack: Sequence[Cell]) -> Done:
    """A stack's cells with their outcomes, in this process."""
    # torch takes seconds to import, and whoever only plans a sweep needs none of it.
    from bnviz.sweeps.stacks import run_stack

    return list(zip(stack, run_to_end(run_stack(stack)), strict=True))
