"""Protection and backfill of the frames around breaks and live changes.

At full pace, few steps have a frame, but every step near a break or live change matters.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Number of steps on either side of a break or live change whose frames are protected.
AROUND = 50
# Maximum number of event spans. If there are more, the oldest span without a break is dropped
# first.
MOST_EVENT_SPANS = 200
# Maximum number of steps that are requested from the worker and have not arrived.
MOST_REQUESTED = 4 * (2 * AROUND + 1)
# Maximum number of centres (breaks and changes) around which frames are still missing. If there are
# more, the oldest centre is dropped.
MOST_WAITING = 12
# Number of calls of `take` without a replayed frame after which the requests count as lost.
PATIENCE = 20

# (centre, newest step of the run) -> steps around the centre without a frame.
MissingSteps = Callable[[int, int], list[int]]


@dataclass(slots=True)
class EventSpan:
    """Span of breaks and changes at most `AROUND` steps apart. `broke` is true if one of them is a
    break.
    """

    first: int
    last: int
    broke: bool


class ProtectedSteps:
    """Steps of breaks and changes, limited in number.

    Only the first and last value of a drag count. `drag_end` is the step of the newest value in the
    current drag, or None before its second value.
    """

    def __init__(self) -> None:
        self._events: list[EventSpan] = []
        # Steps of the first and last change.
        self._changes: list[int] = []
        self._drag = 0
        self.drag_end: int | None = None

    def __len__(self) -> int:
        return len(self._events) + (self.drag_end is not None)

    def add_break(self, step: int) -> bool:
        """Protect the steps around a break. Return whether new steps became protected."""
        return self._add(step, broke=True)

    def add_change(self, step: int, drag: int = 0) -> bool:
        """Protect the steps around a live change. Return whether new steps became protected.

        `drag` is the number of the drag that the change belongs to, or 0.
        """
        self._changes = [*self._changes[:1], step]
        if drag and drag == self._drag:
            moved, self.drag_end = step != self.drag_end, step
            return moved
        self._end_drag()
        self._drag = drag
        return self._add(step, broke=False)

    def centres(self) -> list[int]:
        """Return the steps whose surroundings are protected, ascending."""
        ends = {end for event in self._events for end in (event.first, event.last)}
        return sorted(ends if self.drag_end is None else {*ends, self.drag_end})

    def breaks(self) -> list[int]:
        """Return the steps of breaks, and of changes close to a break, ascending."""
        return [end for event in self._events if event.broke for end in (event.first, event.last)]

    def essential(self) -> list[int]:
        """Return the steps of the breaks, the first change and the last change, ascending."""
        return sorted({*self.breaks(), *self._changes})

    def _end_drag(self) -> None:
        """Protect the last value of a drag like a separate change."""
        step, self.drag_end = self.drag_end, None
        if step is not None:
            self._add(step, broke=False)

    def _add(self, step: int, *, broke: bool) -> bool:
        at = bisect_right(self._events, step, key=lambda event: event.first)
        for event in self._events[max(0, at - 1) : at + 1]:
            first, last = min(event.first, step), max(event.last, step)
            if last - first <= AROUND:
                known = (first, last) == (event.first, event.last)
                event.first, event.last = first, last
                event.broke |= broke
                return not known
        self._events.insert(at, EventSpan(step, step, broke))
        if len(self._events) > MOST_EVENT_SPANS:
            self._events.remove(self._least_important())
        return True

    def _least_important(self) -> EventSpan:
        """Return the oldest span that contains neither a break nor the first or last change. If
        there is no such span, return the oldest span.
        """
        changes = (
            event for event in self._events
            if not event.broke
            and not any(event.first <= step <= event.last for step in self._changes)
        )  # fmt: skip
        return next(changes, self._events[0])


class Backfill:
    """Requests for missing frames around the steps (centres) of breaks and changes.

    Each step is requested at most once per worker. During a drag, intermediate values are skipped.
    """

    def __init__(self) -> None:
        # Steps requested around each centre, by the step of the centre.
        self._waiting: dict[int, set[int]] = {}
        # Requested steps whose frames have not arrived.
        self._requested: set[int] = set()
        self._drag_end: int | None = None
        self._drag_stopped = False
        self._calls_in_vain = 0

    def add(self, centre: int) -> None:
        """Register a step around which to request missing frames once the run has passed them."""
        self._waiting.setdefault(centre, set())
        while len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def follow_drag(self, end: int | None) -> None:
        """Make the newest end of a drag a centre, in place of the drag's previous end.

        None means that the drag is over. Its last end then remains a centre.
        """
        if end == self._drag_end:
            return
        if end is not None and self._drag_end is not None:
            self._waiting.pop(self._drag_end, None)
        if end is not None:
            self.add(end)
        self._drag_end, self._drag_stopped = end, False

    def start_again(self, centres: Iterable[int]) -> None:
        """Discard all requests and start with these centres, because another worker has the run."""
        self._waiting.clear()
        self._requested.clear()
        for centre in centres:
            self.add(centre)

    def arrived(self, step: int) -> None:
        self._requested.discard(step)
        self._calls_in_vain = 0

    def take(self, missing: MissingSteps, newest: int, *, stopped: bool) -> list[int]:
        """Return the steps to request from the worker now, ascending. Call at regular intervals.

        If `stopped`, do not wait until the run has passed all steps around a centre.
        """
        self._calls_in_vain = self._calls_in_vain + 1 if self._requested else 0
        if self._calls_in_vain > PATIENCE:
            self._requested.clear()
        steps: list[int] = []
        for centre in reversed(list(self._waiting)):
            if centre == self._drag_end and not self._drag_stopped:
                # Skip the end of an active drag, because the next call will have a newer one.
                self._drag_stopped = True
                continue
            passed = newest >= centre + AROUND
            if passed or stopped:
                steps += self._request(centre, missing(centre, newest), complete=passed)
        return sorted(steps)

    def _request(self, centre: int, missing: list[int], *, complete: bool) -> list[int]:
        """Request as many missing steps as the limit allows, and return them.

        A centre is removed if `complete` (the run has passed its surroundings) and all missing
        steps around it have been requested.
        """
        before = self._waiting[centre]
        new = [step for step in missing if step not in before and step not in self._requested]
        now = new[: max(0, MOST_REQUESTED - len(self._requested))]
        before.update(now)
        self._requested.update(now)
        if complete and len(now) == len(new):
            del self._waiting[centre]
        return now


def is_near(step: int, centres: Sequence[int], reach: int) -> bool:
    """Return whether any of the ascending centres is at most `reach` steps away."""
    at = bisect_left(centres, step - reach)
    return at < len(centres) and centres[at] <= step + reach
