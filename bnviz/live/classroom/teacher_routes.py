"""Routes for a teacher's page: `/room` opens a classroom, `/room/<code>` reads and controls it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live import current_hub
from bnviz.live.classroom.classrooms import CODE_LENGTH, NEVER, Classroom, read_code
from bnviz.live.classroom.messages import (
    read_body,
    read_hands,
    read_location,
    read_outcome,
    read_question,
)
from bnviz.live.classroom.votes import ClassQuestion
from bnviz.live.errors import LimitReached, NoSuchClassroom, NotYourClassroom
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import Endpoint, json_answer, with_json_errors
from bnviz.live.web.owner import owner_in
from bnviz.live.web.request_source import same_host
from bnviz.words.phrase import phrase

# Maximum size of a JSON body in bytes.
BODY_BYTES = 16_384

# Function that carries out a message from a teacher's page.
Action = Callable[[Classroom, dict[str, Any]], None]

# Last part of the request's path -> action.
ACTIONS: dict[str, Action] = {
    "ask": lambda classroom, body: classroom.ask(*read_question(body)),
    "drop": lambda classroom, body: classroom.drop(),
    "again": lambda classroom, body: classroom.asked().ask_again(),
    "close": lambda classroom, body: classroom.asked().close(),
    "reopen": lambda classroom, body: classroom.asked().reopen(),
    "reveal": lambda classroom, body: classroom.asked().reveal(),
    "hands": lambda classroom, body: _count_hands(classroom.asked(), body),
    "happened": lambda classroom, body: _set_outcome(classroom.asked(), body),
}


def teacher_routes(base: str) -> list[Route]:
    """Return the routes for teachers, under the path prefix `base` ("" or "/prefix")."""

    def set_location(classroom: Classroom, body: dict[str, Any]) -> None:
        classroom.location = read_location(body, base)

    one = f"{base}/room/{{code}}"
    return [
        Route(f"{base}/room", with_json_errors(open_room), methods=["POST"]),
        Route(one, with_json_errors(state), methods=["GET"]),
        Route(one, with_json_errors(end), methods=["DELETE"]),
        Route(f"{one}/place", with_json_errors(_endpoint(set_location)), methods=["PUT"]),
        *(Route(f"{one}/{name}", with_json_errors(_endpoint(action)), methods=["POST"])
          for name, action in ACTIONS.items()),
    ]  # fmt: skip


async def open_room(request: Request) -> Response:
    """Return this browser's classroom, or open one. Paths in the response have no prefix."""
    same_site_only(request)
    owner, classrooms = owner_in(request.headers), current_hub().classrooms
    if owner is None:
        raise LimitReached("owner", phrase("errors.room_needs_cookie"))
    if classrooms.of_owner(owner) is None:
        classrooms.ballots.count_room(request.scope)
    address = classrooms.ballots.address(request.scope)
    classroom = classrooms.own(owner, classrooms.open(owner, address).code)
    classroom.addresses.put(address, None)
    await current_hub().saved_rooms.confirm()
    return json_answer(orjson.dumps({"code": classroom.code, "ballot": f"/b/{classroom.code}"}))


async def state(request: Request) -> Response:
    """Return the state of the class, or 304 if it has not changed."""
    content = _state(_own_classroom(request))
    tag = f'"{hashlib.blake2b(content, digest_size=8).hexdigest()}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": "no-store"})
    answer = json_answer(content)
    answer.headers["ETag"] = tag
    return answer


async def end(request: Request) -> Response:
    same_site_only(request)
    current_hub().classrooms.end(_own_classroom(request), "dismissed")
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


def _endpoint(action: Action) -> Endpoint:
    """Return an endpoint that runs an action in the browser's classroom and returns the state."""

    async def answer(request: Request) -> Response:
        same_site_only(request)
        classroom = _own_classroom(request)
        action(classroom, await read_body(request, BODY_BYTES))
        classroom.changed()
        await current_hub().saved_rooms.confirm()
        return json_answer(_state(classroom))

    return answer


def _count_hands(question: ClassQuestion, body: dict[str, Any]) -> None:
    question.count_hands(read_hands(body, len(question.answers)))


def _set_outcome(question: ClassQuestion, body: dict[str, Any]) -> None:
    question.outcome = read_outcome(body, len(question.answers))


def same_site_only(request: Request) -> None:
    """Raise `LimitReached` unless a page of this server sent the request."""
    if not same_host(request.headers):
        raise LimitReached("origin", phrase("errors.other_site"))


def checked_code(given: Any) -> str:
    """Normalize a code, or raise `BadMessage`."""
    code = read_code(given) if isinstance(given, str) else None
    if code is None:
        raise BadMessage("code", given, phrase("errors.code", count=CODE_LENGTH, never=NEVER))
    return code


def _own_classroom(request: Request) -> Classroom:
    """Return the classroom in a request's path if the requesting browser opened it.

    The code of another browser's class counts as wrong, so that guessing does not reveal which
    codes exist.
    """
    code, classrooms = checked_code(request.path_params["code"]), current_hub().classrooms
    ballots = classrooms.ballots
    try:
        classroom = classrooms.own(owner_in(request.headers), code)
    except (NoSuchClassroom, NotYourClassroom) as problem:
        if not ballots.may_try(request.scope):
            raise NoSuchClassroom(code) from None
        if not (isinstance(problem, NoSuchClassroom) and problem.gone):
            ballots.count_wrong(request.scope)
        raise
    classroom.addresses.put(ballots.address(request.scope), None)
    return classroom


def _state(classroom: Classroom) -> bytes:
    return orjson.dumps(classroom.state())
