"""Curves that a learner draws before a run, and the answers that match these curves.

A URL contains the values of a curve's five points from left to right, as in `draw:95,10,10,60,90`.
The values of several curves follow one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from statistics import fmean

import numpy as np

from bnviz.lessons.observation import Observation

POINTS = 5
HIGHEST = 100
# Number of equal increments in which `nearest` moves points towards a typical drawing.
PARTS = 50
PREFIX = "draw:"
_VALUE = r"(?:100|[1-9]?[0-9])"
MOST_CURVES = 2
_WRITTEN = re.compile(rf"{PREFIX}({_VALUE}(?:,{_VALUE}){{0,{MOST_CURVES * POINTS - 1}}})")

# Values of all curves, one curve after the other.
Points = tuple[int, ...]
DrawnCurve = Mapping[int, float]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Drawing task of a lesson.

    Attributes:
        on: chart or widget over which the reader draws.
        network: network whose colour the curve has; "" in a widget.
        charted: whether the chart shows the measured curve, so that the drawing does not have to.
        percent: whether values are percentages. All values are from 0 to 100.
        marks: steps that are marked in the drawing, by key of their label.
        chosen: whether readers may choose an answer instead of drawing.
        answer: takes the value of each curve by step; returns an answer, or None if no answer fits.
        measured: returns the measured curves; raises NotMeasured if they are missing.
        compared: returns the number to compare, by default the last value of the first curve.
    """

    on: str
    network: str = ""
    charted: bool = True
    steps: tuple[int, ...]
    last_step: int
    percent: bool = True
    marks: Mapping[str, int] = field(default_factory=dict)
    curves: tuple[str, ...] = ("",)
    chosen: bool = False
    answer: Callable[..., str | None]
    usual: Mapping[str, Points]
    measured: Callable[[Observation], DrawnCurve | tuple[DrawnCurve, ...]]
    compared: Callable[..., float] | None = None

    def drawn(self, points: Points) -> tuple[dict[int, float], ...]:
        """Return the value of each drawn curve at every step."""
        return tuple(map(self.curve, _by_curve(points)))

    def nearest(self, points: Points) -> str:
        """Return the answer that requires the smallest change of the drawing.

        For each answer, all points move in equal increments towards its typical drawing in `usual`
        until the answer matches. The largest distance that a point has moved is the change.
        """

        def change(answer: str) -> float:
            far = max(abs(to - at) for at, to in zip(points, self.usual[answer], strict=True))
            for part in range(PARTS):
                moved = (at + (to - at) * part / PARTS
                         for at, to in zip(points, self.usual[answer], strict=True))  # fmt: skip
                if self.answer(*self.drawn(tuple(map(round, moved)))) == answer:
                    return far * part / PARTS
            return far

        return min(self.usual, key=change)

    def measured_curves(self, observed: Observation) -> tuple[DrawnCurve, ...]:
        """Return the measured curves as a tuple, even if there is only one."""
        found = self.measured(observed)
        return found if isinstance(found, tuple) else (found,)

    def drawn_number(self, *curves: DrawnCurve) -> float:
        """Return the number of a drawing that is compared with the measured number."""
        return self.compared(*curves) if self.compared else curves[0][self.steps[-1]]

    def distances(self, points: Points, measured: Sequence[DrawnCurve]) -> float:
        """Return the mean distance between the drawn and the measured curves."""
        pairs = zip(_by_curve(points), measured, strict=True)
        return fmean(self.distance(part, curve) for part, curve in pairs)

    def curve(self, points: Points) -> dict[int, float]:
        """Interpolate the points linearly, from the first step to the last."""
        found: dict[int, float] = {}
        for (first, low), (last, high) in pairwise(zip(self.steps, points, strict=True)):
            for step in range(first, last + 1):
                # Divide last, so that the curve passes exactly through each point, because rules
                # compare its values with limits.
                found[step] = low + (high - low) * (step - first) / (last - first)
        return found

    def distance(self, points: Points, measured: DrawnCurve) -> float:
        """Return the mean absolute difference between a drawn and a measured curve.

        The measured curve is interpolated linearly, so that the result does not depend on how often
        a machine measures.

        Raises:
            ValueError: the measured curve does not cover all drawn steps.
        """
        drawn, known = self.curve(points), sorted(measured)
        if not known or known[0] > self.steps[0] or known[-1] < self.steps[-1]:
            raise ValueError(
                f"`measured` must cover the steps {self.steps[0]} to {self.steps[-1]}, "
                f"got {known[:1]} to {known[-1:]}."
            )
        there = np.interp([*drawn], known, [measured[step] for step in known])
        return float(np.abs(there - [*drawn.values()]).mean())


def _by_curve(points: Points) -> list[Points]:
    return [points[at : at + POINTS] for at in range(0, len(points), POINTS)]


def climb(curve: DrawnCurve) -> float:
    """Return the largest rise of a curve above an earlier value."""
    values = [curve[step] for step in sorted(curve)]
    lowest = accumulate(values, min)
    return max(value - low for value, low in zip(values, lowest, strict=True))


def fall(curve: DrawnCurve) -> float:
    """Return the largest drop of a curve below an earlier value."""
    return climb({step: -value for step, value in curve.items()})


def read_points(text: str, curves: int | None = 1) -> Points | None:
    """Parse `draw:…`, five whole numbers from 0 to 100 per curve; return None for other text.

    Args:
        curves: required number of curves, or None for any number.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    points = tuple(int(value) for value in found.group(1).split(","))
    fits = len(points) % POINTS == 0 and curves in (None, len(points) // POINTS)
    return points if fits else None


def write_points(points: Sequence[object]) -> str:
    """Format points for a URL."""
    return PREFIX + ",".join(map(str, points))
