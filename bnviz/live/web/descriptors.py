"""Limit on file descriptors, and refusal of pages when few are left.

A page uses two sockets. Each run of its script uses three descriptors of an event loop, which
Python frees at the next full garbage collection. A server without descriptors cannot even accept a
connection to refuse it, so pages are refused earlier.
"""

from __future__ import annotations

import asyncio
import gc
import math
import os
import time
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from bnviz.live import log
from bnviz.live.memory import trim
from bnviz.live.web.page_language import language_of
from bnviz.live.web.security import LATER, STREAM, refuse_socket
from bnviz.words.texts import texts

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

# Number of descriptors to request, and number needed for a lecture hall with 300 pages and 300
# phones whose connections stay open. If there are fewer descriptors, a warning is logged.
WANTED, ENOUGH_FOR_A_HALL = 65_536, 4_096
# Descriptors reserved for files, pipes to workers, and connections of phones.
RESERVE = 128
# Change in the number of descriptors that triggers a garbage collection, and seconds between
# checks.
GARBAGE, GARBAGE_SECONDS = 64, 2.0
# Seconds until the browser should retry.
RETRY_SECONDS = 30
# Folder of the process's descriptors on Linux and on macOS.
FOLDERS = ("/proc/self/fd", "/dev/fd")


def raise_limit() -> None:
    """Raise the soft limit to the hard limit, and warn if it is too low for a lecture hall."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if limit() < ENOUGH_FOR_A_HALL:
        log.event("limit of file descriptors is low", limit=limit(), wanted=ENOUGH_FOR_A_HALL)


def limit() -> float:
    if resource is None:
        return math.inf
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return math.inf if soft == resource.RLIM_INFINITY else soft


def used() -> int:
    """Return the number of the process's descriptors, or 0 if unknown."""
    for folder in FOLDERS:
        with suppress(OSError):
            return len(os.listdir(folder))
    return 0


async def collect_now_and_then() -> None:
    """Collect garbage and free memory whenever the number of descriptors has changed a lot."""
    before = used()
    while True:
        await asyncio.sleep(GARBAGE_SECONDS)
        if abs(used() - before) > GARBAGE:
            gc.collect()
            trim()
            before = used()


class RoomForPages:
    """ASGI middleware that refuses pages with status 503 if too few descriptors are left."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._collected_at = -math.inf

    def _short(self) -> bool:
        """Return whether too few descriptors are left, even after a garbage collection.

        A collection blocks all visitors, so there is at most one per `GARBAGE_SECONDS`.
        """
        now = time.monotonic()
        if used() > limit() - RESERVE and now - self._collected_at > GARBAGE_SECONDS:
            self._collected_at = now
            gc.collect()
        return used() > limit() - RESERVE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _opens_page(scope) or not self._short():
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse_socket(receive, send, LATER)
        else:
            sentence = texts("errors", language_of(scope))["server_full"]
            headers = {"Retry-After": str(RETRY_SECONDS), "Connection": "close"}
            await PlainTextResponse(sentence, 503, headers)(scope, receive, send)


def _opens_page(scope: Scope) -> bool:
    if scope["type"] == "websocket":
        return bool(scope["path"].endswith(STREAM))
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
