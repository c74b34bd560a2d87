"""Closes connections on which no whole request comes: Uvicorn would wait for one forever.

Each of them takes one of the process's descriptors, and costs the other side nothing. Uvicorn has a
limit only for connections that are silent after an answer.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import uvicorn

from bnviz.live import log

# Seconds between two looks at all connections, at most.
LOOK_SECONDS = 1.0


class HalfOpen:
    """The connections that wait for a request, and since when.

    Args:
        seconds: how long a connection may wait.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # By connection, the last request that it has had, and since when it waits for another.
        self._waiting: dict[Any, tuple[Any, float]] = {}

    def close_overdue(self, connections: Iterable[Any], now: float) -> int:
        """Close the connections that have waited too long; what was answered is still sent.

        Args:
            connections: Uvicorn's protocols. A WebSocket waits until it is open.
            now: monotonic seconds.

        Returns:
            How many were closed.
        """
        before, self._waiting = self._waiting, {}
        overdue = []
        for connection in connections:
            last: Any = getattr(connection, "cycle", None)
            if not _waits(connection):
                continue
            known = before.get(connection)
            since = known[1] if known is not None and known[0] is last else now
            self._waiting[connection] = last, since
            if now - since > self._seconds and not connection.transport.is_closing():
                overdue.append(connection)
        for connection in overdue:
            connection.transport.close()
        return len(overdue)


def _waits(connection: Any) -> bool:
    """Whether it is for the other side to send something."""
    if hasattr(connection, "handshake_complete"):
        # A WebSocket. Uvicorn never answers a handshake with a header that is too long.
        return not connection.handshake_complete
    if not hasattr(connection, "cycle"):
        return False
    return connection.cycle is None or bool(connection.cycle.response_complete)


def running_servers() -> list[uvicorn.Server]:
    """Uvicorn's servers in this process; to be called before `gc.freeze`.

    Streamlit hands out none, so they are looked for among all objects.
    """
    return [each for each in gc.get_objects() if type(each) is uvicorn.Server]


async def close_half_open(servers: Sequence[uvicorn.Server], seconds: float) -> None:
    """Close connections that wait for a request longer than this, until cancelled."""
    half_open = HalfOpen(seconds)
    while servers:
        await asyncio.sleep(min(LOOK_SECONDS, seconds / 2))
        connections = [*chain.from_iterable(each.server_state.connections for each in servers)]
        with log.guarded("half-open connections not closed"):
            if closed := half_open.close_overdue(connections, time.monotonic()):
                log.event("half-open connections closed", count=closed)
