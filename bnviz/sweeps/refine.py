"""Where a map is to be looked at more closely: along the borders between its regions.

A map is measured at points of a lattice: whole steps of its two ladders first, then halves,
quarters and eighths of a step, wherever the corners of a square disagree. What agrees costs nothing
more.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

# Eighths of a ladder's step: (along the first axis, along the second).
Point = tuple[int, int]

FINEST = 8


def base_points(columns: int, rows: int) -> list[Point]:
    """The whole steps of two ladders with so many rungs."""
    return [(FINEST * i, FINEST * j) for j in range(rows) for i in range(columns)]


def wanted(columns: int, rows: int, known: Mapping[Point, str]) -> set[Point]:
    """The points to be measured next; none when every border is known to an eighth of a step.

    Args:
        columns: rungs of the first ladder.
        rows: rungs of the second.
        known: what has been found at points so far. Points may be missing, such as those that are
            being measured: their squares wait.
    """
    found: set[Point] = {point for point in base_points(columns, rows) if point not in known}
    for i, j in product(range(max(columns - 1, 1)), range(max(rows - 1, 1))):
        width = FINEST if columns > 1 else 0
        height = FINEST if rows > 1 else 0
        _visit((FINEST * i, FINEST * j), width, height, known, found)
    return found


def _visit(
    corner: Point, width: int, height: int, known: Mapping[Point, str], found: set[Point]
) -> None:
    """Look into one square; a ladder with a single rung has squares without a height."""
    size = max(width, height)
    if size == 1:
        return
    x, y = corner
    corners = set(product((x, x + width), (y, y + height)))
    between = set(product((x, x + width // 2, x + width), (y, y + height // 2, y + height)))
    if not corners <= known.keys():
        return
    # A neighbour that is split may have found something on a side that is shared.
    kinds = {known[point] for point in between if point in known}
    if len(kinds) == 1:
        return
    missing = between - known.keys()
    found |= missing
    if missing:
        return
    for dx, dy in product({0, width // 2}, {0, height // 2}):
        _visit((x + dx, y + dy), width // 2, height // 2, known, found)
