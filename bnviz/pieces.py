"""Long work as a generator that pauses between pieces and returns the result at the end.

A worker has many runs and one core, so long work pauses every few milliseconds to let others run.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")

# Generator of work in pieces: each `next` does one piece, and `StopIteration.value` is the result.
Pieces = Generator[None, None, Result]


def run_to_end(work: Pieces[Result]) -> Result:
    """Run all pieces and return the result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)


def in_pieces(found: Result | Pieces[Result]) -> Pieces[Result]:
    """Return `found` as `Pieces`, whether it is a finished result or already in pieces."""
    if isinstance(found, Generator):
        return (yield from found)
    return found
