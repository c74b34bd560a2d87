"""Long work as a generator that pauses between pieces and returns the result.

A worker has many runs and one core, so long work pauses every few milliseconds to let others run.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")

# Each `next` does one piece. `StopIteration.value` is the result.
Pieces = Generator[None, None, Result]


def run_to_end(work: Pieces[Result]) -> Result:
    """Run all pieces and return the result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)


def in_pieces(found: Result | Pieces[Result]) -> Pieces[Result]:
    """Wrap a finished result as `Pieces`. Work that is already in pieces does not change."""
    if isinstance(found, Generator):
        return (yield from found)
    return found
