"""Long work done in pieces: a generator that pauses between them and returns the result.

A worker has many runs and one core: whoever does something long pauses every few milliseconds, so
that others get their turn.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

Result = TypeVar("Result")

# Each `next` does one piece; `StopIteration.value` is the result.
Pieces = Generator[None, None, Result]


def run_to_end(work: Pieces[Result]) -> Result:
    """All pieces one after another; returns the result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast(Result, end.value)


def in_pieces(found: Result | Pieces[Result]) -> Pieces[Result]:
    """The result of something that works in pieces, or is done already."""
    if isinstance(found, Generator):
        return (yield from found)
    return found
