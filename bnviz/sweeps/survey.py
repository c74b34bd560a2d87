"""Known points of a map, and the networks that workers should run next."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from itertools import chain, product
from typing import Any, Literal

import numpy as np

from bnviz.records import reached
from bnviz.sweeps.cells import Cell, CellOutcome, kind_of
from bnviz.sweeps.plane import Plane
from bnviz.sweeps.refine import FINEST, Point, base_points, propose_points
from bnviz.sweeps.rows import plain_outcome
from bnviz.sweeps.stack_sizes import into_stacks, longest_first

# Number of columns and rows in the first, coarse picture of a map.
FIRST_COLUMNS, FIRST_ROWS = 4, 3

Phase = Literal["first", "base", "refining", "done"]


class Survey:
    """Progress of one map, from its first cell to its last.

    Each cell is handed out once. A worker that loses a cell's result has to run the cell again.

    Args:
        planes: Maps of the networks, with the same axes and seeds.
        refined: Whether to measure points between base points whose outcomes differ.

    Attributes:
        rows: Known points as in `_row`, in the order in which they became known.
        kinds, accuracies: Kinds and `median_accuracy` of known points, for each network.
    """

    def __init__(self, planes: Sequence[Plane], *, refined: bool = False) -> None:
        self.planes, self.refined = planes, refined
        self.across, self.up = planes[0].columns, planes[0].rows
        self.norms = tuple(plane.config.norms[0] for plane in planes)
        self.done: dict[Cell, CellOutcome] = {}
        self.rows: list[list[Any]] = []
        self.kinds: list[dict[Point, str]] = [{} for _ in planes]
        self.accuracies: list[dict[Point, float]] = [{} for _ in planes]
        self._size = len(self.across.rungs), len(self.up.rungs)
        self._base = base_points(*self._size)
        self._first = set(product(range(len(planes)), _first_points(*self._size)))
        # For each running cell, the points that depend on it. On axes of whole numbers, points can
        # share cells.
        self._waiting: dict[Cell, list[tuple[int, Point]]] = {}
        self._asked: set[tuple[int, Point]] = set()
        self._seen: tuple[set[tuple[int, Point]], float] | None = None

    # Next cells.

    def next_stacks(self, *, at_least: int = 1) -> list[list[Cell]]:
        """Return stacks to run now, longest first; none if running cells must end before any
        others.

        First come the points of a coarse picture of the map, then all base points, then points
        between them.
        """
        while new := (self._first - self._asked) or (self._look()[0] - self._asked):
            self._asked |= new
            cells = dict.fromkeys(cell for each in sorted(new) for cell in self._ask(*each))
            if cells:
                return longest_first(into_stacks(cells, at_least=at_least))
            # All cells of these points are already known or running, so look for more points.
        return []

    def _look(self) -> tuple[set[tuple[int, Point]], float]:
        """Return pairs (plane, point) to measure, and the estimated number of later networks."""
        if self._seen is None:
            size, base = self._size, set(self._base)
            looks = [
                propose_points(*size, kinds) if self.refined else (base - kinds.keys(), 0.0)
                for kinds in self.kinds
            ]
            points = {(number, at) for number, (found, _) in enumerate(looks) for at in found}
            self._seen = points, self.planes[0].seeds * sum(more for _, more in looks)
        return self._seen

    def _ask(self, number: int, point: Point) -> list[Cell]:
        """Return the cells of a point that are neither known nor running."""
        cells = self.planes[number].cells(point)
        missing = [cell for cell in cells if cell not in self.done]
        if not missing:
            self._know(number, point, cells)
        new = [cell for cell in missing if cell not in self._waiting]
        for cell in missing:
            self._waiting.setdefault(cell, []).append((number, point))
        return new

    # Outcomes.

    def take(self, found: Iterable[tuple[Cell, CellOutcome]]) -> None:
        """Record the outcomes of some cells; ignore cells that are already known."""
        for cell, outcome in found:
            if cell in self.done:
                continue
            self.done[cell] = outcome
            for number, point in self._waiting.pop(cell, ()):
                cells = self.planes[number].cells(point)
                if all(each in self.done for each in cells):
                    self._know(number, point, cells)

    def _know(self, number: int, point: Point, cells: Sequence[Cell]) -> None:
        outcomes = [self.done[cell] for cell in cells]
        kind = self.kinds[number][point] = kind_of(outcomes)
        accuracy = self.accuracies[number][point] = median_accuracy(outcomes)
        self._seen = None
        plane = self.planes[number]
        self.rows.append(_row(number, point, plane, cells[0], outcomes, kind, accuracy))

    def cells(self) -> list[Cell]:
        """Return the networks of all known points, plane by plane."""
        known = zip(self.planes, self.kinds, strict=True)
        found = (plane.cells(point) for plane, kinds in known for point in sorted(kinds))
        return list(dict.fromkeys(chain.from_iterable(found)))

    # Progress.

    @property
    def finished(self) -> bool:
        """Return whether no cell is running and no point remains to be measured."""
        return not self._waiting and not self._look()[0] - self._asked

    @property
    def base_done(self) -> bool:
        return all(point in kinds for kinds in self.kinds for point in self._base)

    def phase(self) -> Phase:
        if not all(point in self.kinds[number] for number, point in self._first):
            return "first"
        if not self.base_done:
            return "base"
        return "done" if self.finished else "refining"

    def total(self) -> int:
        """Return the approximate number of networks that the complete map will have."""
        base = len(self._base) * len(self.planes) * self.planes[0].seeds
        known = len(self.done) + len(self._waiting)
        return max(base, known) + round(self._look()[1])


def _first_points(columns: int, rows: int) -> set[Point]:
    """Return points spread over a map, without the top row, which may cost as much as the rest."""
    across = np.linspace(0, columns - 1, min(FIRST_COLUMNS, columns)).round().astype(int).tolist()
    last = rows - 1 if rows <= FIRST_ROWS else rows - 2
    up = np.linspace(0, last, min(FIRST_ROWS, rows)).round().astype(int).tolist()
    return {(FINEST * i, FINEST * j) for i in across for j in up}


COLUMNS = (
    "network", "i", "j", "x", "y", "kind", "test_accuracy", "test_loss", "break_step",
    "break_layer", "break_reason", "learned", "steps", "state", "hill", "slow",
)  # fmt: skip


def median_accuracy(outcomes: Sequence[CellOutcome]) -> float:
    """Return the median test accuracy over the seeds of a cell, 0 to 1, with NaN as 0."""
    return float(np.median([reached(each.test_accuracy) for each in outcomes]))


def _row(
    number: int, point: Point, plane: Plane, cell: Cell, outcomes: Sequence[CellOutcome], kind: str,
    accuracy: float,
) -> list[Any]:  # fmt: skip
    """Return a point as JSON values for a browser, in the order of `COLUMNS`.

    `learned` is the share of seeds that learned. `slow` is 1 if all seeds that did not learn are
    slow. `i` and `j` count whole steps. Kind and accuracy summarize all seeds; the other values
    come from the first seed.
    """
    first, hill = plain_outcome(outcomes[0]), outcomes[0].hills
    slow = kind != "learned" and all(each.slow or each.learned for each in outcomes)
    known = first["test_accuracy"] is not None or len(outcomes) > 1
    return [
        number, point[0] // FINEST, point[1] // FINEST,
        plane.columns.at(point[0]), plane.rows.at(point[1]), kind,
        accuracy if known else None, first["test_loss"],
        first["break_step"], first["break_layer"], first["break_reason"] or None,
        sum(each.learned for each in outcomes) / len(outcomes), cell.steps, first["state"],
        None if hill is None else b64encode(hill).decode(), int(slow),
    ]  # fmt: skip
