"""Which steps of a run are worth keeping one by one: those around breaks and live changes.

Which steps a worker is asked to show again: those around breaks and changes that no frame shows.

Bounded: so many steps are asked for at a time, so many places wait to be looked at, and while a
knob is dragged nothing is asked for around the values it passes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

# Every step this close to a break or a live change is kept, or replayed.
AROUND = 50
# So many places where something happened have their surroundings kept, the oldest changes give way.
MOST_EVENT_SPANS = 200

Span = tuple[int, int]


@dataclass(slots=True)
class EventSpan:
    """Breaks and changes that lie within `AROUND` steps, from the first to the last."""

    first: int
    last: int
    broke: bool


class ProtectedSteps:
    """Steps of breaks and changes, bounded in number however many changes come.

    Of a drag the first and the last value count: `tail` is the last one so far.
    """

    def __init__(self) -> None:
        self._places: list[EventSpan] = []
        self._first_change: int | None = None
        self._last_change: int | None = None
        self._drag = 0
        self.tail: int | None = None

    def __len__(self) -> int:
        return len(self._places) + (self.tail is not None)

    def add_break(self, step: int) -> bool:
        """A network broke. False: nothing around it is new."""
        return self._add(step, broke=True)

    def add_change(self, step: int, drag: int = 0) -> bool:
        """A knob was changed, by a drag of this number or by itself (0).

        Returns:
            Whether steps around it are to be kept that were not before.
        """
        if self._first_change is None:
            self._first_change = step
        self._last_change = step
        if drag and drag == self._drag:
            moved, self.tail = step != self.tail, step
            return moved
        self._settle()
        self._drag = drag
        return self._add(step, broke=False)

    def centres(self) -> list[int]:
        """Steps whose surroundings hold everything that is protected, ascending."""
        ends = {end for place in self._places for end in (place.first, place.last)}
        return sorted(ends if self.tail is None else {*ends, self.tail})

    def spans(self, reach: int) -> list[Span]:
        """First and last step of what lies within `reach` steps of a centre; apart, ascending."""
        return _joined((centre - reach, centre + reach) for centre in self.centres())

    def essential(self) -> list[Span]:
        """The breaks, the first and the last change alone."""
        steps = {end for place in self._places if place.broke for end in (place.first, place.last)}
        steps |= {step for step in (self._first_change, self._last_change) if step is not None}
        return [(step, step) for step in sorted(steps)]

    def until(self, step: int) -> ProtectedSteps:
        """What of this lies at or before a step."""
        early = ProtectedSteps()
        early._places = [
            EventSpan(place.first, min(place.last, step), place.broke)
            for place in self._places if place.first <= step
        ]  # fmt: skip
        if self._first_change is not None and self._first_change <= step:
            early._first_change = self._first_change
            early._last_change = min(self._last_change or 0, step)
        if self.tail is not None:
            early._add(min(self.tail, step), broke=False)
        return early

    def _settle(self) -> None:
        """A drag is over: where it ended is a place like any other."""
        tail, self.tail = self.tail, None
        if tail is not None:
            self._add(tail, broke=False)

    def _add(self, step: int, *, broke: bool) -> bool:
        at = bisect_right(self._places, step, key=lambda place: place.first)
        for place in self._places[max(0, at - 1) : at + 1]:
            first, last = min(place.first, step), max(place.last, step)
            if last - first <= AROUND:
                known = (first, last) == (place.first, place.last)
                place.first, place.last = first, last
                place.broke |= broke
                return not known
        self._places.insert(at, EventSpan(step, step, broke))
        if len(self._places) > MOST_EVENT_SPANS:
            self._places.remove(self._least())
        return True

    def _least(self) -> EventSpan:
        """The place to give up: the oldest of changes, but not of the first and the last one."""
        ends = (self._first_change, self._last_change)
        changes = (
            place for place in self._places
            if not place.broke
            and not any(end is not None and place.first <= end <= place.last for end in ends)
        )  # fmt: skip
        return next(changes, self._places[0])


def _joined(spans: Iterator[Span]) -> list[Span]:
    """Ascending spans, with those that meet made one."""
    joined: list[Span] = []
    for first, last in spans:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


# Steps asked for at a time, and places that wait; of more the oldest are forgotten.
MOST_REQUESTED = 4 * (2 * AROUND + 1)
MOST_WAITING = 12
# If nothing has come for so many looks, the worker has dropped what was asked of it.
PATIENCE = 20

Missing = Callable[[int, int], list[int]]


class Backfill:
    """Places still to be looked at, and the steps that were asked for."""

    def __init__(self) -> None:
        # By place the steps that were asked for on its behalf, so that none is asked for twice.
        self._waiting: dict[int, set[int]] = {}
        self._asked: set[int] = set()
        self._tail: int | None = None
        self._tail_stands = False
        self._silent = 0

    def add(self, centre: int) -> None:
        """Look at the steps around this one, once they have been passed."""
        self._waiting.setdefault(centre, set())
        while len(self._waiting) > MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]

    def follow(self, tail: int | None) -> None:
        """Where a drag has come to; None: it is over, and its end is a place like any other."""
        if tail == self._tail:
            return
        if tail is not None and self._tail is not None:
            self._waiting.pop(self._tail, None)
        if tail is not None:
            self.add(tail)
        self._tail, self._tail_stands = tail, False

    def start_again(self, centres: Iterable[int]) -> None:
        """Another worker has the run: what was asked of the last one is lost."""
        self._waiting.clear()
        self._asked.clear()
        for centre in centres:
            self.add(centre)

    def arrived(self, step: int) -> None:
        """A step that was asked for is shown."""
        self._asked.discard(step)
        self._silent = 0

    def ask(self, missing: Missing, newest: int, *, stands: bool) -> list[int]:
        """The steps to ask for now; called by the clock.

        Args:
            missing: of (centre, newest), the steps around a centre that no frame shows.
            newest: the run's step.
            stands: whether it stands still, so that there is no need to wait for what follows.
        """
        self._silent = self._silent + 1 if self._asked else 0
        if self._silent > PATIENCE:
            self._asked.clear()
        wanted: list[int] = []
        for centre in reversed(list(self._waiting)):
            if centre == self._tail and not self._tail_stands:
                # A drag that goes on has left this value by the next look.
                self._tail_stands = True
                continue
            passed = newest >= centre + AROUND
            if passed or stands:
                wanted += self._around(centre, missing(centre, newest), forget=passed)
        return sorted(wanted)

    def _around(self, centre: int, missing: list[int], *, forget: bool) -> list[int]:
        asked_before = self._waiting[centre]
        new = [step for step in missing if step not in asked_before and step not in self._asked]
        now = new[: max(0, MOST_REQUESTED - len(self._asked))]
        asked_before.update(now)
        self._asked.update(now)
        if forget and len(now) == len(new):
            del self._waiting[centre]
        return now
