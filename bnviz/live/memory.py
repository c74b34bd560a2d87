"""Memory of runs that have ended goes back to the system.

The C library keeps what was freed between blocks that are still in use, and networks of many sizes
leave many such gaps: after sixty different runs, half of a process's memory was of that kind.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

# It takes up to a tenth of a second, so it is done rarely, and only by an idle process.
PAUSE_SECONDS = 10.0


def trim() -> None:
    """Give freed memory back, where the C library can (glibc)."""
    if sys.platform == "linux":
        give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if give_back is not None:
            give_back(0)


class FreedMemory:
    """Gives memory back after runs have ended.

    Args:
        trim: gives it back.
        clock: seconds.
    """

    def __init__(
        self, trim: Callable[[], None] = trim, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._trim, self._clock = trim, clock
        self._ended, self._trimmed_at = 0, clock()

    def give_back(self, ended: int) -> None:
        """Give it back, if need be; to be called by an idle process.

        Args:
            ended: how many runs have ended so far.
        """
        now = self._clock()
        if ended != self._ended and now - self._trimmed_at >= PAUSE_SECONDS:
            self._ended, self._trimmed_at = ended, now
            self._trim()
