"""Two knobs as the axes of a map: ladders of values, and what lies between their rungs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnviz.config import RunConfig
from bnviz.sweeps.cells import Cell, Outcome
from bnviz.sweeps.refine import FINEST, Point

# Knobs of which there are whole numbers only, and knobs whose ladders are even steps.
WHOLE = ("batch_size", "depth", "skip")
EVEN = ("depth", "skip")
# Where every network sees the same data, it is what `steps` mini-batches of so many examples hold.
REFERENCE_BATCH = 32
# A value is written with digits enough to tell it from the next one, and one more; float32, in
# which networks are trained, tells no more than these apart.
SPARE_DIGITS = 1
MOST_DIGITS = 9


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
        """The value so many eighths of a step up the ladder: by equal ratios, of layers evenly.

        It is a whole number, or one that float32 has.
        """
        index, part = divmod(eighths, FINEST)
        low = self.rungs[index]
        if part == 0:
            return low
        high, share = self.rungs[index + 1], part / FINEST
        if self.knob in EVEN:
            return round(low + (high - low) * share)
        value = low * (high / low) ** share
        return round(value) if self.knob in WHOLE else neat(value, self._closest)

    @cached_property
    def _closest(self) -> float:
        """How much larger the next value of the finest lattice is, at least, as a share."""
        ratios = (high / low for low, high in zip(self.rungs, self.rungs[1:], strict=False))
        return min(ratios, default=2.0) ** (1 / FINEST) - 1

    @property
    def ends(self) -> bool:
        """Whether nothing lies between the values of the finest lattice."""
        if self.knob in WHOLE:
            return self.rungs[-1] - self.rungs[0] < len(self.rungs)
        return bool(self._closest < 2 * np.finfo(np.float32).eps)


def neat(value: float, gap: float) -> float:
    """A value of float32 near another one, with as few digits as tell it from its neighbours.

    Args:
        value: any.
        gap: how far away the next one is, as a share of it.
    """
    digits = math.ceil(-math.log10(gap)) + SPARE_DIGITS if gap > 0 else MOST_DIGITS
    text = f"{value:.{min(max(digits, 2), MOST_DIGITS)}g}"
    return float(str(np.float32(text)))


@dataclass(frozen=True)
class Plane:
    """One network's map.

    Attributes:
        config: all but the two knobs; has one norm.
        columns: the axis across.
        rows: the axis up.
        steps: optimization steps of each cell; with `equal_data`, of a cell whose mini-batches
            have `REFERENCE_BATCH` examples.
        seeds: runs of each cell, from the config's seed upwards.
        equal_data: every network sees as many examples, instead of taking as many steps.
    """

    config: RunConfig
    columns: Axis
    rows: Axis
    steps: int
    seeds: int = 1
    equal_data: bool = False

    def cells(self, point: Point) -> list[Cell]:
        """The networks of a point, one for each seed.

        Nothing is validated again: where a map's corners are settings, so is what lies between.
        """
        columns, rows = self.columns, self.rows
        values = {columns.knob: columns.at(point[0]), rows.knob: rows.at(point[1])}
        config = self.config.model_copy(update=values)
        steps = self.steps_of(config)
        first = self.config.seed
        return [
            Cell(config if seed == first else config.model_copy(update={"seed": seed}), steps)
            for seed in range(first, first + self.seeds)
        ]

    def steps_of(self, config: RunConfig) -> int:
        """How many steps a network takes in this setting."""
        if not self.equal_data:
            return self.steps
        return max(1, round(self.steps * REFERENCE_BATCH / config.batch_size))


def planes_of(
    config: RunConfig, columns: Axis, rows: Axis, steps: int, seeds: int, equal_data: bool = False
) -> tuple[Plane, ...]:
    """A map for each network of a config; see `Plane`."""
    alone = (config.replace(norms=(norm,), learning_rates=None) for norm in config.norms)
    return tuple(Plane(each, columns, rows, steps, seeds, equal_data) for each in alone)


def kind_of(outcomes: Sequence[Outcome]) -> str:
    """What became of most seeds of a cell."""
    return Counter(outcome.kind for outcome in outcomes).most_common(1)[0][0]
