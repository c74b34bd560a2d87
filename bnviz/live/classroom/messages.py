"""Parsers for the messages of teachers' pages and phones.

The first invalid field raises `BadMessage`. Unknown fields are ignored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import anyio
import orjson
from starlette.requests import ClientDisconnect, Request

from bnviz.live.classroom.class_text import MOST_SENTENCES, ClassText, read_class_phrase
from bnviz.live.classroom.votes import RunOutcome, Vote
from bnviz.live.contract import (
    FEWEST_ANSWERS,
    LONGEST_ANSWER,
    LONGEST_SENTENCE,
    LONGEST_TEXT,
    MOST_ANSWERS,
    MOST_HANDS,
)
from bnviz.live.protocol.client_messages import BadMessage, check_levels
from bnviz.live.web.run_socket import RUN_ID
from bnviz.words.phrase import Phrase, integer_between, phrase

LONGEST_ADDRESS = 2_000  # characters
MOST_COUNTED, MOST_ROUND = 2**53, 99
BODY_SECONDS = 10.0  # time limit for receiving a body
# Address of an app page: its path within the app and an optional query.
PAGE_ADDRESS = re.compile(r"/[a-z_-]{0,40}/?(?:\?[!-~]*)?")
FORM = "application/x-www-form-urlencoded"


class TeacherLocation(NamedTuple):
    """Page shown in a teacher's tab: its path and query within the app.

    `run` is the id of the run on the page if the address does not contain it, otherwise None.
    """

    address: str
    run: str | None = None


async def read_body(request: Request, most: int) -> dict[str, Any]:
    """Read a JSON object or the text fields of a form from a request's body.

    Raises:
        BadMessage: If the body exceeds `most` bytes, arrives late or incomplete, or is not an
            object.
    """
    body, whole = bytearray(), False
    with anyio.move_on_after(BODY_SECONDS), suppress(ClientDisconnect):
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                raise BadMessage("body", f"{len(body)} bytes", phrase("errors.bytes", most=most))
        whole = True
    if not whole:
        raise BadMessage(
            "body", f"{len(body)} bytes", phrase("errors.sent_within", seconds=BODY_SECONDS)
        )
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == FORM:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    try:
        message = orjson.loads(bytes(body) or b"{}")
    except orjson.JSONDecodeError:
        raise BadMessage(
            "body", body[:80].decode("utf-8", "replace"), phrase("errors.json")
        ) from None
    check_levels("body", message)
    if not isinstance(message, dict):
        raise BadMessage("body", message, phrase("errors.json_object"))
    return message


def one_line(text: str, most: int) -> str:
    """Return a text on one line. Raise `ValueError` for control characters or an invalid length."""
    line = " ".join(text.split())
    if not 1 <= len(line) <= most or has_control_characters(line):
        raise ValueError
    return line


def has_control_characters(text: str) -> bool:
    return any(map(_is_control, text))


def _is_control(character: str) -> bool:
    """Return whether a character is invisible; joiners in emoji and some scripts do not count."""
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cs", "Co", "Cn") or (kind == "Cf" and character not in "\u200c\u200d")


def number_of_form(value: Any) -> Any:
    """Convert digits to an integer, because a form sends text. Return other values unchanged."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
        return int(value)
    return value


# Messages of a teacher's page.


def read_question(body: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    text, made_of = _text("text", body.get("text"), LONGEST_TEXT), body.get("text_phrase")
    if made_of is not None:
        text = ClassText(text, read_class_phrase("text_phrase", made_of))
    items = _items("answers", body.get("answers"), FEWEST_ANSWERS, MOST_ANSWERS)
    answers = [_text("answers", each, LONGEST_ANSWER) for each in items]
    phrases = _phrases("answer_phrases", body, len(answers), len(answers))
    return text, tuple(map(ClassText, answers, phrases) if phrases else answers)


def read_hands(body: Mapping[str, Any], answers: int) -> list[int]:
    """Parse the number of raised hands per answer."""
    counts = _items("counts", body.get("counts"), answers, answers)
    return [_integer("counts", each, MOST_HANDS) for each in counts]


def read_outcome(body: Mapping[str, Any], answers: int) -> RunOutcome:
    """Parse the outcome of a question.

    If the page has shortened the text, there may be more phrases than sentences.
    """
    sentence = _text("sentence", body.get("sentence"), LONGEST_SENTENCE)
    text = ClassText(sentence, *_phrases("sentence_phrases", body, 0, MOST_SENTENCES))
    if body.get("answers") is None:
        return RunOutcome(None, text)
    came_true = _items("answers", body["answers"], 0, answers)
    return RunOutcome(sorted({_integer("answers", each, answers - 1) for each in came_true}), text)


def read_location(body: Mapping[str, Any], base: str) -> TeacherLocation:
    """Parse the page shown in a teacher's tab, without the prefix `base` in its address."""
    address, run = body.get("address"), body.get("run")
    if not isinstance(address, str) or not 1 <= len(address) <= LONGEST_ADDRESS:
        raise BadMessage("address", address, phrase("errors.characters", most=LONGEST_ADDRESS))
    page = address.removeprefix(base) if address.startswith(f"{base}/") else address
    if not PAGE_ADDRESS.fullmatch(page):
        raise BadMessage("address", address, phrase("errors.place"))
    if run is not None and not (isinstance(run, str) and RUN_ID.fullmatch(run)):
        raise BadMessage("run", run, phrase("errors.hex_digits", count=32))
    return TeacherLocation(page, run)


# Messages of phones.


def read_vote(body: Mapping[str, Any], answers: int) -> tuple[int, int, Vote]:
    """Parse a vote into (question number, round, vote). A form omits `page` and `n`."""

    def number(field: str, most: int) -> int:
        return _integer(field, number_of_form(body.get(field)), most)

    question, round_ = number("question", MOST_COUNTED), number("round", MOST_ROUND)
    answer = number("answer", answers - 1)
    if "page" not in body and "n" not in body:
        return question, round_, Vote(answer)
    return question, round_, Vote(answer, number("page", MOST_COUNTED), number("n", MOST_COUNTED))


# Fields.


def _text(field: str, value: Any, most: int) -> str:
    try:
        return one_line(value, most)
    except (AttributeError, ValueError):
        raise BadMessage(field, value, phrase("errors.plain_text", most=most)) from None


def _integer(field: str, value: Any, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise BadMessage(field, value, integer_between(0, most))
    return value


def _items(field: str, value: Any, low: int, high: int) -> list[Any]:
    if not isinstance(value, list) or not low <= len(value) <= high:
        raise BadMessage(field, value, phrase("errors.list_length", low=low, high=high))
    return value


def _phrases(field: str, body: Mapping[str, Any], low: int, high: int) -> list[Phrase]:
    """Parse `low` to `high` phrases from a message field, or return [] if the field is missing."""
    if body.get(field) is None:
        return []
    return [read_class_phrase(field, each) for each in _items(field, body[field], low, high)]
