"""A class, as its teacher's page has it: ask, close, reopen, reveal, withdraw, tell."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live import current_hub
from bnviz.live.addresses import LOOPBACK, source
from bnviz.live.classroom.classrooms import CODE_LENGTH, NEVER, Classroom, read_code
from bnviz.live.classroom.fields import (
    read_body,
    read_counts,
    read_location,
    read_outcome,
    read_question,
)
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotNow, NotYourClassroom
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import Endpoint, json_answer, with_json_errors
from bnviz.live.web.owner import owner_in
from bnviz.live.web.request_source import same_host
from bnviz.words.phrase import phrase

# What a question, or an address, may take as JSON.
BODY_BYTES = 16_384
BODY_SECONDS = 10.0
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
# Of a network for documentation: no packet goes there, but the machine has to say from where.
ELSEWHERE = ("192.0.2.1", 9)

Act = Callable[[Classroom, dict[str, Any]], None]


def teacher_routes(base: str) -> list[Route]:
    """`/room`, `/room/<code>` and what may be done there."""
    acts: dict[str, Act] = {
        "ask": lambda room, given: room.ask(*read_question(given)),
        "again": lambda room, given: room.again(),
        "close": lambda room, given: room.close(),
        "reopen": lambda room, given: room.reopen(),
        "drop": lambda room, given: room.drop(),
        "reveal": lambda room, given: room.reveal(),
        "hands": lambda room, given: room.count_hands(read_counts(given, _answers(room))),
        "happened": lambda room, given: room.tell(read_outcome(given, _answers(room))),
    }
    one = f"{base}/room/{{code}}"
    return [
        Route(f"{base}/room", with_json_errors(_opening(base)), methods=["POST"]),
        Route(one, with_json_errors(look), methods=["GET"]),
        Route(one, with_json_errors(end), methods=["DELETE"]),
        Route(f"{one}/place", with_json_errors(_acting(lambda r, g: r.go(read_location(g, base)))),
              methods=["PUT"]),
        *(Route(f"{one}/{name}", with_json_errors(_acting(act)), methods=["POST"])
          for name, act in acts.items()),
    ]  # fmt: skip


def _opening(base: str) -> Endpoint:
    async def open_room(request: Request) -> Response:
        """This browser's room; a new one if it has none."""
        check_origin(request)
        given = await read_body(request, BODY_BYTES, BODY_SECONDS)
        said = given.get("code")
        code = read_code(said) if isinstance(said, str) else None
        if said is not None and code is None:
            raise BadMessage("code", said, code_allowed())
        owner, rooms = owner_in(request.headers), current_hub().rooms
        if owner is None:
            raise LimitReached("owner", phrase("errors.room_needs_cookie"))
        if rooms.of_owner(owner) is None:
            rooms.ballots.count_room(request.scope)
        room = rooms.own(owner, rooms.open(owner, code).code)
        return json_answer(
            orjson.dumps({
                "code": room.code, "server": rooms.server, "ballot": f"/b/{room.code}",
                "watch": f"/w/{room.code}", "host_hint": _host_hint(request),
            })
        )  # fmt: skip

    return open_room


async def look(request: Request) -> Response:
    """How the class stands."""
    body = _state(_own(request))
    tag = f'"{hashlib.blake2b(body, digest_size=8).hexdigest()}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "no-store"})
    answer = json_answer(body)
    answer.headers["ETag"] = tag
    return answer


async def end(request: Request) -> Response:
    """The class is over."""
    check_origin(request)
    current_hub().rooms.end(_own(request), "dismissed")
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


def _acting(act: Act) -> Endpoint:
    async def answer(request: Request) -> Response:
        check_origin(request)
        room = _own(request)
        act(room, await read_body(request, BODY_BYTES, BODY_SECONDS))
        return json_answer(_state(room))

    return answer


def check_origin(request: Request) -> None:
    """Make sure that a page of ours sent this.

    Raises:
        LimitReached: it was another site's, or no page's.
    """
    if not same_host(request.headers):
        raise LimitReached("origin", phrase("errors.other_site"))


def code_allowed() -> Any:
    """What a code may be."""
    return phrase("errors.code", count=CODE_LENGTH, never=NEVER)


def _own(request: Request) -> Classroom:
    """The room in a request's path, if it is of its browser.

    Whoever tries codes here learns nothing: those of others count as wrong ones, and when an
    address has had too many of these, it is told of none that it exists.
    """
    said, rooms = request.path_params["code"], current_hub().rooms
    code = read_code(said)
    if code is None:
        raise BadMessage("code", said, code_allowed())
    try:
        return rooms.own(owner_in(request.headers), code)
    except (NoSuchClassroom, NotYourClassroom) as problem:
        ballots = rooms.ballots
        if not ballots.may_try(request.scope):
            raise NoSuchClassroom(code) from None
        if not (isinstance(problem, NoSuchClassroom) and problem.gone):
            ballots.count_wrong(request.scope)
        raise


def _state(room: Classroom) -> bytes:
    return orjson.dumps({"server": current_hub().rooms.server, **room.state()})


def _answers(room: Classroom) -> int:
    """How many answers the present question has."""
    if room.question is None:
        raise NotNow(phrase("errors.nothing_asked"))
    return len(room.question.answers)


def _host_hint(request: Request) -> str | None:
    """Under which host and port others may reach a server that is asked for as `localhost`.

    None where that was not so, or the machine is on no network. Whether the server listens there is
    for who serves it to see to.
    """
    asked = urlsplit(f"//{request.headers.get('host', '')}")
    peer = request.client.host if request.client else None
    forwarded = "x-forwarded-for" in request.headers
    if asked.hostname not in LOCAL_NAMES or forwarded or source(peer, (), ()) != LOOPBACK:
        return None
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(ELSEWHERE)
            port = f":{asked.port}" if asked.port else ""
            return f"{asking.getsockname()[0]}{port}"
    except (OSError, ValueError):
        return None
