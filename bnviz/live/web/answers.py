"""Answers of the routes: JSON, and every refusal as field, value, what is allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bnviz.live.errors import (
    HubNotRunning,
    LiveError,
    NoSuchRoom,
    NoSuchRun,
    NotNow,
    TooOften,
)
from bnviz.live.protocol import messages
from bnviz.live.protocol.client_messages import BadMessage

# What is refused for another reason is not for this browser: 403.
STATUS = {NoSuchRun: 404, NoSuchRoom: 404, NotNow: 409, TooOften: 429, HubNotRunning: 503}

Endpoint = Callable[[Request], Awaitable[Response]]


def json_answer(content: bytes | str, status: int = 200) -> Response:
    """JSON that must not be kept: the next question may have another answer."""
    headers = {"Cache-Control": "no-store"}
    return Response(content, status, media_type="application/json", headers=headers)


def status_of(problem: LiveError | BadMessage) -> int:
    """A refusal as a status of HTTP."""
    return 400 if isinstance(problem, BadMessage) else STATUS.get(type(problem), 403)


def refusal(problem: LiveError | BadMessage, **facts: Any) -> Response:
    """Why not, as JSON, with further facts."""
    if isinstance(problem, BadMessage):
        found = messages.error(problem.field, problem.value, problem.allowed)
    else:
        found = {"type": "error", **messages.said(problem)}
    answer = json_answer(messages.text({**found, **facts}), status_of(problem))
    if isinstance(problem, TooOften):
        answer.headers["Retry-After"] = str(problem.seconds)
    return answer


def answering(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with its refusals turned into answers."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            return refusal(problem)

    return answer
