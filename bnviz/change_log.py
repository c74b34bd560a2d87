"""Log of a run's live changes, grouped into gestures: single changes or drags with many values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bnviz.actions import knobs_in
from bnviz.records import Change


def plain_change(change: Change) -> dict[str, Any]:
    """Convert a live change to JSON values, including the number of the drag if there is one."""
    drag = {"drag": change.drag} if change.drag else {}
    return {"step": change.step, "values": dict(change.values), **drag}


def read_change(given: Mapping[str, Any]) -> Change:
    """Return the change that `plain_change` converted, with JSON lists turned back into tuples."""
    values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given["values"].items()
    }
    return Change(step=int(given["step"]), values=values, drag=int(given.get("drag", 0)))


@dataclass
class Gesture:
    """Single change or whole drag; `before` and `values` are its old and new knob values."""

    before: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    @property
    def drag(self) -> int:
        """Number of the drag, or 0 for a single change."""
        return self.changes[0].drag

    @property
    def step(self) -> int:
        """Step before which the first value took effect."""
        return self.changes[0].step

    @property
    def last_step(self) -> int:
        """Step before which the last value took effect."""
        return self.changes[-1].step


class ChangeLog(list[Change]):
    """All changes that took effect, in order. Add changes only with `add`.

    If a drag has several values before the same step, only the last value is kept, because no step
    used the others. `gestures` has the same changes, grouped by drag.
    """

    def __init__(self, start: Mapping[str, Any], changes: Iterable[Change] = ()) -> None:
        super().__init__()
        self._start = start
        self._now = dict(start)
        # Gesture of each change.
        self._gesture_of: list[Gesture] = []
        self._drags: dict[int, Gesture] = {}
        self.gestures: list[Gesture] = []
        for change in changes:
            self.add(change)

    def add(self, change: Change) -> bool:
        """Record a change. Return True if it begins a gesture, False if it continues a drag."""
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
        """Return the log as it was at a step, or this log itself if nothing changed later."""
        if self.last_step <= step:
            return self
        return ChangeLog(self._start, self[: self._after(step)])

    def backwards(self, first: int, last: int) -> Iterator[tuple[Change, Gesture]]:
        """Yield changes from step `first` to step `last`, newest first, each with its gesture."""
        for at in range(self._after(last) - 1, self._after(first - 1) - 1, -1):
            yield self[at], self._gesture_of[at]

    @property
    def now(self) -> dict[str, Any]:
        """Values of the knobs after all changes, as far as they are known."""
        return dict(self._now)

    @property
    def last_step(self) -> int:
        """Step of the last change, or 0 without changes."""
        return self[-1].step if self else 0

    @property
    def last_drag(self) -> int:
        """Largest drag number, or 0 without drags."""
        return max(self._drags, default=0)

    def _after(self, step: int) -> int:
        """Return the number of changes up to and including a step."""
        return bisect_right(self, step, key=lambda change: change.step)

    def _replaces_last(self, change: Change) -> bool:
        last = self[-1]
        same = (last.step, last.drag) == (change.step, change.drag)
        return same and last.values.keys() == change.values.keys()
