"""The socket of a run: everybody watches, its owner's browser turns live knobs as well.

All other control goes through the page's script.
"""

from __future__ import annotations

import contextlib
import re

import anyio
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.live import current_hub, log
from bnviz.live.errors import LiveError, NoSuchRun, NotYours
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import (
    Ack,
    BadMessage,
    ClientMessage,
    FrameRate,
    SetKnob,
    Want,
    read,
)
from bnviz.live.protocol.frames import WIRE_VERSION
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.runs.viewer import Viewer
from bnviz.live.web.connections import CUT
from bnviz.live.web.owner import owner_in
from bnviz.live.web.request_source import same_host
from bnviz.words.phrase import phrase

RUN_ID = re.compile(r"[0-9a-f]{32}")
BAD_MESSAGES = 20
# While a knob is dragged, values come at the rate of the screen; the hub passes on fewer.
KNOBS_PER_SECOND = 120
CLOSE_SECONDS = 1.0
# Close codes: policy, try again later, and our own for a run that is over.
POLICY, LATER, GONE = 1008, 1013, 4404


def run_socket(base: str) -> WebSocketRoute:
    """`/live/<run id>`."""
    return WebSocketRoute(f"{base}/live/{{run}}", watch)


async def watch(websocket: WebSocket) -> None:
    """Serve one viewer until either side ends."""
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
        hub.viewers.join(run_id, viewer, owner_in(websocket.headers))
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
        code = await _until_either_ends(websocket, run_id, viewer)
    finally:
        hub.viewers.leave(run_id, viewer)
        if code is None:
            # Whoever left may have left bytes behind that nobody reads any more; they would keep
            # the connection, and with it the server, from ending.
            websocket.scope.get(CUT, _nothing)()
    with anyio.move_on_after(CLOSE_SECONDS):
        if code is not None:
            await websocket.close(code)


async def _until_either_ends(websocket: WebSocket, run_id: str, viewer: Viewer) -> int | None:
    """Send and receive at once. Returns the code to close with; None if the socket is gone."""
    hostile = False

    async def send() -> None:
        try:
            await viewer.serve()
        except TimeoutError:
            viewer.drop()
        except (WebSocketDisconnect, RuntimeError):
            # The peer closed while we were sending; servers differ in how they say it.
            pass
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(send)
        hostile = await _receive(websocket, run_id, viewer)
        group.cancel_scope.cancel()
    if hostile:
        return POLICY
    return GONE if viewer.finished else None


async def _receive(websocket: WebSocket, run_id: str, viewer: Viewer) -> bool:
    """Take in what the browser says until it leaves. True if it was nonsense too often."""
    bad, limit = 0, current_hub().settings.message_bytes
    knobs = RateLimiter(KNOBS_PER_SECOND, seconds=1.0)
    while bad < BAD_MESSAGES:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return False
        try:
            said = read(message.get("text") or message.get("bytes"), limit)
            if isinstance(said, SetKnob) and not knobs.take():
                often = phrase("errors.so_often", times=KNOBS_PER_SECOND)
                raise BadMessage("knob", said.knob, often)
            _take(said, run_id, viewer)
        except NotYours:
            bad += 1
        except BadMessage as problem:
            bad += 1
            viewer.offer(server_messages.error(problem.field, problem.value, problem.allowed))
    return True


def _take(said: ClientMessage, run_id: str, viewer: Viewer) -> None:
    if isinstance(said, Ack):
        viewer.acknowledge(said.seq)
    elif isinstance(said, FrameRate):
        viewer.limit_rate(said.max_fps)
    elif isinstance(said, Want):
        current_hub().viewers.want(run_id, viewer, said.probes)
    elif isinstance(said, SetKnob):
        current_hub().viewers.set_knob(run_id, viewer, said)
    else:
        current_hub().viewers.hide(run_id, viewer, said.hidden)


async def _refuse(websocket: WebSocket, why: server_messages.Message, code: int) -> None:
    await websocket.send_text(server_messages.encode(why))
    await websocket.close(code)


def _nothing() -> None:
    """The server gives no way to cut a connection."""
