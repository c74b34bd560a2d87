"""What is known of a map, and which of its networks are to be run next.

Nothing here runs a network: whoever has workers asks for stacks, and says what came of them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from itertools import chain, product
from typing import Any, Literal

import numpy as np

from bnviz.records import reached
from bnviz.sweeps.cells import Cell, Outcome, plain_outcome
from bnviz.sweeps.plane import Plane, kind_of
from bnviz.sweeps.refine import FINEST, Point, base_points, look
from bnviz.sweeps.stack_sizes import into_stacks, longest_first

# The first picture of a map: so many of its columns and rows.
FIRST_COLUMNS, FIRST_ROWS = 4, 3

Phase = Literal["first", "base", "refining", "done"]


class Survey:
    """One map, from its first cell to its last.

    A cell is asked for once; who asked for it and loses it runs it again.

    Args:
        planes: the maps of its networks, which have the same axes and seeds.
        refined: whether points between whole steps are wanted too, where networks differ.

    Attributes:
        across, up: its axes.
        norms: of its networks, in order.
        done: what became of every network that was run.
        rows: the points that are known, in the order in which they became known: see `_row`.
        kinds: what became of the points, network by network.
        accuracies: their test accuracies, as `median_accuracy` has them.
    """

    def __init__(self, planes: Sequence[Plane], *, refined: bool = False) -> None:
        self.planes, self.refined = planes, refined
        self.across, self.up = planes[0].columns, planes[0].rows
        self.norms = tuple(plane.config.norms[0] for plane in planes)
        self.done: dict[Cell, Outcome] = {}
        self.rows: list[list[Any]] = []
        self.kinds: list[dict[Point, str]] = [{} for _ in planes]
        self.accuracies: list[dict[Point, float]] = [{} for _ in planes]
        self._size = len(self.across.rungs), len(self.up.rungs)
        self._base = base_points(*self._size)
        self._first = set(product(range(len(planes)), _first_points(*self._size)))
        # Points that wait for each cell that is under way: where a knob has whole numbers only,
        # several share one.
        self._waiting: dict[Cell, list[tuple[int, Point]]] = {}
        self._asked: set[tuple[int, Point]] = set()
        self._seen: tuple[set[tuple[int, Point]], float] | None = None

    # What comes next.

    def next_stacks(self, *, at_least: int = 1) -> list[list[Cell]]:
        """Stacks to be run now, the longest first; none while what they follow from is under way.

        First a coarse picture of the whole, then every whole step, then perhaps what lies between.

        Args:
            at_least: see `into_stacks`.
        """
        while new := (self._first - self._asked) or (self._look()[0] - self._asked):
            self._asked |= new
            cells = dict.fromkeys(cell for each in sorted(new) for cell in self._ask(*each))
            if cells:
                return longest_first(into_stacks(cells, at_least=at_least))
            # All of them share cells with points that are known: look again.
        return []

    def _look(self) -> tuple[set[tuple[int, Point]], float]:
        """Points that are wanted, by plane, and about how many networks will be after them."""
        if self._seen is None:
            size, base = self._size, set(self._base)
            looks = [
                look(*size, kinds) if self.refined else (base - kinds.keys(), 0.0)
                for kinds in self.kinds
            ]
            points = {(number, at) for number, (found, _) in enumerate(looks) for at in found}
            self._seen = points, self.planes[0].seeds * sum(more for _, more in looks)
        return self._seen

    def _ask(self, number: int, point: Point) -> list[Cell]:
        """The cells of a point that are neither known nor under way."""
        cells = self.planes[number].cells(point)
        missing = [cell for cell in cells if cell not in self.done]
        if not missing:
            self._know(number, point, cells)
        new = [cell for cell in missing if cell not in self._waiting]
        for cell in missing:
            self._waiting.setdefault(cell, []).append((number, point))
        return new

    # What came of it.

    def take(self, found: Iterable[tuple[Cell, Outcome]]) -> None:
        """Take in what became of some cells; one that is known already is not counted again."""
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
        """The networks of all points that are known, plane by plane."""
        known = zip(self.planes, self.kinds, strict=True)
        found = (plane.cells(point) for plane, kinds in known for point in sorted(kinds))
        return list(dict.fromkeys(chain.from_iterable(found)))

    # How far it is.

    @property
    def finished(self) -> bool:
        """Whether nothing is under way and nothing more wanted."""
        return not self._waiting and not self._look()[0] - self._asked

    @property
    def base_done(self) -> bool:
        """Whether every whole step of both ladders is known."""
        return all(point in kinds for kinds in self.kinds for point in self._base)

    def phase(self) -> Phase:
        """Where it is."""
        if not all(point in self.kinds[number] for number, point in self._first):
            return "first"
        if not self.base_done:
            return "base"
        return "done" if self.finished else "refining"

    def total(self) -> int:
        """About how many networks there will have been in the end."""
        base = len(self._base) * len(self.planes) * self.planes[0].seeds
        known = len(self.done) + len(self._waiting)
        return max(base, known) + round(self._look()[1])


def _first_points(columns: int, rows: int) -> set[Point]:
    """Points spread over the whole, but for the topmost row: it may cost as much as all below."""
    across = np.linspace(0, columns - 1, min(FIRST_COLUMNS, columns)).round().astype(int).tolist()
    last = rows - 1 if rows <= FIRST_ROWS else rows - 2
    up = np.linspace(0, last, min(FIRST_ROWS, rows)).round().astype(int).tolist()
    return {(FINEST * i, FINEST * j) for i in across for j in up}


COLUMNS = (
    "network", "i", "j", "x", "y", "kind", "test_accuracy", "test_loss", "break_step",
    "break_layer", "break_reason", "learned", "steps", "state", "hill", "slow",
)  # fmt: skip


def median_accuracy(outcomes: Sequence[Outcome]) -> float:
    """Test accuracy over the seeds of a cell, 0 to 1; what is not finite counts as 0."""
    return float(np.median([reached(each.test_accuracy) for each in outcomes]))


def _row(
    number: int, point: Point, plane: Plane, cell: Cell, outcomes: Sequence[Outcome], kind: str,
    accuracy: float,
) -> list[Any]:  # fmt: skip
    """A point as a browser gets it, in the order of `COLUMNS`: JSON's own values.

    The share `learned` and the test accuracy are those of all seeds; `slow` is 1 where all seeds
    that did not learn are slow. All else is of the first seed. `i` and `j` count whole steps, and
    `hill` is base64 of its bins.
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
