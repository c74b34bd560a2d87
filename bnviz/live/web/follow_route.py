"""The page that follows the teacher's tab from run to run and page to page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.config import KNOBS
from bnviz.live.hub.room import FOLLOWS, Place, Room
from bnviz.live.web import ballot_page
from bnviz.live.web.ballot_answers import for_scripts, in_words, made_once, send
from bnviz.live.web.ballot_routes import enter
from bnviz.live.web.page_language import language_of

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
        made = made_once(
            room, "follow", None, language,
            lambda: ballot_page.follow_page(room, framed(room.place, base), language, base),
        )  # fmt: skip
        return send(request, made, "text/html")

    async def place(request: Request) -> Response:
        """What its script looks for: where the teacher is, and whether there is a vote."""
        (room, _), language = enter(request), language_of(request.scope)
        made = made_once(room, "place", None, language, lambda: _told(room, base))
        return send(request, made, "application/json")

    return [
        Route(f"{base}/w/{{code}}", in_words(follow, base), methods=["GET"]),
        Route(f"{base}/w/{{code}}/place", for_scripts(place), methods=["GET"]),
    ]


def framed(place: Place | None, base: str) -> str | None:
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
    kept |= {FOLLOWS: "1"} if parts.path.rstrip("/") == MAP else {}
    return f"{base}{parts.path}?{urlencode({**kept, 'embed': 'true'}, safe=',')}"


def _told(room: Room, base: str) -> bytes:
    asked = room.question is not None and room.question.status == "open"
    return orjson.dumps({"place": framed(room.place, base), "asked": asked})
