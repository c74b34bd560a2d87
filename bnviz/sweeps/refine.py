"""Refinement of a map along the boundaries between its regions.

First, a map is measured at base points (whole steps of both axes). Then it is measured at halves,
quarters and eighths of a step, wherever the corners of a square have different outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

# Position in eighths of a step, along the first and the second axis.
Point = tuple[int, int]

FINEST = 8


def base_points(columns: int, rows: int) -> list[Point]:
    return [(FINEST * i, FINEST * j) for j in range(rows) for i in range(columns)]


# Estimated number of points needed in a square whose corners have different outcomes, by the
# square's size in eighths of a step. The estimate assumes a straight boundary, and sides that
# neighbouring squares share.
_COST = {8: 28, 4: 12, 2: 4}


@dataclass
class _Look:
    """Points of a map to measure next, and the estimated number of points that will follow."""

    known: Mapping[Point, str]
    wanted: set[Point]
    expected: float = 0.0

    def visit(self, corner: Point, width: int, height: int) -> None:
        """Add the points that a square needs; width or height is 0 if that axis has one value."""
        size = max(width, height)
        if size == 1:
            return
        x, y = corner
        corners = set(product((x, x + width), (y, y + height)))
        if not corners <= self.known.keys():
            return
        between = set(product((x, x + width // 2, x + width), (y, y + height // 2, y + height)))
        # A neighbour that is already split may have measured points on a shared side.
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


def propose_points(columns: int, rows: int, known: Mapping[Point, str]) -> tuple[set[Point], float]:
    """Return the points to measure next, and the estimated number of points that will follow.

    Boundaries are resolved to an eighth of a step. Squares with missing points are skipped. Until
    all base points are known, the estimate assumes one straight boundary per row.
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
