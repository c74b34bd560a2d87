"""Steps of a plan that a run does not leave before everything is measured there, for a while."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

# So long a run waits for what every page shows, and for what its plan needs.
MOST_SECONDS, MOST_SECONDS_NEEDED = 2.0, 10.0


class Hold:
    """Whether a run is held at its step, and until when.

    Args:
        steps: at which it is.
        needed: probes that are waited for the longest.
    """

    def __init__(self, steps: Collection[int], needed: Collection[str]) -> None:
        self._steps, self._needed = frozenset(steps), frozenset(needed)
        self._began = -math.inf

    @property
    def on(self) -> bool:
        """Whether the run is held."""
        return self._began > -math.inf

    def come_to(self, step: int, now: float) -> bool:
        """The run is at a step. Returns whether it is held there."""
        self._began = now if step in self._steps else -math.inf
        return self.on

    def until(self, unmeasured: Sequence[str], now: float, *, shown: bool) -> float:
        """When the run may go on at the latest; a time in the past: now.

        Args:
            unmeasured: probes that have no values of this step yet.
            now: seconds of the monotonic clock.
            shown: whether a frame has all values that there are.
        """
        if not self.on:
            return -math.inf
        if unmeasured or not shown:
            needed = not shown or not self._needed.isdisjoint(unmeasured)
            end = self._began + (MOST_SECONDS_NEEDED if needed else MOST_SECONDS)
            if now < end:
                return end
        self._began = -math.inf
        return self._began
