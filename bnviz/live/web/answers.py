"""Answers of the routes: JSON, and every refusal as field, value, what is allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import orjson
from starlette.requests import Request
from starlette.responses import Response

from bnviz.live.errors import HubNotRunning, LiveError, NoSuchRun
from bnviz.live.protocol import messages
from bnviz.live.protocol.client_messages import BadMessage

Endpoint = Callable[[Request], Awaitable[Response]]


def json_answer(content: bytes | str, status: int = 200) -> Response:
    """JSON that must not be kept: the next question may have another answer."""
    headers = {"Cache-Control": "no-store"}
    return Response(content, status, media_type="application/json", headers=headers)


def answering(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with its refusals turned into answers."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except BadMessage as problem:
            found = messages.error(problem.field, problem.value, problem.allowed)
            return json_answer(messages.text(found), 400)
        except LiveError as problem:
            status = {NoSuchRun: 404, HubNotRunning: 503}.get(type(problem), 403)
            return json_answer(orjson.dumps(messages.said(problem)), status)

    return answer
