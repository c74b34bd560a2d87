"""Where a map is to be looked at more closely: along the borders between its regions.

A map is measured at points of a lattice: whole steps of its two ladders first, then halves,
quarters and eighths of a step, wherever the corners of a square disagree. What agrees costs nothing
more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

# Eighths of a ladder's step: (along the first axis, along the second).
Point = tuple[int, int]

FINEST = 8


def base_points(columns: int, rows: int) -> list[Point]:
    """The whole steps of two ladders with so many rungs."""
    return [(FINEST * i, FINEST * j) for j in range(rows) for i in range(columns)]


# So many points a square costs in which corners disagree, by its size, where a straight border
# passes through it and points on its sides are shared with its neighbours.
_COST = {8: 28, 4: 12, 2: 4}


@dataclass
class _Look:
    """What looking over a map came to.

    Attributes:
        known: what has been found at points so far.
        wanted: points to be measured next.
        expected: points that will probably be wanted after those.
    """

    known: Mapping[Point, str]
    wanted: set[Point]
    expected: float = 0.0

    def visit(self, corner: Point, width: int, height: int) -> None:
        """Look into one square; a ladder with a single rung has squares without a height."""
        size = max(width, height)
        if size == 1:
            return
        x, y = corner
        corners = set(product((x, x + width), (y, y + height)))
        if not corners <= self.known.keys():
            return
        between = set(product((x, x + width // 2, x + width), (y, y + height // 2, y + height)))
        # A neighbour that is split may have found something on a side that is shared.
        kinds = {self.known[point] for point in between if point in self.known}
        if len(kinds) == 1:
            return
        missing = between - self.known.keys()
        if missing:
            self.wanted |= missing
            self.expected += _COST[size] - _COST[2]
            return
        for dx, dy in product({0, width // 2}, {0, height // 2}):
            self.visit((x + dx, y + dy), width // 2, height // 2)


def look(columns: int, rows: int, known: Mapping[Point, str]) -> tuple[set[Point], float]:
    """The points to be measured next, and about how many there will be after them.

    None are wanted when every border is known to an eighth of a step. As long as not all whole
    steps are known, each row counts as passed by one straight border.

    Args:
        columns: rungs of the first ladder.
        rows: rungs of the second.
        known: what has been found at points so far. Points may be missing, such as those that are
            being measured: their squares wait.
    """
    missing = {point for point in base_points(columns, rows) if point not in known}
    found = _Look(known, missing)
    width = FINEST if columns > 1 else 0
    height = FINEST if rows > 1 else 0
    for i, j in product(range(max(columns - 1, 1)), range(max(rows - 1, 1))):
        found.visit((FINEST * i, FINEST * j), width, height)
    if missing:
        share = len(missing) / (columns * rows)
        found.expected += share * _COST[FINEST] * max(rows - 1, 1)
    return found.wanted, found.expected
