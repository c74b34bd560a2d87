"""When a worker counts as hung: one slice has lasted too long, of the time that it could use.

A worker that merely gets no processor, on a machine with much else to do, must not be blamed: while
it is ready to run, only the processor time that it got counts. While it is stopped, asleep or waits
for something, all time counts; so it does where the system has no `/proc`.
"""

from __future__ import annotations

import os
from pathlib import Path

from bnviz.live.protocol.heartbeat import Heartbeat, Slice

# A slice may last this many steps of its run, if that is longer than the setting.
STEPS = 4


class HangWatch:
    """Looked at every so often, it adds up the time of the slice that a worker is in.

    Args:
        heartbeat: the worker's page.
        pid: the worker.
    """

    def __init__(self, heartbeat: Heartbeat, pid: int) -> None:
        self._heartbeat, self._pid = heartbeat, pid
        self._count, self._seconds = 0, 0.0
        self._looked_at, self._cpu = 0.0, 0.0

    def overdue(self, hang_seconds: float, now: float) -> Slice | None:
        """The slice that has lasted too long, if the worker is in one.

        Args:
            hang_seconds: what any slice may last.
            now: monotonic seconds.
        """
        current = self._heartbeat.read()
        if current is None:
            return None
        ready, cpu = _processor(self._pid)
        if current.count != self._count:
            self._count, self._seconds = current.count, 0.0
        else:
            passed = now - self._looked_at
            self._seconds += min(passed, cpu - self._cpu) if ready else passed
        self._looked_at, self._cpu = now, cpu
        limit = max(hang_seconds, STEPS * current.step_seconds)
        return current if self._seconds > limit else None


def _processor(pid: int) -> tuple[bool, float]:
    """Whether a process is running or ready to, and the processor seconds that it had so far."""
    try:
        # The name, in parentheses, may hold anything; the state and the numbers come after it.
        facts = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return facts[0] == b"R", (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return False, 0.0
