"""Answers to phones: made once for all who may have them, and refusals in their language.

Phones that vote: the page to type a code, the ballot, how things stand, and the vote itself.

The page that follows the teacher's tab from run to run and page to page.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bnviz.config import KNOBS
from bnviz.live import current_hub
from bnviz.live.classroom import ballot_page
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER, Classroom, TeacherLocation, read_code
from bnviz.live.classroom.fields import FORM, read_body, read_vote
from bnviz.live.classroom.teacher_routes import code_allowed
from bnviz.live.errors import LimitReached, LiveError, NoSuchClassroom, NotNow, TooOften
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import Endpoint, refusal, status_of
from bnviz.live.web.page_language import language_of
from bnviz.live.web.request_source import same_host
from bnviz.words.phrase import error_text, phrase
from bnviz.words.texts import in_language

DATA_HEADERS = {"Cache-Control": "no-store", "Vary": "Accept-Encoding, Accept-Language, Cookie"}
HEADERS = {
    **DATA_HEADERS, "Content-Security-Policy": ballot_page.POLICY,
    # A form's Origin would be "null" without a referrer.
    "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
}  # fmt: skip


class SharedAnswer(NamedTuple):
    """An answer, ready to be sent to every phone that may have it.

    Attributes:
        plain: its bytes.
        packed: compressed.
        tag: by which a phone that has it says so.
    """

    plain: bytes
    packed: bytes
    tag: str


def shared_answer(
    room: Classroom, kind: str, mine: int | None, language: str, make: Callable[[], bytes]
) -> SharedAnswer:
    """What `make` makes of a room as it is now: made for the first phone that asks."""
    key = kind, mine, language
    found: SharedAnswer | None = room.made.get(key)
    if found is None:
        plain = make()
        tag = f'"{room.id}.{room.version}.{language}.{mine}"'
        found = room.made[key] = SharedAnswer(plain, gzip.compress(plain, 6, mtime=0), tag)
    return found


def send_shared(request: Request, made: SharedAnswer, media_type: str) -> Response:
    """The answer; a phone that has it already is told just that."""
    headers = {**(HEADERS if media_type == "text/html" else DATA_HEADERS), "ETag": made.tag}
    if request.method == "GET" and request.headers.get("if-none-match") == made.tag:
        return Response(status_code=304, headers=headers)
    body = made.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"], body = "gzip", made.packed
    return Response(body, media_type=media_type, headers=headers)


def html_answer(content: bytes, status: int = 200) -> Response:
    """A page that was made for this answer."""
    return Response(content, status, media_type="text/html", headers=HEADERS)


def with_error_page(endpoint: Endpoint, base: str) -> Endpoint:
    """An endpoint for people, whose refusals are the page to type a code, with why."""

    async def answer(request: Request) -> Response:
        language = language_of(request.scope)
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            if isinstance(problem, BadMessage) and problem.field == "code":
                why = ballot_page.wrong_code(language)
            else:
                with in_language(language):
                    why = translated_error(problem)
            found = html_answer(ballot_page.code_page(language, base, why), status_of(problem))
            if isinstance(problem, TooOften):
                found.headers["Retry-After"] = str(problem.seconds)
                if request.method == "GET":
                    # By itself, and not all of a hall in the same second.
                    found.headers["Refresh"] = str(problem.seconds + random.randint(1, 6))
            return found

    return answer


def translated_error(problem: LiveError | BadMessage) -> str:
    """Why not, in the language that is spoken."""
    if isinstance(problem, BadMessage):
        error = server_messages.error(problem.field, problem.value, problem.allowed)
        return error_text(server_messages.read_words(error))
    return error_text(problem)


def with_translated_errors(endpoint: Endpoint) -> Endpoint:
    """An endpoint for the page's script, whose refusals are JSON in the page's language."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            gone = getattr(problem, "gone", False)
            with in_language(language_of(request.scope)):
                return refusal(problem, message=translated_error(problem), gone=gone)

    return answer


# A vote is a few numbers.
VOTE_BYTES, VOTE_SECONDS = 1_024, 10.0


def enter(request: Request) -> tuple[Classroom, str | None]:
    """The room of a request's code, and the ballot that its browser has, in that room or not.

    Raises:
        BadMessage: that is no code.
        NoSuchRoom: there is no such room.
        TooOften: too many wrong codes came from this address.
    """
    said, rooms = request.path_params["code"], current_hub().rooms
    ballots = rooms.ballots
    code = read_code(said)
    if code is None:
        raise BadMessage("code", said, code_allowed())
    ballot = ballots.ballot_in(request.headers)
    try:
        room = rooms.find(code)
    except NoSuchClassroom as problem:
        if not problem.gone:
            ballots.check_tries(request.scope)
            ballots.count_wrong(request.scope)
        raise
    # Who is in the class goes on, whatever others of the same address have typed.
    if ballot is None or not room.knows(ballot):
        ballots.check_tries(request.scope)
    return room, ballot


def come_in(request: Request) -> tuple[Classroom, str, str | None]:
    """The same, with a ballot that is in the room, and the cookie to send if it is a new one.

    Raises:
        LimitReached: the room is full.
    """
    room, ballot = enter(request)
    cookie = None
    if ballot is None:
        ballot, cookie = current_hub().rooms.ballots.new(request)
    room.meet(ballot)
    return room, ballot, cookie


