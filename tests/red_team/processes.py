"""Process failures that an attack might cause: a worker dies or stops."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from typing import Any

from tests.red_team.attack import attack
from tests.red_team.target import STATUS_TOKEN, Target

# Durations in seconds of the attack that kills a worker and of the attack that stops a worker. Each
# is more than twice the time until the worker is replaced. A stopped worker is replaced after the
# command's `silence_seconds`.
KILLED, STOPPED = 8.0, 30.0
# Seconds over which the busy time of the workers is compared.
BUSY_SECONDS = 2.5


async def workers(target: Target) -> list[dict[str, Any]]:
    """Return the workers listed by `/status`."""
    headers = {"Accept": "application/json", "Authorization": f"Bearer {STATUS_TOKEN}"}
    answer = await target.ask("/status", headers=headers)
    found: list[dict[str, Any]] = answer.json["workers"]
    return found


async def busiest(target: Target) -> int:
    """Return the process id of the busiest worker, which has the watched run."""
    before = {worker["pid"]: worker["busy_seconds"] for worker in await workers(target)}
    await asyncio.sleep(BUSY_SECONDS)
    now = {worker["pid"]: worker["busy_seconds"] for worker in await workers(target)}
    return max(before.keys() & now.keys(), key=lambda pid: float(now[pid] - before[pid]))


async def _replaced(target: Target, signal_number: signal.Signals, seconds: float) -> str:
    """Send a signal to the busiest worker, and check that another worker replaces it."""
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
    assert took is not None, f"the worker was not replaced within {seconds:g} s"
    return f"replaced after {took:.1f} s of {seconds:g}"


@attack
async def killed_worker(target: Target) -> str:
    """Kill the busiest worker, and wait eight seconds for a replacement."""
    return await _replaced(target, signal.SIGKILL, KILLED)


@attack
async def stopped_worker(target: Target) -> str:
    """Stop the busiest worker, and wait thirty seconds for a replacement."""
    return await _replaced(target, signal.SIGSTOP, STOPPED)
