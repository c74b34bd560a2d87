"""Routes for phones: `/b` to type a code, `/b/<code>` to vote, `/w/<code>` to follow the teacher.

Many phones send requests at once, so phones with the same state share a cached response.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bnviz.config import KNOBS
from bnviz.live import current_hub
from bnviz.live.classroom import phone_pages
from bnviz.live.classroom.class_text import translated
from bnviz.live.classroom.classrooms import FOLLOW_PARAMETER, Classroom
from bnviz.live.classroom.messages import FORM, TeacherLocation, read_body, read_vote
from bnviz.live.classroom.teacher_routes import checked_code, same_site_only
from bnviz.live.errors import LimitReached, LiveError, NoSuchClassroom, NotNow, TooOften
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import Endpoint, refusal, status_of, with_errors
from bnviz.live.web.assets import file_answer
from bnviz.live.web.page_language import language_of
from bnviz.words.phrase import error_text, phrase
from bnviz.words.texts import current_language, in_language

# Maximum size of a vote's body in bytes.
VOTE_BYTES = 1_024
DATA_HEADERS = {"Cache-Control": "no-store", "Vary": "Accept-Encoding, Accept-Language, Cookie"}
PAGE_HEADERS = {
    **DATA_HEADERS, "Content-Security-Policy": phone_pages.POLICY,
    # Without a referrer, the Origin header of a form would be "null".
    "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
}  # fmt: skip
# Query parameters removed from the address that phones follow. They concern the teacher's own
# screen or the person who opens the link. `cell` would start a separate run on every phone.
NOT_FOLLOWED = frozenset(
    {"present", "paused", "at", "embed", "embed_options", "lang", "talk", "station", "cell"}
)
MAP = "/map"
# Shared responses that are HTML pages. The other shared responses are JSON.
PAGES = ("page", "follow")


def phone_routes(base: str) -> list[Route]:
    """Return the routes for phones, under the path prefix `base` ("" or "/prefix")."""
    phones = PhoneRoutes(base)
    pages = {
        "/b": phones.type_code, "/b/": phones.type_code, "/b/{code}": phones.ballot,
        "/w/{code}": phones.follow,
    }  # fmt: skip
    states = {"/b/{code}/state": phones.state, "/w/{code}/place": phones.location}
    return [
        *(Route(base + path, for_phones(endpoint, phones.error_page))
          for path, endpoint in pages.items()),
        *(Route(base + path, for_phones(endpoint, translated_refusal))
          for path, endpoint in states.items()),
        Route(f"{base}/b/{{code}}/vote", phones.vote, methods=["POST"]),
    ]  # fmt: skip


class PhoneRoutes:
    def __init__(self, base: str) -> None:
        self._base = base

    async def type_code(self, request: Request) -> Response:
        """Return the code page, or redirect a typed code to its voting page."""
        typed = request.query_params.get("code")
        if typed is None:
            return html_answer(phone_pages.code_page(self._base))
        return RedirectResponse(f"{self._base}/b/{checked_code(typed)}", 303, PAGE_HEADERS)

    def error_page(self, request: Request, problem: LiveError) -> Response:
        if isinstance(problem, BadMessage) and problem.field == "code":
            error = phone_pages.no_code_text()
        else:
            error = error_text(problem)
        page = html_answer(phone_pages.code_page(self._base, error), status_of(problem))
        if isinstance(problem, TooOften):
            page.headers["Retry-After"] = str(problem.seconds)
            if request.method == "GET":
                # Reload the page after a random delay, so that the phones of a lecture hall do not
                # reload all at once.
                page.headers["Refresh"] = str(problem.seconds + random.randint(1, 6))
        return page

    # The ballot.

    async def ballot(self, request: Request) -> Response:
        classroom, ballot, cookie = come_in(request)
        own = await saved_answer(classroom, ballot)
        return shared_answer(
            request, classroom, "page",
            lambda: phone_pages.ballot_page(classroom, own, self._base), own, cookie,
        )  # fmt: skip

    async def state(self, request: Request) -> Response:
        """Return the question and this browser's answer, for the script of the voting page."""
        classroom, ballot, cookie = come_in(request)
        await saved_answer(classroom, ballot)
        return self._state(request, classroom, ballot, cookie)

    async def vote(self, request: Request) -> Response:
        """Count a vote sent by the page's script, or sent as a form if scripts are disabled."""
        if request.headers.get("content-type", "").startswith(FORM):
            return await for_phones(self._vote_of_form, self.error_page)(request)
        return await for_phones(self._vote_of_script, translated_refusal)(request)

    async def _vote_of_script(self, request: Request) -> Response:
        return self._state(request, *await self._count(request))

    async def _vote_of_form(self, request: Request) -> Response:
        """Count a vote and redirect to the voting page, or show that page with the error."""
        classroom, ballot = find_classroom(request)
        own = classroom.answer_of(ballot)
        try:
            await self._count(request)
        except LiveError as problem:
            error = error_text(problem)
            page = phone_pages.ballot_page(classroom, own, self._base, error)
            return html_answer(page, status_of(problem))
        return RedirectResponse(f"{self._base}/b/{classroom.code}", 303, PAGE_HEADERS)

    async def _count(self, request: Request) -> tuple[Classroom, str]:
        """Count a vote and return its classroom and ballot.

        Raises:
            LimitReached: If another site sent the vote, or the browser has not joined the class.
            NotNow: If voting is closed.
        """
        same_site_only(request)
        classroom, ballot = find_classroom(request)
        if ballot is None:
            raise LimitReached("ballot", phrase("errors.ballot_needs_cookie"))
        if not classroom.has_ballot(ballot):
            raise LimitReached("ballot", phrase("errors.not_in_room"))
        body = await read_body(request, VOTE_BYTES)
        if classroom.question is None:
            raise NotNow(phrase("errors.vote_closed"))
        # While the body was read, a new ballot may have replaced this ballot in a full class, so
        # admit it again.
        classroom.admit(ballot, current_hub().classrooms.ballots.address(request.scope))
        classroom.vote(ballot, *read_vote(body, len(classroom.question.answers)))
        await current_hub().saved_rooms.confirm()
        return classroom, ballot

    def _state(
        self, request: Request, classroom: Classroom, ballot: str, cookie: str | None = None
    ) -> Response:
        own, question = classroom.answer_of(ballot), classroom.question

        def make() -> bytes:
            opened, news = None, ""
            if question is not None and question.status == "open":
                opened = {"question": question.id, "round": question.round}
                news = translated(question.text)
            return orjson.dumps({
                "mine": own, "open": opened, "news": news,
                "main": phone_pages.ballot_main(classroom, own, self._base),
                "said": phone_pages.own_answer_text(classroom, own),
            })  # fmt: skip

        return shared_answer(request, classroom, "state", make, own, cookie)

    # Page that follows the teacher's tab.

    async def follow(self, request: Request) -> Response:
        """The page."""
        classroom, _ = find_classroom(request)
        frame = frame_address(classroom.location, self._base)
        return shared_answer(
            request, classroom, "follow",
            lambda: phone_pages.follow_page(classroom, frame, self._base),
        )  # fmt: skip

    async def location(self, request: Request) -> Response:
        """Return the frame's address and whether votes are open, for the page's script."""
        classroom, _ = find_classroom(request)
        place = {
            "place": frame_address(classroom.location, self._base), "asked": classroom.votes_open,
        }  # fmt: skip
        return shared_answer(request, classroom, "place", lambda: orjson.dumps(place))


