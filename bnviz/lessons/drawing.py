"""Curves that a learner draws before a run: five points each, and which answer they amount to.

In an address one is `draw:95,10,10,60,90`: the values of the points from left to right. Where there
are several, the points of one follow those of the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from statistics import fmean

import numpy as np

from bnviz.lessons.watched import Watched

POINTS = 5
HIGHEST = 100
# Steps in which points move towards a typical drawing.
PARTS = 50
PREFIX = "draw:"
_VALUE = r"(?:100|[1-9]?[0-9])"
MOST_CURVES = 2
_WRITTEN = re.compile(rf"{PREFIX}({_VALUE}(?:,{_VALUE}){{0,{MOST_CURVES * POINTS - 1}}})")

# Of all curves, one after the other.
Points = tuple[int, ...]
Curve = Mapping[int, float]


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What a lesson asks its reader to draw.

    Attributes:
        on: the chart, or the widget, over which it is drawn.
        network: whose curve it is, for its colour; "" in a widget.
        charted: whether what was measured stands there as well; else the drawing brings it.
        steps: at which the points stand, ascending.
        last_step: where the axis of steps ends; it begins at 0.
        percent: whether values are percentages; else plain numbers. Either way from 0 to 100.
        marks: steps at which something is done, by the key of its words.
        curves: keys of the curves, in the order in which they are drawn; their names are a table
            of the words. One alone needs no name.
        chosen: whether the reader may choose one of the answers instead.
        answer: which of the lesson's answers the curves amount to, given the value of each at every
            step from the first point to the last; None: none of them.
        usual: a typical drawing of each answer.
        measured: the same curves as a run gave them, at the steps at which they were measured; one
            alone as itself. Raises NotMeasured where they were not.
        compared: the number by which what was drawn is compared with what was measured, a
            difference of values; None: the last value of the first curve.
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
    measured: Callable[[Watched], Curve | tuple[Curve, ...]]
    compared: Callable[..., float] | None = None

    def drawn(self, points: Points) -> tuple[dict[int, float], ...]:
        """The value of each curve at every step, from the points of all of them."""
        return tuple(map(self.curve, _by_curve(points)))

    def nearest(self, points: Points) -> str:
        """The answer that curves come to with the least change of the point that moves most.

        All points move in equal parts towards those of the answer's typical drawing, until the
        curves are that answer.
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

    def courses(self, watched: Watched) -> tuple[Curve, ...]:
        """What was measured, a curve each.

        Raises:
            NotMeasured: it was not.
        """
        found = self.measured(watched)
        return found if isinstance(found, tuple) else (found,)

    def number(self, *curves: Curve) -> float:
        """The number by which curves are compared with others."""
        return self.compared(*curves) if self.compared else curves[0][self.steps[-1]]

    def distances(self, points: Points, measured: Sequence[Curve]) -> float:
        """How far drawn curves lie from the measured ones, on average over all of them."""
        pairs = zip(_by_curve(points), measured, strict=True)
        return fmean(self.distance(part, curve) for part, curve in pairs)

    def curve(self, points: Points) -> dict[int, float]:
        """The value at every step from the first point to the last, on straight lines."""
        found: dict[int, float] = {}
        for (first, low), (last, high) in pairwise(zip(self.steps, points, strict=True)):
            for step in range(first, last + 1):
                # Divided last, so that a point is met exactly: rules compare values with limits.
                found[step] = low + (high - low) * (step - first) / (last - first)
        return found

    def distance(self, points: Points, measured: Curve) -> float:
        """How far a drawn curve lies from the measured one, on average over all steps drawn.

        Between steps that were measured the measured one is straight: so this does not hang on
        how often a machine comes to measure.

        Raises:
            ValueError: what was measured does not reach from the first point to the last.
        """
        drawn, known = self.curve(points), sorted(measured)
        if not known or known[0] > self.steps[0] or known[-1] < self.steps[-1]:
            raise ValueError(f"measured: steps {known[:1]} to {known[-1:]}, drawn: {self.steps}")
        there = np.interp([*drawn], known, [measured[step] for step in known])
        return float(np.abs(there - [*drawn.values()]).mean())


def _by_curve(points: Points) -> list[Points]:
    """The points of each curve."""
    return [points[at : at + POINTS] for at in range(0, len(points), POINTS)]


def climb(curve: Curve) -> float:
    """How far a curve comes up at most from what it had before."""
    values = [curve[step] for step in sorted(curve)]
    lowest = accumulate(values, min)
    return max(value - low for value, low in zip(values, lowest, strict=True))


def fall(curve: Curve) -> float:
    """How far a curve comes down at most from what it had before."""
    return climb({step: -value for step, value in curve.items()})


def read_points(text: str, curves: int | None = 1) -> Points | None:
    """The points of `draw:…`.

    Args:
        text: as an address has it.
        curves: how many; None: however many there are.

    Returns:
        The points of all curves; None where the text is not five whole numbers from 0 to 100 each.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    points = tuple(int(value) for value in found.group(1).split(","))
    fits = len(points) % POINTS == 0 and curves in (None, len(points) // POINTS)
    return points if fits else None


def write_points(points: Sequence[object]) -> str:
    """As an address has them."""
    return PREFIX + ",".join(map(str, points))
