"""Phones that vote: the page to type a code, the ballot, how things stand, and the vote itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bnviz.live import current_hub
from bnviz.live.errors import LiveError, NoSuchRoom, NotNow, Refused
from bnviz.live.hub.room import Room
from bnviz.live.hub.rooms import read_code
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web import ballot_page
from bnviz.live.web.answers import status_of
from bnviz.live.web.ballot_answers import (
    HEADERS,
    for_scripts,
    in_words,
    made_once,
    page,
    said_of,
    send,
)
from bnviz.live.web.origin import same_host
from bnviz.live.web.owner import issuer
from bnviz.live.web.page_language import language_of
from bnviz.live.web.room_fields import FORM, read_body, read_vote
from bnviz.live.web.room_routes import code_allowed
from bnviz.phrase import phrase
from bnviz.texts import speaking

# A vote is a few numbers.
VOTE_BYTES, VOTE_SECONDS = 1_024, 10.0


def enter(request: Request) -> tuple[Room, str | None]:
    """The room of a request's code, and the ballot that its browser has, in that room or not.

    Raises:
        BadMessage: that is no code.
        NoSuchRoom: there is no such room.
        TooOften: too many wrong codes came from this address.
    """
    said, hub, ballots = request.path_params["code"], current_hub(), issuer().ballots
    code = read_code(said)
    if code is None:
        raise BadMessage("code", said, code_allowed())
    ballot = ballots.ballot_in(request.headers)
    try:
        room = hub.rooms.find(code)
    except NoSuchRoom as problem:
        if not problem.gone:
            ballots.check_tries(request.scope)
            ballots.count_wrong(request.scope)
        raise
    # Who is in the class goes on, whatever others of the same address have typed.
    if ballot is None or not room.knows(ballot):
        ballots.check_tries(request.scope)
    return room, ballot


def come_in(request: Request) -> tuple[Room, str, str | None]:
    """The same, with a ballot that is in the room, and the cookie to send if it is a new one.

    Raises:
        Refused: the room is full.
    """
    room, ballot = enter(request)
    cookie = None
    if ballot is None:
        ballot, cookie = issuer().ballots.new(request)
    room.meet(ballot)
    return room, ballot, cookie


def ballot_routes(base: str) -> list[Route]:
    """`/b`, `/b/<code>`, its `/state` and its `/vote`."""
    ballots = BallotRoutes(base)
    return [
        *(
            Route(f"{base}/b{end}", in_words(ballots.type_code, base), methods=["GET"])
            for end in ("", "/")
        ),
        Route(f"{base}/b/{{code}}", in_words(ballots.ballot, base), methods=["GET"]),
        Route(f"{base}/b/{{code}}/state", for_scripts(ballots.state), methods=["GET"]),
        Route(f"{base}/b/{{code}}/vote", ballots.vote, methods=["POST"]),
    ]


class BallotRoutes:
    """Answers to phones.

    Args:
        base: what the server's paths start with.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._vote: Callable[[Request], Awaitable[Response]] = for_scripts(self._count)

    async def type_code(self, request: Request) -> Response:
        """The page to type a code; a code that was typed leads to its ballot."""
        language, typed = language_of(request.scope), request.query_params.get("code")
        if typed is None:
            return page(ballot_page.code_page(language, self._base))
        code = read_code(typed)
        if code is None:
            wrong = ballot_page.wrong_code(language)
            return page(ballot_page.code_page(language, self._base, wrong), 400)
        return RedirectResponse(f"{self._base}/b/{code}", 303, HEADERS)

    async def ballot(self, request: Request) -> Response:
        """The ballot, as things stand for this browser."""
        room, ballot, cookie = come_in(request)
        mine, language = room.answer_of(ballot), language_of(request.scope)
        server = current_hub().rooms.server
        made = made_once(
            room, "page", mine, language,
            lambda: ballot_page.ballot_page(room, mine, language, self._base, server),
        )  # fmt: skip
        return _with(send(request, made, "text/html"), cookie)

    async def state(self, request: Request) -> Response:
        """What the ballot's script looks for: what is asked, and what counts of this browser."""
        room, ballot, cookie = come_in(request)
        return _with(self._state(request, room, ballot), cookie)

    async def vote(self, request: Request) -> Response:
        """Count an answer: sent by the script, or as a form by a page without one."""
        form = request.headers.get("content-type", "").startswith(FORM)
        return await (self._form(request) if form else self._vote(request))

    async def _form(self, request: Request) -> Response:
        language = language_of(request.scope)

        async def counted(request: Request) -> Response:
            room, ballot = enter(request)
            mine = None if ballot is None else room.answer_of(ballot)
            try:
                await self._count(request)
            except (LiveError, BadMessage) as problem:
                with speaking(language):
                    why = said_of(problem)
                server = current_hub().rooms.server
                whole = ballot_page.ballot_page(room, mine, language, self._base, server, why)
                return page(whole, status_of(problem))
            return RedirectResponse(f"{self._base}/b/{room.code}", 303, HEADERS)

        return await in_words(counted, self._base)(request)

    async def _count(self, request: Request) -> Response:
        if not same_host(request.headers):
            raise Refused("origin", phrase("errors.other_site"))
        room, ballot = enter(request)
        if ballot is None:
            raise Refused("ballot", phrase("errors.ballot_needs_cookie"))
        if not room.knows(ballot):
            raise Refused("ballot", phrase("errors.not_in_room"))
        given = await read_body(request, VOTE_BYTES, VOTE_SECONDS)
        if room.question is None:
            raise NotNow(phrase("errors.vote_closed"))
        room.vote(ballot, *read_vote(given, len(room.question.answers)))
        room.meet(ballot)
        return self._state(request, room, ballot)

    def _state(self, request: Request, room: Room, ballot: str) -> Response:
        mine, language = room.answer_of(ballot), language_of(request.scope)
        made = made_once(
            room, "state", mine, language, lambda: _told(room, mine, language, self._base)
        )
        return send(request, made, "application/json")


def _told(room: Room, mine: int | None, language: str, base: str) -> bytes:
    question = room.question
    opened = None
    if question is not None and question.status == "open":
        opened = {"question": question.id, "round": question.round}
    return orjson.dumps({
        "server": current_hub().rooms.server, "code": room.code, "mine": mine,
        "question": None if question is None else question.told(),
        "open": opened,
        "main": ballot_page.main(room, mine, language, base),
        "said": ballot_page.status(room, mine, language),
    })  # fmt: skip


def _with(answer: Response, cookie: str | None) -> Response:
    if cookie is not None:
        answer.headers.append("Set-Cookie", cookie)
    return answer
