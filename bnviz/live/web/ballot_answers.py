"""Answers to phones: made once for all who may have them, and refusals in their language."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from bnviz.live.errors import LiveError, TooOften
from bnviz.live.hub.room import Room
from bnviz.live.protocol import messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web import ballot_page
from bnviz.live.web.answers import Endpoint, refusal, status_of
from bnviz.live.web.page_language import language_of
from bnviz.phrase import told
from bnviz.texts import speaking

DATA_HEADERS = {"Cache-Control": "no-store", "Vary": "Accept-Encoding, Accept-Language, Cookie"}
HEADERS = {
    **DATA_HEADERS, "Content-Security-Policy": ballot_page.POLICY,
    # A form's Origin would be "null" without a referrer.
    "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
}  # fmt: skip


class Made(NamedTuple):
    """An answer, ready to be sent to every phone that may have it.

    Attributes:
        plain: its bytes.
        packed: compressed.
        tag: by which a phone that has it says so.
    """

    plain: bytes
    packed: bytes
    tag: str


def made_once(
    room: Room, kind: str, mine: int | None, language: str, make: Callable[[], bytes]
) -> Made:
    """What `make` makes of a room as it is now: made for the first phone that asks."""
    key = kind, mine, language
    found: Made | None = room.made.get(key)
    if found is None:
        plain = make()
        tag = f'"{room.id}.{room.version}.{language}.{mine}"'
        found = room.made[key] = Made(plain, gzip.compress(plain, 6, mtime=0), tag)
    return found


def send(request: Request, made: Made, media_type: str) -> Response:
    """The answer; a phone that has it already is told just that."""
    headers = {**(HEADERS if media_type == "text/html" else DATA_HEADERS), "ETag": made.tag}
    if request.method == "GET" and request.headers.get("if-none-match") == made.tag:
        return Response(status_code=304, headers=headers)
    body = made.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"], body = "gzip", made.packed
    return Response(body, media_type=media_type, headers=headers)


def page(content: bytes, status: int = 200) -> Response:
    """A page that was made for this answer."""
    return Response(content, status, media_type="text/html", headers=HEADERS)


def in_words(endpoint: Endpoint, base: str) -> Endpoint:
    """An endpoint for people, whose refusals are the page to type a code, with why."""

    async def answer(request: Request) -> Response:
        language = language_of(request.scope)
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            if isinstance(problem, BadMessage) and problem.field == "code":
                why = ballot_page.wrong_code(language)
            else:
                with speaking(language):
                    why = said_of(problem)
            found = page(ballot_page.code_page(language, base, why), status_of(problem))
            if isinstance(problem, TooOften):
                found.headers["Retry-After"] = str(problem.seconds)
                if request.method == "GET":
                    # By itself, and not all of a hall in the same second.
                    found.headers["Refresh"] = str(problem.seconds + random.randint(1, 6))
            return found

    return answer


def said_of(problem: LiveError | BadMessage) -> str:
    """Why not, in the language that is spoken."""
    if isinstance(problem, BadMessage):
        error = messages.error(problem.field, problem.value, problem.allowed)
        return told(messages.heard(error))
    return told(problem)


def for_scripts(endpoint: Endpoint) -> Endpoint:
    """An endpoint for the page's script, whose refusals are JSON in the page's language."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            gone = getattr(problem, "gone", False)
            with speaking(language_of(request.scope)):
                return refusal(problem, message=said_of(problem), gone=gone)

    return answer
