"""What is not a stranger's doing, but may follow from it: a worker dies, or stops."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from typing import Any

from tests.red_team.attack import attack
from tests.red_team.target import STATUS_TOKEN, Target

# Seconds of each attack, more than twice as long as a worker is missing: one that stops is replaced
# after the command's `silence_seconds`.
KILLED, STOPPED = 8.0, 30.0
# Seconds in which workers tell how much they have done.
BUSY_SECONDS = 2.5


async def workers(target: Target) -> list[dict[str, Any]]:
    """The server's workers, as it tells."""
    headers = {"Accept": "application/json", "Authorization": f"Bearer {STATUS_TOKEN}"}
    answer = await target.ask("/status", headers=headers)
    found: list[dict[str, Any]] = answer.json["workers"]
    return found


async def busiest(target: Target) -> int:
    """The process of the busiest worker: the one that has the watched run."""
    before = {worker["pid"]: worker["busy_seconds"] for worker in await workers(target)}
    await asyncio.sleep(BUSY_SECONDS)
    now = {worker["pid"]: worker["busy_seconds"] for worker in await workers(target)}
    return max(before.keys() & now.keys(), key=lambda pid: float(now[pid] - before[pid]))


async def _replaced(target: Target, signal_number: signal.Signals, seconds: float) -> str:
    """Send a signal to the busiest worker, and see that another one takes its place."""
    pid, before, began = await busiest(target), await workers(target), time.monotonic()
    os.kill(pid, signal_number)
    took = None
    try:
        while time.monotonic() - began < seconds:
            now = await workers(target)
            there = [worker["pid"] for worker in now if worker["ready"]]
            if took is None and pid not in there and len(there) == len(before):
                took = time.monotonic() - began
            await asyncio.sleep(0.25)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    assert took is not None, f"after {seconds:g} s no other worker has taken its place"
    return f"replaced after {took:.1f} s of {seconds:g}"


@attack
async def killed_worker(target: Target) -> str:
    """Kill the busiest worker, and go on for eight seconds."""
    return await _replaced(target, signal.SIGKILL, KILLED)


@attack
async def stopped_worker(target: Target) -> str:
    """Stop the busiest worker, and go on for thirty seconds."""
    return await _replaced(target, signal.SIGSTOP, STOPPED)
