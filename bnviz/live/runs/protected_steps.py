"""The steps around breaks and live changes: their frames are kept, and missing ones are backfilled.

A run at full pace shows few of its steps. Near a break or a live change every step matters, so the
history protects the frames there, and asks the worker to replay the steps that have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

# Every step this close to a break or a live change is kept, or replayed.
AROUND = 50
# At most so many event spans are kept; the oldest one without a break is dropped first.
MOST_EVENT_SPANS = 200
# At most so many steps are requested of the worker and not shown yet.
MOST_REQUESTED = 4 * (2 * AROUND + 1)
# At most so many centres wait for their surroundings to be complete; the oldest is dropped first.
MOST_WAITING = 12
# If so many calls of `take` pass without a replayed frame, the worker has dropped the requests.
PATIENCE = 20

# Called with (centre, newest step of the run): the steps around the centre that no frame shows.
MissingSteps = Callable[[int, int], list[int]]


@dataclass(slots=True)
class EventSpan:
    """Breaks and changes no more than `AROUND` steps apart.

    Attributes:
        first: step of the first one.
        last: step of the last one.
        broke: whether a break is among them.
    """

    first: int
    last: int
    broke: bool


class ProtectedSteps:
    """The steps of breaks and changes, bounded in number however many changes come.

    Of a drag, which may have hundreds of values, only the first and the last one count.

    Attributes:
        drag_end: the step of the newest value of the drag that goes on; None: there is none, or it
            had one value so far.
    """

    def __init__(self) -> None:
        self._events: list[EventSpan] = []
        # The steps of the first and the last change.
        self._changes: list[int] = []
        self._drag = 0
        self.drag_end: int | None = None

    def __len__(self) -> int:
        return len(self._events) + (self.drag_end is not None)

    def add_break(self, step: int) -> bool:
        """Protect the steps around a break. Returns whether there are new ones among them."""
        return self._add(step, broke=True)

    def add_change(self, step: int, drag: int = 0) -> bool:
        """Protect the steps around a live change.

        Args:
            step: at which it took effect.
            drag: the number of the drag that it belongs to; 0: none.

        Returns:
            Whether there are newly protected steps.
        """
        self._changes = [*self._changes[:1], step]
        if drag and drag == self._drag:
            moved, self.drag_end = step != self.drag_end, step
            return moved
        self._end_drag()
        self._drag = drag
        return self._add(step, broke=False)

    def centres(self) -> list[int]:
        """The steps whose surroundings are protected, ascending."""
        ends = {end for event in self._events for end in (event.first, event.last)}
        return sorted(ends if self.drag_end is None else {*ends, self.drag_end})

    def breaks(self) -> list[int]:
        """The steps of breaks, and of changes close to one, ascending."""
        return [end for event in self._events if event.broke for end in (event.first, event.last)]

    def essential(self) -> list[int]:
        """The steps of the breaks and of the first and the last change, ascending."""
        return sorted({*self.breaks(), *self._changes})

    def _end_drag(self) -> None:
        """Protect the last value of a drag as if it were a change of its own."""
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
        """The oldest span without a break that holds neither the first nor the last change."""
        changes = (
            event for event in self._events
            if not event.broke
            and not any(event.first <= step <= event.last for step in self._changes)
        )  # fmt: skip
        return next(changes, self._events[0])


class Backfill:
    """Requests for the missing frames around the steps of breaks and changes, the centres.

    No step is requested twice of one worker. While a knob is dragged, nothing is requested around
    the values that it passes.
    """

    def __init__(self) -> None:
        # By centre, the steps that were requested on its behalf.
        self._waiting: dict[int, set[int]] = {}
        # Of these, the steps that no frame has come of yet.
        self._requested: set[int] = set()
        self._drag_end: int | None = None
        self._drag_rests = False
        self._calls_in_vain = 0

    def add(self, centre: int) -> None:
        """Request the missing frames around a step, once the run has passed them."""
        self._waiting.setdefault(centre, set())
        while len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def follow_drag(self, end: int | None) -> None:
        """Make the step of a drag's newest value a centre, instead of that of the value before.

        Args:
            end: the step; None: no drag goes on, and the last one's end stays a centre.
        """
        if end == self._drag_end:
            return
        if end is not None and self._drag_end is not None:
            self._waiting.pop(self._drag_end, None)
        if end is not None:
            self.add(end)
        self._drag_end, self._drag_rests = end, False

    def start_again(self, centres: Iterable[int]) -> None:
        """Forget all requests, since another worker has the run, and begin with these centres."""
        self._waiting.clear()
        self._requested.clear()
        for centre in centres:
            self.add(centre)

    def arrived(self, step: int) -> None:
        self._requested.discard(step)
        self._calls_in_vain = 0

    def take(self, missing: MissingSteps, newest: int, *, rests: bool) -> list[int]:
        """The steps to request of the worker now, ascending. To be called at regular intervals.

        Args:
            missing: the steps around a centre that no frame shows.
            newest: the run's step.
            rests: whether the run takes no steps now, so that the missing ones will not come.
        """
        self._calls_in_vain = self._calls_in_vain + 1 if self._requested else 0
        if self._calls_in_vain > PATIENCE:
            self._requested.clear()
        steps: list[int] = []
        for centre in reversed(list(self._waiting)):
            if centre == self._drag_end and not self._drag_rests:
                # A drag that goes on has another newest value at the next call.
                self._drag_rests = True
                continue
            passed = newest >= centre + AROUND
            if passed or rests:
                steps += self._request(centre, missing(centre, newest), complete=passed)
        return sorted(steps)

    def _request(self, centre: int, missing: list[int], *, complete: bool) -> list[int]:
        """Request as many of the missing steps as may be; give these.

        Args:
            centre: the step that they are around.
            missing: the steps.
            complete: whether the run has passed all steps around the centre, which is then
                forgotten if all are requested.
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
    """Whether one of the ascending centres is at most `reach` steps away."""
    at = bisect_left(centres, step - reach)
    return at < len(centres) and centres[at] <= step + reach
