"""How often something may be had from one address.

How many messages of a kind one socket may send: so many a second, and as many at once.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

MINUTE = 60.0
# Addresses remembered at a time. Whoever has more than these can have more of anything.
MOST_ADDRESSES = 10_000


class RateLimiter:
    """Up to so many at once from each address, and as many again in every minute.

    Every address has one number: when it will have its whole allowance again. What is had moves
    that moment away by the time in which one is made up for; further than a minute it cannot lie.
    Such an address needs no place any more, and the one longest unheard of gives way to a new one.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with every address's whole allowance.

        Args:
            per_minute: how many.
            clock: tells the time in seconds.
        """
        self._each, self._clock = MINUTE / per_minute, clock
        self._whole_at: OrderedDict[str, float] = OrderedDict()
        self._refused_at: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        """How many addresses it remembers."""
        return len(self._whole_at.keys() | self._refused_at.keys())

    def take(self, address: str) -> bool:
        """Have one; False if the address has had too many."""
        now = self._clock()
        self._forget(now)
        whole_at = max(now, self._whole_at.get(address, now)) + self._each
        # A hair more than a minute is rounding.
        if whole_at > now + MINUTE + self._each * 1e-6:
            _put(self._refused_at, address, now)
            return False
        _put(self._whole_at, address, whole_at)
        return True

    def may(self, address: str) -> bool:
        """Whether `take` would give one. Where it would not, `wait` says for how long."""
        now = self._clock()
        if self._whole_at.get(address, now) + self._each <= now + MINUTE + self._each * 1e-6:
            return True
        _put(self._refused_at, address, now)
        return False

    def wait(self, address: str) -> int | None:
        """Whole seconds after which one may be had, at least 1.

        None unless one was refused within a minute.
        """
        now = self._clock()
        if self._refused_at.get(address, -math.inf) < now - MINUTE:
            return None
        whole_at = self._whole_at.get(address, now) + self._each
        # Less a hair, which is rounding.
        return max(1, math.ceil(whole_at - now - MINUTE - self._each * 1e-6))

    def _forget(self, now: float) -> None:
        """Drop what is over, the oldest first."""
        while self._whole_at and next(iter(self._whole_at.values())) <= now:
            self._whole_at.popitem(last=False)
        while self._refused_at and next(iter(self._refused_at.values())) < now - MINUTE:
            self._refused_at.popitem(last=False)


def _put(table: OrderedDict[str, float], address: str, moment: float) -> None:
    table[address] = moment
    table.move_to_end(address)
    if len(table) > MOST_ADDRESSES:
        table.popitem(last=False)


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