async def saved_answer(classroom: Classroom, ballot: str) -> int | None:
    """Return a ballot's answer after it was saved, or None."""
    if classroom.answer_of(ballot) is not None:
        await current_hub().saver.saved()
    return classroom.answer_of(ballot)


def frame_address(location: TeacherLocation | None, base: str) -> str | None:
    """Return the address of a watch-only frame that shows the teacher's tab, or None if unknown.

    The address names the run, because otherwise every phone would start its own run. If it names a
    run, it omits the knobs, because each change would reload the page on every phone.
    """
    if location is None:
        return None
    parts = urlsplit(location.address)
    is_map = parts.path.rstrip("/") == MAP
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    # On a map page, the parameter `run` names the run on a cell's card, not the run of the page.
    if location.run is not None and not is_map:
        parameters.setdefault("run", location.run)
    left_out = NOT_FOLLOWED | (KNOBS.keys() if "run" in parameters else frozenset())
    query = {name: value for name, value in parameters.items() if name not in left_out}
    # The teacher's map is not computed while a class votes. This parameter keeps the follower page
    # from requesting it.
    query |= {FOLLOW_PARAMETER: "1"} if is_map else {}
    return f"{base}{parts.path}?{urlencode({**query, 'embed': 'true'}, safe=',')}"


