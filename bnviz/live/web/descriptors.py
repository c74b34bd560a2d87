"""Descriptors: how many the process may have, and what happens when they run short.

Each page has a socket for Streamlit and one for its run, and each run of its script has three
descriptors of an event loop, which Python frees with its next full garbage collection. When none is
left, a server cannot even accept a connection to refuse it. So pages are refused before that.
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
except ImportError:  # not on Windows, which has no such limit
    resource = None  # type: ignore[assignment]

# The process asks for as many as these, and warns if it gets fewer than a hall needs: 300 pages,
# and 300 phones whose connections stay open.
WANTED, HALL = 65_536, 4_096
# So many are left for files, pipes to workers, and the connections of phones.
RESERVE = 128
# Garbage is collected when there are so many more, or fewer, than after the last time.
GARBAGE, GARBAGE_SECONDS = 64, 2.0
# The browser is told to try again after so many seconds.
RETRY_SECONDS = 30
# Where a process finds its own, on Linux and on macOS.
FOLDERS = ("/proc/self/fd", "/dev/fd")


def raise_limit() -> None:
    """Raise the soft limit to the hard one, and warn if that is too low for a hall."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if limit() < HALL:
        log.event("few descriptors", limit=limit(), wanted=HALL)


def limit() -> float:
    if resource is None:
        return math.inf
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return math.inf if soft == resource.RLIM_INFINITY else soft


def used() -> int:
    """How many descriptors the process has; 0 where the system does not tell."""
    for folder in FOLDERS:
        with suppress(OSError):
            return len(os.listdir(folder))
    return 0


async def collect_now_and_then() -> None:
    """Collect garbage whenever there are many more or fewer descriptors, until cancelled.

    What pages had that came or left is given back to the system, too.
    """
    before = used()
    while True:
        await asyncio.sleep(GARBAGE_SECONDS)
        if abs(used() - before) > GARBAGE:
            gc.collect()
            trim()
            before = used()


class RoomForPages:
    """ASGI middleware that answers 503 to pages for which too few descriptors are left."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._collected_at = -math.inf

    def _short(self) -> bool:
        """Whether there are too few descriptors for another page, also after garbage is collected.

        It is collected at most every few seconds: meanwhile everybody waits, and a stranger may
        ask for pages again and again.
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
    """Whether a request is for a page of Streamlit, or for the socket of one."""
    if scope["type"] == "websocket":
        return bool(scope["path"].endswith(STREAM))
    return scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", "")
