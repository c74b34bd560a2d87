"""Rate limits per key, for example per address, owner or connection."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from bnviz.recently_used import RecentlyUsed

MINUTE = 60.0
# Maximum number of keys remembered at a time. A client with more addresses can exceed any limit.
MOST_KEYS = 10_000


class RateLimiter:
    """Token bucket per key. It holds `limit` tokens and refills from empty in `seconds`.

    A bucket is stored as the time when it will be full again. Taking a token moves that time by
    `seconds / limit`, but never beyond `seconds` from now. Full buckets are not stored. Beyond
    `MOST_KEYS`, the least recently used bucket is dropped.
    """

    def __init__(
        self,
        limit: float,
        seconds: float = MINUTE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds, self._each, self._clock = seconds, seconds / limit, clock
        self._full_at: RecentlyUsed[str, float] = RecentlyUsed(MOST_KEYS)
        self._refused_at: RecentlyUsed[str, float] = RecentlyUsed(MOST_KEYS)

    def __len__(self) -> int:
        return len({*self._full_at, *self._refused_at})

    def take(self, key: str = "") -> bool:
        """Take a token and return True, or return False if no token is left."""
        now = self._clock()
        self._forget(now)
        may = self.may_take(key)
        if may:
            self._full_at.put(key, max(now, self._full_at.get(key) or now) + self._each)
        return may

    def may_take(self, key: str = "") -> bool:
        """Return whether `take` would succeed. If not, `wait` returns the seconds to wait."""
        now = self._clock()
        may = self._missing(key, now) <= 0
        if not may:
            self._refused_at.put(key, now)
        return may

    def wait(self, key: str = "") -> int | None:
        """Return the whole seconds until the next token, at least 1.

        Return None if no token was refused within the last `seconds`.
        """
        now = self._clock()
        refused_at = self._refused_at.get(key)
        if refused_at is None or refused_at < now - self._seconds:
            return None
        return max(1, math.ceil(self._missing(key, now)))

    def _missing(self, key: str, now: float) -> float:
        """Return the seconds to the next token (≤ 0 if one is free), minus a rounding margin."""
        full_at = max(now, self._full_at.get(key) or now)
        return full_at + self._each * (1 - 1e-6) - now - self._seconds

    def _forget(self, now: float) -> None:
        """Drop full buckets, and refusals that are too old for `wait`."""
        for moments, until in (self._full_at, now), (self._refused_at, now - self._seconds):
            while (oldest := next(iter(moments.items()), None)) and oldest[1] <= until:
                moments.pop(oldest[0])