# Who asks.


def find_classroom(request: Request) -> tuple[Classroom, str | None]:
    """Return the classroom of the code in a request's path, and the browser's ballot or None.

    The ballot need not have joined this class.

    Raises:
        NoSuchClassroom: If no class has that code.
        TooOften: If too many wrong codes came from this address.
    """
    classrooms, code = current_hub().classrooms, checked_code(request.path_params["code"])
    ballots = classrooms.ballots
    ballot = ballots.ballot_in(request.headers)
    try:
        classroom = classrooms.find(code)
    except NoSuchClassroom as problem:
        if not problem.gone:
            ballots.check_tries(request.scope)
            ballots.count_wrong(request.scope)
        raise
    # An address or ballot that has joined the class is not blocked by other people's wrong codes
    # from the same address. All other requests from that address are blocked, even with a valid
    # code, so that guessing reveals nothing.
    there = ballots.address(request.scope) in classroom.addresses
    if not there and (ballot is None or not classroom.has_ballot(ballot)):
        ballots.check_tries(request.scope)
    return classroom, ballot


def come_in(request: Request) -> tuple[Classroom, str, str | None]:
    """Find the classroom and admit the browser's ballot; raise `LimitReached` if the class is full.

    Returns:
        The classroom, the ballot, and the `Set-Cookie` header if the ballot is new, otherwise None.
    """
    classroom, ballot = find_classroom(request)
    cookie = None
    if ballot is None:
        ballot, cookie = current_hub().classrooms.ballots.new(request)
    address = current_hub().classrooms.ballots.address(request.scope)
    classroom.admit(ballot, address)
    classroom.addresses.put(address, None)
    return classroom, ballot, cookie


# Answers.


def shared_answer(
    request: Request,
    classroom: Classroom,
    kind: str,
    make: Callable[[], bytes],
    own: int | None = None,
    cookie: str | None = None,
) -> Response:
    """Return a response cached for all phones with the same state, or 304 if the phone has it.

    Args:
        kind: Name of the response within the classroom's cache.
        make: Renders the response in the current language, for the first phone.
        own: The phone's answer, which the response shows.
    """
    language = current_language()
    tag = f'"{classroom.id}.{classroom.version}.{language}.{own}"'
    headers = {**(PAGE_HEADERS if kind in PAGES else DATA_HEADERS), "ETag": tag}
    if cookie is not None:
        headers["Set-Cookie"] = cookie
    if request.method == "GET" and request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    key = kind, own, language
    if key not in classroom.rendered:
        plain = make()
        classroom.rendered[key] = plain, gzip.compress(plain, 6, mtime=0)
    media_type = "text/html" if kind in PAGES else "application/json"
    plain, compressed = classroom.rendered[key]
    answer = file_answer(request, plain, compressed, media_type)
    answer.headers.update(headers)
    return answer


def html_answer(content: bytes, status: int = 200) -> Response:
    """Return an HTML response that is not cached for other phones."""
    return Response(content, status, media_type="text/html", headers=PAGE_HEADERS)


# Errors.


def translated_refusal(request: Request, problem: LiveError) -> Response:
    """Return an error as JSON, with its `message` in the phone's language."""
    return refusal(problem, message=error_text(problem))


def for_phones(endpoint: Endpoint, refuse: Callable[[Request, LiveError], Response]) -> Endpoint:
    """Return an endpoint that uses the phone's language and answers errors with `refuse`."""
    guarded = with_errors(endpoint, refuse)

    async def answer(request: Request) -> Response:
        with in_language(language_of(request.scope)):
            return await guarded(request)

    return answer