def ballot_routes(base: str) -> list[Route]:
    """`/b`, `/b/<code>`, its `/state` and its `/vote`."""
    ballots = BallotRoutes(base)
    return [
        *(
            Route(f"{base}/b{end}", with_error_page(ballots.type_code, base), methods=["GET"])
            for end in ("", "/")
        ),
        Route(f"{base}/b/{{code}}", with_error_page(ballots.ballot, base), methods=["GET"]),
        Route(f"{base}/b/{{code}}/state", with_translated_errors(ballots.state), methods=["GET"]),
        Route(f"{base}/b/{{code}}/vote", ballots.vote, methods=["POST"]),
    ]


class BallotRoutes:
    """Answers to phones.

    Args:
        base: what the server's paths start with.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._vote: Callable[[Request], Awaitable[Response]] = with_translated_errors(self._count)

    async def type_code(self, request: Request) -> Response:
        """The page to type a code; a code that was typed leads to its ballot."""
        language, typed = language_of(request.scope), request.query_params.get("code")
        if typed is None:
            return html_answer(ballot_page.code_page(language, self._base))
        code = read_code(typed)
        if code is None:
            wrong = ballot_page.wrong_code(language)
            return html_answer(ballot_page.code_page(language, self._base, wrong), 400)
        return RedirectResponse(f"{self._base}/b/{code}", 303, HEADERS)

    async def ballot(self, request: Request) -> Response:
        """The ballot, as things stand for this browser."""
        room, ballot, cookie = come_in(request)
        mine, language = room.answer_of(ballot), language_of(request.scope)
        server = current_hub().rooms.server
        made = shared_answer(
            room, "page", mine, language,
            lambda: ballot_page.ballot_page(room, mine, language, self._base, server),
        )  # fmt: skip
        return _with(send_shared(request, made, "text/html"), cookie)

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
                with in_language(language):
                    why = translated_error(problem)
                server = current_hub().rooms.server
                whole = ballot_page.ballot_page(room, mine, language, self._base, server, why)
                return html_answer(whole, status_of(problem))
            return RedirectResponse(f"{self._base}/b/{room.code}", 303, HEADERS)

        return await with_error_page(counted, self._base)(request)

    async def _count(self, request: Request) -> Response:
        if not same_host(request.headers):
            raise LimitReached("origin", phrase("errors.other_site"))
        room, ballot = enter(request)
        if ballot is None:
            raise LimitReached("ballot", phrase("errors.ballot_needs_cookie"))
        if not room.knows(ballot):
            raise LimitReached("ballot", phrase("errors.not_in_room"))
        given = await read_body(request, VOTE_BYTES, VOTE_SECONDS)
        if room.question is None:
            raise NotNow(phrase("errors.vote_closed"))
        room.vote(ballot, *read_vote(given, len(room.question.answers)))
        room.meet(ballot)
        return self._state(request, room, ballot)

    def _state(self, request: Request, room: Classroom, ballot: str) -> Response:
        mine, language = room.answer_of(ballot), language_of(request.scope)
        made = shared_answer(
            room, "state", mine, language, lambda: _ballot_state(room, mine, language, self._base)
        )
        return send_shared(request, made, "application/json")


def _ballot_state(room: Classroom, mine: int | None, language: str, base: str) -> bytes:
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


# What concerns the teacher's own screen, or whoever opens the link. The card of a map's cell has a
# run of its own: every phone would begin one.
OF_TEACHER = frozenset(
    {"present", "paused", "at", "embed", "embed_options", "lang", "talk", "station", "cell"}
)
MAP = "/map"


def follow_routes(base: str) -> list[Route]:
    """`/w/<code>` and its `/place`."""

    async def follow(request: Request) -> Response:
        """The page."""
        (room, _), language = enter(request), language_of(request.scope)
        made = shared_answer(
            room, "follow", None, language,
            lambda: ballot_page.follow_page(room, frame_address(room.place, base), language, base),
        )  # fmt: skip
        return send_shared(request, made, "text/html")

    async def place(request: Request) -> Response:
        """What its script looks for: where the teacher is, and whether there is a vote."""
        (room, _), language = enter(request), language_of(request.scope)
        made = shared_answer(room, "place", None, language, lambda: _location_state(room, base))
        return send_shared(request, made, "application/json")

    return [
        Route(f"{base}/w/{{code}}", with_error_page(follow, base), methods=["GET"]),
        Route(f"{base}/w/{{code}}/place", with_translated_errors(place), methods=["GET"]),
    ]


def frame_address(place: TeacherLocation | None, base: str) -> str | None:
    """The address of a frame that shows what the teacher's tab shows, to be watched.

    A run says its knobs itself. Left in the address, each turn of one would load the page anew on
    every phone. Without a run in it, every phone would begin one of its own.
    """
    if place is None:
        return None
    parts = urlsplit(place.address)
    if parts.path.rstrip("/") == MAP:
        place = place._replace(run=None)  # that of a cell's card, not the page's
    said = dict(parse_qsl(parts.query, keep_blank_values=True))
    if place.run is not None:
        said.setdefault("run", place.run)
    left_out = OF_TEACHER | (KNOBS.keys() if "run" in said else frozenset())
    kept = {name: value for name, value in said.items() if name not in left_out}
    # A map stands still while a class thinks: who follows it must not have it drawn.
    kept |= {FOLLOW_PARAMETER: "1"} if parts.path.rstrip("/") == MAP else {}
    return f"{base}{parts.path}?{urlencode({**kept, 'embed': 'true'}, safe=',')}"


def _location_state(room: Classroom, base: str) -> bytes:
    asked = room.question is not None and room.question.status == "open"
    return orjson.dumps({"place": frame_address(room.place, base), "asked": asked})
