"""A curve that a learner draws before a run: five points, and which answer they amount to.

In an address it is `draw:95,10,10,60,90`: the values of the points from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from bnviz.lessons.watched import Watched

POINTS = 5
HIGHEST = 100
PREFIX = "draw:"
_VALUE = r"(?:100|[1-9]?[0-9])"
_WRITTEN = re.compile(rf"{PREFIX}({_VALUE}(?:,{_VALUE}){{{POINTS - 1}}})")

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
        answer: which of the lesson's answers a curve amounts to, given its value at every step
            from the first point to the last; None: none of them.
        measured: the same curve as a run gave it, at the steps at which it was measured.
            Raises NotMeasured where it was not.
    """

    on: str
    network: str = ""
    charted: bool = True
    steps: tuple[int, ...]
    last_step: int
    percent: bool = True
    marks: Mapping[str, int] = field(default_factory=dict)
    answer: Callable[[Curve], str | None]
    measured: Callable[[Watched], Curve]

    def curve(self, points: Points) -> dict[int, float]:
        """The value at every step from the first point to the last, on straight lines."""
        found: dict[int, float] = {}
        for place in range(len(self.steps) - 1):
            first, last = self.steps[place], self.steps[place + 1]
            rise = points[place + 1] - points[place]
            for step in range(first, last + 1):
                # Divided last, so that a point is met exactly: rules compare values with borders.
                found[step] = points[place] + rise * (step - first) / (last - first)
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


def climb(curve: Curve) -> float:
    """How far a curve comes up at most from what it had before."""
    values = [curve[step] for step in sorted(curve)]
    lowest = accumulate(values, min)
    return max(value - low for value, low in zip(values, lowest, strict=True))


def fall(curve: Curve) -> float:
    """How far a curve comes down at most from what it had before."""
    return climb({step: -value for step, value in curve.items()})


def read_points(text: str) -> Points | None:
    """The points of `draw:…`; None where the text is not five whole numbers from 0 to 100."""
    found = _WRITTEN.fullmatch(text)
    return tuple(int(value) for value in found.group(1).split(",")) if found else None


def write_points(points: Sequence[int]) -> str:
    """As an address has them."""
    return PREFIX + ",".join(map(str, points))


def checked_points(given: object) -> Points | None:
    """Points as a browser sends them; None where they are not."""
    if not isinstance(given, list) or len(given) != POINTS:
        return None
    if not all(type(value) is int and 0 <= value <= HIGHEST for value in given):
        return None
    return tuple(given)
