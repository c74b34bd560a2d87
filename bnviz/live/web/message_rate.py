"""How many messages of a kind one socket may send: so many a second, and as many at once."""

from __future__ import annotations

import time
from collections.abc import Callable


class MessageRate:
    """A bucket of tokens.

    Args:
        per_second: how fast it fills; also how much it holds.
        clock: seconds of a monotonic clock.
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._clock = per_second, clock
        self._left, self._at = per_second, clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self._clock()
        self._left = min(self._per_second, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
