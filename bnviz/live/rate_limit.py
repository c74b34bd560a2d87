"""How often something may be had: by an address, by an owner, over a socket."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from bnviz.recent import RecentlyUsed

MINUTE = 60.0
# Keys remembered at a time: whoever comes from more addresses than these can have more of anything.
MOST_KEYS = 10_000


class RateLimiter:
    """A token bucket for each key: it holds `limit` tokens and is filled from empty in `seconds`.

    Of a key's bucket one number is kept: when it will be full again. A token that is taken moves
    that time by `seconds / limit`; further than `seconds` from now it cannot lie. A full bucket is
    not kept at all, and where there are too many the one that was used longest ago is forgotten.
    """

    def __init__(
        self,
        limit: float,
        seconds: float = MINUTE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin with full buckets.

        Args:
            limit: tokens of a full bucket.
            seconds: in which an empty one is filled.
            clock: monotonic, in seconds.
        """
        self._seconds, self._each, self._clock = seconds, seconds / limit, clock
        self._full_at: RecentlyUsed[str, float] = RecentlyUsed(MOST_KEYS)
        self._refused_at: RecentlyUsed[str, float] = RecentlyUsed(MOST_KEYS)

    def __len__(self) -> int:
        return len({*self._full_at, *self._refused_at})

    def take(self, key: str = "") -> bool:
        """Take a token. False: there is none, and nothing was taken."""
        now = self._clock()
        self._forget(now)
        may = self.may_take(key)
        if may:
            self._full_at.put(key, max(now, self._full_at.get(key) or now) + self._each)
        return may

    def may_take(self, key: str = "") -> bool:
        """Whether `take` would succeed. If not, `wait` says for how long."""
        now = self._clock()
        may = self._missing(key, now) <= 0
        if not may:
            self._refused_at.put(key, now)
        return may

    def wait(self, key: str = "") -> int | None:
        """Whole seconds until a token is there, at least 1.

        None unless one was refused within the last `seconds`.
        """
        now = self._clock()
        refused_at = self._refused_at.get(key)
        if refused_at is None or refused_at < now - self._seconds:
            return None
        return max(1, math.ceil(self._missing(key, now)))

    def _missing(self, key: str, now: float) -> float:
        """Seconds until the next token, less what may be rounding; 0 or less: one is there."""
        full_at = max(now, self._full_at.get(key) or now)
        return full_at + self._each * (1 - 1e-6) - now - self._seconds

    def _forget(self, now: float) -> None:
        """Forget full buckets, and refusals that `wait` tells nothing of any more."""
        for moments, until in (self._full_at, now), (self._refused_at, now - self._seconds):
            while (oldest := next(iter(moments.items()), None)) and oldest[1] <= until:
                moments.pop(oldest[0])
