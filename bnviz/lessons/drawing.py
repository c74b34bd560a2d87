"""A curve that a learner draws before a run: five points, and which answer they amount to.

In an address it is `draw:95,10,10,60,90`: the values of the points from left to right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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
        """How far a drawn curve lies from the measured one, on average over the steps measured.

        Raises:
            ValueError: nothing was measured between the first point and the last.
        """
        drawn = self.curve(points)
        apart = [abs(value - drawn[step]) for step, value in measured.items() if step in drawn]
        if not apart:
            raise ValueError("Nothing was measured where something was drawn.")
        return sum(apart) / len(apart)


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
