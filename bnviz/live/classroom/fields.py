"""What teachers' pages and phones send, read and checked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import anyio
import orjson
from starlette.requests import Request

from bnviz.live.classroom.classrooms import TeacherLocation
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.words.phrase import Phrase, integer_between, phrase

LONGEST_TEXT, LONGEST_ANSWER, LONGEST_SENTENCE, LONGEST_ADDRESS = 140, 48, 200, 2_000
FEWEST_ANSWERS, MOST_ANSWERS = 2, 4
MOST_HANDS = 1_000
MOST_COUNTED = 2**53
# A page of ours by its path within the app, and a query.
PAGE_ADDRESS = re.compile(r"/[a-z_-]{0,40}/?(?:\?[!-~]*)?")
RUN = re.compile(r"[0-9a-f]{32}")
FORM = "application/x-www-form-urlencoded"


async def read_body(request: Request, most: int, seconds: float) -> dict[str, Any]:
    """The object in a request's body: JSON, or the fields of a form as texts.

    Args:
        request: whose body was not read yet.
        most: its largest size in bytes.
        seconds: in which it must have come.

    Raises:
        BadMessage: it is too large, too late, or no object.
    """
    body = bytearray()
    with anyio.move_on_after(seconds) as limit:
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                raise BadMessage("body", f"{len(body)} bytes", phrase("errors.bytes", most=most))
    if limit.cancelled_caught:
        raise BadMessage(
            "body", f"{len(body)} bytes", phrase("errors.sent_within", seconds=seconds)
        )
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        given = orjson.loads(bytes(body) or b"{}")
    except orjson.JSONDecodeError:
        raise BadMessage(
            "body", body[:80].decode("utf-8", "replace"), phrase("errors.json")
        ) from None
    if not isinstance(given, dict):
        raise BadMessage("body", given, phrase("errors.json_object"))
    return given


def read_vote(given: Mapping[str, Any], answers: int) -> tuple[int, int, Vote]:
    """A question's number, the round, and what is answered; of a form the numbers are texts.

    Args:
        given: the body.
        answers: how many there are to choose from.

    Raises:
        BadMessage: names what is wrong.
    """
    question, round_ = _number(given, "question", MOST_COUNTED), _number(given, "round", 99)
    answer = _number(given, "answer", answers - 1)
    if "page" not in given and "n" not in given:
        return question, round_, Vote(answer)
    page, n = _number(given, "page", MOST_COUNTED), _number(given, "n", MOST_COUNTED)
    return question, round_, Vote(answer, page, n)


def read_question(given: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """A question and its answers.

    Raises:
        BadMessage: names what is wrong.
    """
    text, answers = _plain(given.get("text"), "text", LONGEST_TEXT), given.get("answers")
    if not isinstance(answers, list) or not FEWEST_ANSWERS <= len(answers) <= MOST_ANSWERS:
        allowed = phrase("errors.list_length", low=FEWEST_ANSWERS, high=MOST_ANSWERS)
        raise BadMessage("answers", answers, allowed)
    return text, tuple(_plain(answer, "answers", LONGEST_ANSWER) for answer in answers)


def read_counts(given: Mapping[str, Any], answers: int) -> tuple[int, ...]:
    """How many hands were raised for each answer.

    Raises:
        BadMessage: names what is wrong.
    """
    counts = given.get("counts")
    if not isinstance(counts, list) or len(counts) != answers:
        raise BadMessage("counts", counts, phrase("errors.list_length", low=answers, high=answers))
    return tuple(_count(count, "counts", MOST_HANDS) for count in counts)


def read_outcome(given: Mapping[str, Any], answers: int) -> RunOutcome:
    """What the run did.

    Raises:
        BadMessage: names what is wrong.
    """
    sentence = _plain(given.get("sentence"), "sentence", LONGEST_SENTENCE)
    came_true = given.get("answers")
    if came_true is None:
        return RunOutcome(None, sentence)
    if not isinstance(came_true, list) or len(came_true) > answers:
        raise BadMessage("answers", came_true, phrase("errors.list_length", low=0, high=answers))
    return RunOutcome(
        tuple(sorted({_count(each, "answers", answers - 1) for each in came_true})), sentence
    )


def read_location(given: Mapping[str, Any], base: str) -> TeacherLocation:
    """Where the teacher's tab is, from the server's own path on, and the run it shows.

    Raises:
        BadMessage: it is no page of this app, or no run.
    """
    address = given.get("address")
    if not isinstance(address, str) or not 1 <= len(address) <= LONGEST_ADDRESS:
        raise BadMessage("address", address, phrase("errors.characters", most=LONGEST_ADDRESS))
    place = address.removeprefix(base) if address.startswith(f"{base}/") else address
    if not PAGE_ADDRESS.fullmatch(place):
        raise BadMessage("address", address, phrase("errors.place"))
    run = given.get("run")
    if run is not None and not (isinstance(run, str) and RUN.fullmatch(run)):
        raise BadMessage("run", run, phrase("errors.hex_digits", count=32))
    return TeacherLocation(place, run)


def _plain(value: Any, field: str, most: int) -> str:
    """A text of one line that shows what it is."""
    allowed = phrase("errors.plain_text", most=most)
    if not isinstance(value, str):
        raise BadMessage(field, value, allowed)
    text = " ".join(value.split())
    if not 1 <= len(text) <= most or any(map(_is_control, text)):
        raise BadMessage(field, value, allowed)
    return text


def _is_control(character: str) -> bool:
    """Whether it is no part of a word; what joins emoji and letters of some scripts is."""
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cs", "Co", "Cn") or (kind == "Cf" and character not in "\u200c\u200d")


def _number(given: Mapping[str, Any], field: str, high: int) -> int:
    """A number of JSON, or the digits of a form's."""
    value = given.get(field)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
        value = int(value)
    return _count(value, field, high)


def _count(value: Any, field: str, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= high:
        allowed: Phrase = integer_between(0, high)
        raise BadMessage(field, value, allowed)
    return value
