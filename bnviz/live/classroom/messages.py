"""The messages of teachers' pages and phones: the fields of each, and what they may be.

A message is a pydantic model, read by `ClassroomMessage.read`. Beside a field's type stands what is
`allowed`: the phrase with which any other value is refused. Fields of one kind of vote alone stand
in the file of that kind (`bnviz.live.classroom.lettered_vote`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import parse_qsl

import anyio
import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError
from starlette.requests import ClientDisconnect, Request

from bnviz.live.classroom.class_text import MOST_SENTENCES, checked_phrase
from bnviz.live.contract import LONGEST_SENTENCE, LONGEST_TEXT
from bnviz.live.protocol.client_messages import BadMessage, check_levels
from bnviz.words.phrase import Phrase, integer_between, phrase

LONGEST_ADDRESS = 2_000  # characters
MOST_COUNTED, MOST_ROUND = 2**53, 99
# A page of ours by its path within the app, and a query.
PAGE_ADDRESS = re.compile(r"/[a-z_-]{0,40}/?(?:\?[!-~]*)?")
FORM = "application/x-www-form-urlencoded"


async def read_body(request: Request, most: int, seconds: float) -> dict[str, Any]:
    """The object in a request's body: JSON, or the fields of a form as texts.

    Args:
        request: whose body was not read yet.
        most: its largest size in bytes.
        seconds: in which it must have come.

    Raises:
        BadMessage: it is too large, not whole in time, or no object.
    """
    body, whole = bytearray(), False
    with anyio.move_on_after(seconds), suppress(ClientDisconnect):
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                raise BadMessage("body", f"{len(body)} bytes", phrase("errors.bytes", most=most))
        whole = True
    if not whole:
        raise BadMessage(
            "body", f"{len(body)} bytes", phrase("errors.sent_within", seconds=seconds)
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


class ClassroomMessage(BaseModel):
    """A message. Fields that it does not declare are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)

    @classmethod
    def read(cls, body: Mapping[str, Any], context: Any = None) -> Self:
        """The message in a request's body.

        Args:
            body: the object that was sent.
            context: what the fields' limits depend on: given to the functions in `allowed`.

        Raises:
            BadMessage: names the first wrong field, its value and what is allowed.
        """
        fields = {name: body.get(name) for name in cls.model_fields}
        try:
            return cls.model_validate(fields, context=context)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field, why = str(first["loc"][0]), first["ctx"]
            raise BadMessage(field, why.get("value", first["input"]), why["allowed"]) from None


def allowed(what: Phrase | Callable[[Any], Phrase]) -> WrapValidator:
    """Metadata of a field: with which phrase a value is refused.

    It answers for the field's type and for the constraints that stand before it.

    Args:
        what: the phrase, or a function that gives it for the context of `ClassroomMessage.read`.
    """

    def check(value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return validate(value)
        except ValidationError as error:
            if "allowed" in error.errors()[0].get("ctx", {}):  # an inner `allowed` has said it
                raise
            why = what if isinstance(what, Phrase) else what(info.context)
            raise PydanticCustomError("refused", "refused", {"allowed": why}) from None

    return WrapValidator(check)


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


def check_length(items: Any, low: int, high: int) -> Any:
    """A list of `low` to `high` items, as it is.

    Raises:
        ValueError: it is no list, or a shorter or longer one.
    """
    if not isinstance(items, list) or not low <= len(items) <= high:
        raise ValueError
    return items


def checked_phrases(given: Any, low: int, high: int) -> tuple[Phrase, ...]:
    """What some texts of a message were made of, in order; nothing of None.

    Args:
        given: the value in the message: a phrase for each text, or None.
        low: how many there must be.
        high: how many there may be.

    Raises:
        PydanticCustomError: see `checked_phrase`.
        ValueError: it is no list of so many.
    """
    return () if given is None else tuple(map(checked_phrase, check_length(given, low, high)))


def _page_of_app(address: str, info: ValidationInfo[str]) -> str:
    """The address without the server's base path, which is the context.

    Raises:
        ValueError: it is no page of the app.
    """
    base: str = info.context
    page = address.removeprefix(base) if address.startswith(f"{base}/") else address
    if not PAGE_ADDRESS.fullmatch(page):
        raise ValueError
    return page


Number = Annotated[
    int,
    Field(ge=0, le=MOST_COUNTED),
    allowed(integer_between(0, MOST_COUNTED)),
    BeforeValidator(number_of_form),
]


class QuestionText(ClassroomMessage):
    """What every question has, whatever the kind of its vote.

    Attributes:
        text: plain.
        text_phrase: the phrase that it was made of; None of what a teacher typed.
    """

    text: Annotated[
        str,
        AfterValidator(partial(one_line, most=LONGEST_TEXT)),
        allowed(phrase("errors.plain_text", most=LONGEST_TEXT)),
    ]
    text_phrase: Annotated[Phrase, PlainValidator(checked_phrase)] | None = None


class OutcomeSentence(ClassroomMessage):
    """What the run did, in words.

    Attributes:
        sentence: one or more, as the teacher's page has them.
        sentence_phrases: a phrase for each of them, or for more of them where they were too long.
    """

    sentence: Annotated[
        str,
        AfterValidator(partial(one_line, most=LONGEST_SENTENCE)),
        allowed(phrase("errors.plain_text", most=LONGEST_SENTENCE)),
    ]
    sentence_phrases: Annotated[
        tuple[Phrase, ...],
        PlainValidator(partial(checked_phrases, low=0, high=MOST_SENTENCES)),
        allowed(phrase("errors.list_length", low=0, high=MOST_SENTENCES)),
    ] = ()


class LocationMessage(ClassroomMessage):
    """Which page the teacher's tab shows. To be read with the server's base path as the context.

    Attributes:
        address: path and query within the app.
        run: the run that the page shows, where the address does not name it; None: none.
    """

    address: Annotated[
        str,
        Field(min_length=1, max_length=LONGEST_ADDRESS),
        allowed(phrase("errors.characters", most=LONGEST_ADDRESS)),
        AfterValidator(_page_of_app),
        allowed(phrase("errors.place")),
    ]
    run: (
        Annotated[
            str, Field(pattern=r"^[0-9a-f]{32}$"), allowed(phrase("errors.hex_digits", count=32))
        ]
        | None
    ) = None


class VotedQuestion(ClassroomMessage):
    """What a phone votes on.

    Attributes:
        question: its number.
        round: 1, or 2 after discussion.
    """

    question: Number
    round: Annotated[
        int,
        Field(ge=0, le=MOST_ROUND),
        allowed(integer_between(0, MOST_ROUND)),
        BeforeValidator(number_of_form),
    ]


class VoteOrder(ClassroomMessage):
    """The place of a vote among those of its page: they may come in another order.

    Attributes:
        page: a number that the page has drawn by lot.
        n: how many votes it had sent before.
    """

    page: Number
    n: Number
