"""WebSocket of a run, through which browsers watch the run and its owner sets live knobs."""

from __future__ import annotations

import contextlib
import re

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.config import ConfigError
from bnviz.live import current_hub, log
from bnviz.live.errors import LiveError, NoSuchRun, NotYours
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import (
    Ack,
    Act,
    BadMessage,
    Beat,
    ClientMessage,
    FrameRate,
    Hidden,
    SetKnob,
    Want,
    read,
)
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.runs.viewer import Viewer
from bnviz.live.web.connections import cut_connection
from bnviz.live.web.owner import issuer, owner_in
from bnviz.live.web.request_source import client_address, same_host
from bnviz.live.web.security import LATER, POLICY
from bnviz.words.phrase import phrase

RUN_ID = re.compile(r"[0-9a-f]{32}")
# Number of invalid or forbidden messages after which a browser is disconnected.
MOST_BAD_MESSAGES = 20
# Maximum number of knob values and actions per second. The app's own pages send about 30.
KNOBS_PER_SECOND = 120
# Maximum number of messages, and the seconds in which they are counted. The app's own pages send at
# most 100 per second, but after a pause of the server the messages of several seconds arrive at
# once.
MOST_MESSAGES, MESSAGES_SECONDS = 1_000, 5.0
# Maximum number of characters in the name of a browser tab.
LONGEST_TAB = 32
# Timeout for closing a WebSocket.
CLOSE_SECONDS = 1.0
# WebSocket close code of this app for a run that has ended.
GONE = 4404


async def watch(websocket: WebSocket) -> None:
    """Serve one viewer until the browser disconnects or the run ends."""
    if not same_host(websocket.headers):
        log.event("origin refused", origin=str(websocket.headers.get("origin"))[:200])
        await websocket.close(POLICY)
        return
    await websocket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        await _serve(websocket, websocket.path_params["run"])


async def _serve(websocket: WebSocket, run_id: str) -> None:
    hub = current_hub()
    if websocket.query_params.get("v", str(WIRE_VERSION)) != str(WIRE_VERSION):
        await _refuse(websocket, server_messages.notice("reload"), POLICY)
        return
    viewer = Viewer(websocket.send_text, hub.settings.send_seconds)
    try:
        if not RUN_ID.fullmatch(run_id):
            raise NoSuchRun
        tab = websocket.query_params.get("tab", "")[:LONGEST_TAB]
        address = client_address(websocket.scope, issuer().trusted)
        hub.viewers.join(run_id, viewer, owner_in(websocket.headers), tab, address)
    except NoSuchRun:
        await _refuse(websocket, server_messages.notice("expired"), GONE)
        return
    except LiveError as refusal:
        await _refuse(
            websocket, server_messages.notice("error", **server_messages.words_of(refusal)), LATER
        )
        return
    code = None
    try:
        code = await _send_and_receive(websocket, viewer)
    finally:
        hub.viewers.leave(viewer)
        if code is None:
            # Unread bytes would keep the connection open, and a stopping server waits for all
            # connections.
            cut_connection(websocket.scope)
    with anyio.move_on_after(CLOSE_SECONDS):
        if code is not None:
            await websocket.close(code)


async def _send_and_receive(websocket: WebSocket, viewer: Viewer) -> int | None:
    """Serve a viewer. Return the close code, or None if the connection is already lost."""
    hostile = False

    async def send() -> None:
        try:
            await viewer.serve()
        except TimeoutError:
            viewer.drop()
        except (WebSocketDisconnect, RuntimeError):
            # The browser disconnected while a message was sent. The exception depends on the server
            # library.
            pass
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(send)
        hostile = await _receive(websocket, viewer)
        group.cancel_scope.cancel()
    if hostile:
        return POLICY
    return GONE if viewer.finished else None


async def _receive(websocket: WebSocket, viewer: Viewer) -> bool:
    """Receive messages until the browser disconnects. Return True if it exceeded a limit."""
    bad, limit = 0, current_hub().settings.message_bytes
    knobs = RateLimiter(KNOBS_PER_SECOND, seconds=1.0)
    messages = RateLimiter(MOST_MESSAGES, seconds=MESSAGES_SECONDS)
    while bad < MOST_BAD_MESSAGES:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return False
        if not messages.take():
            return True
        try:
            content = read(message.get("text") or message.get("bytes"), limit)
            if isinstance(content, SetKnob | Act) and not knobs.take():
                often = phrase("errors.so_often", times=KNOBS_PER_SECOND)
                refused = ConfigError(content.name, content.value, often)
                current_hub().viewers.change(viewer, content, refused)
                bad += 1
            else:
                _take(content, viewer)
        except NotYours:
            bad += 1
        except BadMessage as problem:
            bad += 1
            viewer.offer(problem.plain())
    return True


def _take(message: ClientMessage, viewer: Viewer) -> None:
    """Handle a message of a viewer. Raise `NotYours` if it would change another owner's run."""
    viewers = current_hub().viewers
    match message:
        case Ack():
            viewer.acknowledge(message.seq)
        case Beat():
            viewer.beat()
        case FrameRate():
            viewer.limit_rate(message.max_fps)
        case Hidden():
            viewers.hide(viewer, message.hidden)
        case Want():
            viewers.want(viewer, message.probes)
        case SetKnob() | Act():
            viewers.change(viewer, message)


async def _refuse(websocket: WebSocket, why: server_messages.Message, code: int) -> None:
    await websocket.send_text(server_messages.encode(why))
    await websocket.close(code)
