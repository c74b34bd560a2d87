"""Messages of teachers' pages and phones: how each is read, and what its fields may be.

A message is the body of a request. Its first wrong field is refused with `BadMessage`, which says
what is allowed; fields that nothing reads are ignored.
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
BODY_SECONDS = 10.0  # in which a body must have come
# A page of ours by its path within the app, and a query.
PAGE_ADDRESS = re.compile(r"/[a-z_-]{0,40}/?(?:\?[!-~]*)?")
FORM = "application/x-www-form-urlencoded"


class TeacherLocation(NamedTuple):
    """Which page a teacher's tab shows.

    Attributes:
        address: path and query within the app.
        run: the run that the page shows, where the address does not name it; None: none.
    """

    address: str
    run: str | None = None


async def read_body(request: Request, most: int) -> dict[str, Any]:
    """The object in a request's body: JSON, or the fields of a form as texts.

    Args:
        request: whose body was not read yet.
        most: its largest size in bytes.

    Raises:
        BadMessage: it is too large, not whole in time, or no object.
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
    """A text as one line, in which each character can be seen or is a space.

    Raises:
        ValueError: it has no characters, more than `most`, or others.
    """
    line = " ".join(text.split())
    if not 1 <= len(line) <= most or has_control_characters(line):
        raise ValueError
    return line


def has_control_characters(text: str) -> bool:
    """Whether a text has control characters, such as those that reverse the direction of text."""
    return any(map(_is_control, text))


def _is_control(character: str) -> bool:
    """Whether it is no part of a word; what joins emoji and letters of some scripts is."""
    kind = unicodedata.category(character)
    return kind in ("Cc", "Cs", "Co", "Cn") or (kind == "Cf" and character not in "\u200c\u200d")


def number_of_form(value: Any) -> Any:
    """The number that digits mean, for a form sends text; any other value as it is."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16:
        return int(value)
    return value


# Messages of a teacher's page.


def read_question(body: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The text and the answers of a question, which carry their phrases if they have any."""
    text, made_of = _text("text", body.get("text"), LONGEST_TEXT), body.get("text_phrase")
    if made_of is not None:
        text = ClassText(text, read_class_phrase("text_phrase", made_of))
    items = _items("answers", body.get("answers"), FEWEST_ANSWERS, MOST_ANSWERS)
    answers = [_text("answers", each, LONGEST_ANSWER) for each in items]
    phrases = _phrases("answer_phrases", body, len(answers), len(answers))
    return text, tuple(map(ClassText, answers, phrases) if phrases else answers)


def read_hands(body: Mapping[str, Any], answers: int) -> list[int]:
    """The hands that were raised for each of so many answers."""
    counts = _items("counts", body.get("counts"), answers, answers)
    return [_integer("counts", each, MOST_HANDS) for each in counts]


def read_outcome(body: Mapping[str, Any], answers: int) -> RunOutcome:
    """What came of the present question, which has so many answers.

    Its `sentence_phrases` are one for each sentence, or more of them where the text was too long.
    """
    sentence = _text("sentence", body.get("sentence"), LONGEST_SENTENCE)
    text = ClassText(sentence, *_phrases("sentence_phrases", body, 0, MOST_SENTENCES))
    if body.get("answers") is None:
        return RunOutcome(None, text)
    came_true = _items("answers", body["answers"], 0, answers)
    return RunOutcome(sorted({_integer("answers", each, answers - 1) for each in came_true}), text)


def read_location(body: Mapping[str, Any], base: str) -> TeacherLocation:
    """Which page the teacher's tab shows.

    Args:
        body: of the message.
        base: what the server's paths start with.
    """
    address, run = body.get("address"), body.get("run")
    if not isinstance(address, str) or not 1 <= len(address) <= LONGEST_ADDRESS:
        raise BadMessage("address", address, phrase("errors.characters", most=LONGEST_ADDRESS))
    page = address.removeprefix(base) if address.startswith(f"{base}/") else address
    if not PAGE_ADDRESS.fullmatch(page):
        raise BadMessage("address", address, phrase("errors.place"))
    if run is not None and not (isinstance(run, str) and RUN_ID.fullmatch(run)):
        raise BadMessage("run", run, phrase("errors.hex_digits", count=32))
    return TeacherLocation(page, run)


# The message of a phone.


def read_vote(body: Mapping[str, Any], answers: int) -> tuple[int, int, Vote]:
    """The number of the question that is answered, its round, and the vote.

    Args:
        body: of the message, which a form sends without `page` and `n`.
        answers: how many the present question has.
    """

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
    """The phrases that some texts of a message were made of; none of what a teacher typed."""
    if body.get(field) is None:
        return []
    return [read_class_phrase(field, each) for each in _items(field, body[field], low, high)]
