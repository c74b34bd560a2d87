"""Small sets of cases for `pytest.mark.parametrize` that cover every pair of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, product
from typing import Any


def pairs(
    *axes: Iterable[Any], fits: Callable[..., bool] = lambda *values: True
) -> list[tuple[Any, ...]]:
    """Return rows with one value per axis. Any two values of different axes occur together in
    some row.

    Most faults show with one value or with a pair of values. The full product would repeat each
    pair many times.

    Args:
        axes: values of each axis.
        fits: function that returns whether a row is allowed.
    """
    values = [list(axis) for axis in axes]
    rows = [row for row in product(*(range(len(axis)) for axis in values))
            if fits(*_chosen(values, row))]  # fmt: skip
    meetings = {row: set(combinations(enumerate(row), 2)) for row in rows}
    missing: set[Any] = set().union(*meetings.values())
    found = []
    while missing:
        best = max(rows, key=lambda row: len(meetings[row] & missing))
        missing -= meetings[best]
        found.append(best)
    return [_chosen(values, row) for row in sorted(found)]


def _chosen(values: list[list[Any]], row: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(axis[place] for axis, place in zip(values, row, strict=True))
