"""Two knobs as the axes of a map: ladders of values, and what lies between their rungs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bnviz.config import RunConfig
from bnviz.sweeps.cells import Cell, Done, Outcome
from bnviz.sweeps.refine import FINEST, Point, wanted

# Knobs of which there are whole numbers only, and knobs whose ladders are even steps.
WHOLE = ("batch_size", "depth")
EVEN = ("depth",)


@dataclass(frozen=True)
class Axis:
    """A knob and the rungs of its ladder, ascending.

    Attributes:
        knob: a field of `RunConfig`.
        rungs: at least one value.
    """

    knob: str
    rungs: tuple[float, ...]

    def at(self, eighths: int) -> float:
        """The value so many eighths of a step up the ladder: by equal ratios, of depth evenly."""
        index, part = divmod(eighths, FINEST)
        low = self.rungs[index]
        if part:
            high, share = self.rungs[index + 1], part / FINEST
            even = low + (high - low) * share
            low = even if self.knob in EVEN else low * (high / low) ** share
        return round(low) if self.knob in WHOLE else low


@dataclass(frozen=True)
class Plane:
    """One network's map.

    Attributes:
        config: all but the two knobs; has one norm.
        columns: the axis across.
        rows: the axis up.
        steps: optimization steps of each cell.
        seeds: runs of each cell, from the config's seed upwards.
    """

    config: RunConfig
    columns: Axis
    rows: Axis
    steps: int
    seeds: int = 1

    def cells(self, point: Point) -> list[Cell]:
        """The networks of a point, one for each seed.

        Raises:
            ConfigError: its values are out of a knob's range.
        """
        values = {
            self.columns.knob: self.columns.at(point[0]),
            self.rows.knob: self.rows.at(point[1]),
        }
        first = self.config.seed
        return [
            Cell(self.config.replace(**values, learning_rates=None, seed=seed), self.steps)
            for seed in range(first, first + self.seeds)
        ]

    def wanted(self, kinds: Mapping[Point, str]) -> set[Point]:
        """The points to be measured next; see `refine.wanted`."""
        return wanted(len(self.columns.rungs), len(self.rows.rungs), kinds)


def kind_of(outcomes: Sequence[Outcome]) -> str:
    """What became of most seeds of a cell."""
    return Counter(outcome.kind for outcome in outcomes).most_common(1)[0][0]


Run = Callable[[Sequence[Cell]], Iterator[Done]]


def refine(planes: Sequence[Plane], run: Run, done: dict[Cell, Outcome]) -> Iterator[Done]:
    """Measure maps until every border is known to an eighth of a step.

    Args:
        planes: the maps.
        run: runs cells.
        done: what has been measured already; what is found is put there too.
    """
    while True:
        asked: dict[Cell, None] = {}
        for plane in planes:
            for point in plane.wanted(known_kinds(plane, done)):
                asked |= dict.fromkeys(cell for cell in plane.cells(point) if cell not in done)
        if not asked:
            return
        for found in run(list(asked)):
            done.update(found)
            yield found


def known_kinds(plane: Plane, done: Mapping[Cell, Outcome]) -> dict[Point, str]:
    """What became of a map's points, as far as it is known.

    Points between which a knob has no whole number share a cell.
    """
    kinds: dict[Point, str] = {}
    while True:
        more = {}
        for point in plane.wanted(kinds):
            cells = plane.cells(point)
            if all(cell in done for cell in cells):
                more[point] = kind_of([done[cell] for cell in cells])
        if not more:
            return kinds
        kinds |= more
