"""Release of freed memory to the operating system after runs have ended.

The C library keeps freed memory between blocks that are in use. Networks of many sizes leave many
such gaps: after sixty different runs, they were half of a process's memory.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

# Minimum number of seconds between two trims. A trim takes up to 0.1 s, so a process trims rarely,
# and only while it is idle.
PAUSE_SECONDS = 10.0


def trim() -> None:
    """Return freed memory to the system, if the C library can (glibc)."""
    if sys.platform == "linux":
        give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if give_back is not None:
            give_back(0)


# When memory runs out, the kernel kills the process with the most memory plus this many thousandths
# of all memory. A measuring process can be replaced at no cost and a worker's runs are replayed.
# But if the server ends, all runs and classes end.
MEASURER_FIRST, WORKER_NEXT = 600, 300


def be_killed_before_others(score: int) -> None:
    """Raise the score by which the Linux kernel chooses a process when memory runs out."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(score), encoding="utf-8")


class FreedMemory:
    """Trimming of memory after runs have ended, at most once per `PAUSE_SECONDS`."""

    def __init__(
        self, trim: Callable[[], None] = trim, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._trim, self._clock = trim, clock
        self._ended, self._trimmed_at = 0, clock()

    def give_back(self, ended: int) -> None:
        """Trim if runs have ended since the last trim. Call this while the process is idle."""
        now = self._clock()
        if ended != self._ended and now - self._trimmed_at >= PAUSE_SECONDS:
            self._ended, self._trimmed_at = ended, now
            self._trim()
