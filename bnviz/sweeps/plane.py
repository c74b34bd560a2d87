"""Axes of a map: two knobs with base values, and the map's points at and between these values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnviz.config import RunConfig
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.refine import FINEST, Point

# Knobs that take only whole numbers, and knobs whose base values are evenly spaced.
WHOLE = ("batch_size", "depth", "skip")
EVEN = ("depth", "skip")
# Mini-batch size that defines the amount of data with `equal_data`: every network sees as many
# examples as `steps` mini-batches of this size contain.
REFERENCE_BATCH = 32
# Number of extra digits beyond the digits that distinguish a value from the next value, and maximum
# number of digits. Networks are trained in float32, where more digits make no difference.
SPARE_DIGITS = 1
MOST_DIGITS = 9


@dataclass(frozen=True)
class Axis:
    """Knob (a field of `RunConfig`) and its base values `rungs`, ascending."""

    knob: str
    rungs: tuple[float, ...]

    def at(self, eighths: int) -> float:
        """Return the knob's value, a whole number or a float32 value, at a position counted in
        eighths of the step between rungs.
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
        """Smallest relative distance between two values of the finest grid."""
        ratios = (high / low for low, high in zip(self.rungs, self.rungs[1:], strict=False))
        return min(ratios, default=2.0) ** (1 / FINEST) - 1

    @property
    def ends(self) -> bool:
        """Return whether no new values remain between the values of the finest grid."""
        if self.knob in WHOLE:
            return self.rungs[-1] - self.rungs[0] < len(self.rungs)
        return bool(self._closest < 2 * np.finfo(np.float32).eps)


def neat(value: float, gap: float) -> float:
    """Round `value` in float32 to digits that resolve values with a relative distance of `gap`."""
    digits = math.ceil(-math.log10(gap)) + SPARE_DIGITS if gap > 0 else MOST_DIGITS
    text = f"{value:.{min(max(digits, 2), MOST_DIGITS)}g}"
    return float(str(np.float32(text)))


@dataclass(frozen=True)
class Plane:
    """Map of one network.

    Attributes:
        config: Config with one norm. It defines everything except the two knobs.
        columns, rows: Horizontal and vertical axis.
        steps: Optimization steps per cell; with `equal_data`, the steps at `REFERENCE_BATCH`.
        seeds: Number of runs per cell. Their seeds count upwards from the config's seed.
        equal_data: Whether all networks see the same number of examples, not the same number of
            steps.
    """

    config: RunConfig
    columns: Axis
    rows: Axis
    steps: int
    seeds: int = 1
    equal_data: bool = False

    def cells(self, point: Point) -> list[Cell]:
        """Return the networks of a point, one per seed. They are valid if the map's corner cells
        are valid, so they are not validated again.
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
        if not self.equal_data:
            return self.steps
        return max(1, round(self.steps * REFERENCE_BATCH / config.batch_size))


def planes_of(
    config: RunConfig, columns: Axis, rows: Axis, steps: int, seeds: int, equal_data: bool = False
) -> tuple[Plane, ...]:
    alone = (config.replace(norms=(norm,), learning_rates=None) for norm in config.norms)
    return tuple(Plane(each, columns, rows, steps, seeds, equal_data) for each in alone)
