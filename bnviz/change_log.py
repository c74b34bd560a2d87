"""The live changes of a run in order, and the gestures they make up: a drag has many values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.actions import knobs_in
from bnviz.records import Change


def plain_change(change: Change) -> dict[str, Any]:
    """A live change for JSON; a value of a drag has the drag's number."""
    drag = {"drag": change.drag} if change.drag else {}
    return {"step": change.step, "values": dict(change.values), **drag}


def read_change(given: Mapping[str, Any]) -> Change:
    """Take back what `plain_change` gave; JSON makes lists of tuples."""
    values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given["values"].items()
    }
    return Change(step=int(given["step"]), values=values, drag=int(given.get("drag", 0)))


@dataclass
class Gesture:
    """A single change, or all values of one drag.

    Attributes:
        before: the knobs as they were, as far as that is known.
        values: the knobs as it left them, and its actions.
        changes: what it consists of, in order.
    """

    before: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    @property
    def drag(self) -> int:
        """Number of the drag; 0 for a single change."""
        return self.changes[0].drag

    @property
    def step(self) -> int:
        """The step before which its first value took effect."""
        return self.changes[0].step

    @property
    def last_step(self) -> int:
        """The step before which its last value took effect."""
        return self.changes[-1].step


class ChangeLog(list[Change]):
    """Every value that took effect, in order.

    Of several values of one drag before the same step only the last one is kept: no step was taken
    with the others. `add` alone writes to it.

    Args:
        start: the knobs before any change, as far as they are known.
        changes: the first ones.

    Attributes:
        gestures: the same, drag by drag, in order of their first value.
    """

    def __init__(self, start: Mapping[str, Any], changes: Iterable[Change] = ()) -> None:
        super().__init__()
        self._start = start
        self._now = dict(start)
        # The gesture that each of them belongs to.
        self._gesture_of: list[Gesture] = []
        self._drags: dict[int, Gesture] = {}
        self.gestures: list[Gesture] = []
        for change in changes:
            self.add(change)

    def add(self, change: Change) -> bool:
        """Note a change that took effect.

        Returns:
            Whether a gesture begins with it; False for a further value of a drag.
        """
        gesture = self._drags.get(change.drag) if change.drag else None
        begins = gesture is None
        if gesture is None:
            gesture = Gesture()
            self.gestures.append(gesture)
            if change.drag:
                self._drags[change.drag] = gesture
        elif self._replaces_last(change):
            for kept in (self, self._gesture_of, gesture.changes):
                kept.pop()
        for name, value in knobs_in(change.values).items():
            if name in self._now:
                gesture.before.setdefault(name, self._now[name])
            self._now[name] = value
        gesture.values.update(change.values)
        gesture.changes.append(change)
        self.append(change)
        self._gesture_of.append(gesture)
        return begins

    def up_to(self, step: int) -> ChangeLog:
        """The log as it was at a step: itself, if nothing changed after."""
        if self.last_step <= step:
            return self
        return ChangeLog(self._start, self[: self._after(step)])

    def backwards(self, first: int, last: int) -> Iterator[tuple[Change, Gesture]]:
        """The changes between two steps, both included, the newest first, with their gestures."""
        for at in range(self._after(last) - 1, self._after(first - 1) - 1, -1):
            yield self[at], self._gesture_of[at]

    @property
    def now(self) -> dict[str, Any]:
        """The knobs after all changes, as far as they are known."""
        return dict(self._now)

    @property
    def last_step(self) -> int:
        """The step of the last change; 0 without any."""
        return self[-1].step if self else 0

    @property
    def last_drag(self) -> int:
        """The largest number a drag has; 0 without any."""
        return max(self._drags, default=0)

    def _after(self, step: int) -> int:
        """How many changes there were by a step."""
        return bisect_right(self, step, key=lambda change: change.step)

    def _replaces_last(self, change: Change) -> bool:
        last = self[-1]
        same = (last.step, last.drag) == (change.step, change.drag)
        return same and last.values.keys() == change.values.keys()
