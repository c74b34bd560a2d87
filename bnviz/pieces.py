"""Long work done in pieces: a generator that pauses between them and returns the result.

A worker has many runs and one core: long work pauses every few milliseconds, so that other runs get
their turn.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")

# Each `next` does one piece; `StopIteration.value` is the result.
Pieces = Generator[None, None, Result]


def run_to_end(work: Pieces[Result]) -> Result:
    """Do all pieces one after another. Returns the result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)


def in_pieces(found: Result | Pieces[Result]) -> Pieces[Result]:
    """The result of work in pieces, or a result that is there already, as work in pieces."""
    if isinstance(found, Generator):
        return (yield from found)
    return found
