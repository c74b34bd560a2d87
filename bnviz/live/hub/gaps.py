"""Which steps a worker is asked to show again: those around breaks and changes that no frame shows.

Bounded: so many steps are asked for at a time, so many places wait to be looked at, and while a
knob is dragged nothing is asked for around the values it passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bnviz.live.hub.key_steps import AROUND

# Steps asked for at a time, and places that wait; of more the oldest are forgotten.
MOST_ASKED = 4 * (2 * AROUND + 1)
MOST_WAITING = 12
# If nothing has come for so many looks, the worker has dropped what was asked of it.
PATIENCE = 20

Missing = Callable[[int, int], list[int]]


class Gaps:
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
        now = new[: max(0, MOST_ASKED - len(self._asked))]
        asked_before.update(now)
        self._asked.update(now)
        if forget and len(now) == len(new):
            del self._waiting[centre]
        return now
