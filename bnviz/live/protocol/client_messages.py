"""The messages that a browser may send over the socket of a run, as JSON objects with a `type`.

`{"type": "knob", "n", "knob", "value", "drag"}` sets a live knob: `n` grows with every such message
of a connection, and `drag` is 0 for a single value, or the browser's number for the drag that the
value belongs to. `{"type": "action", "n", "action", "value"}` does an action (`bnviz.actions`);
both are numbered together. The cookie of the socket's handshake decides who may do either. The
answers are in `bnviz.live.runs.run_messages`.
"""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    field_validator,
)

from bnviz.actions import ACTIONS
from bnviz.config import LIVE_KNOBS
from bnviz.knobs import must_be
from bnviz.live.errors import LiveError
from bnviz.live.protocol.server_messages import Message, short_value
from bnviz.probes import PROBES
from bnviz.words.phrase import Phrase, english, integer_between, listed, one_of, phrase

MAX_SEQ = 2**53
FASTEST = 60.0
SLOWEST = 0.1

Number = Annotated[int, Field(ge=0, le=MAX_SEQ)]


# No message has as many lists and objects within each other. The JSON that is read may have 1,000
# of them, and such a value cannot even be quoted.
MOST_LEVELS = 32


class BadMessage(LiveError, ValueError):
    """A browser sent something that is not allowed.

    Attributes:
        field: the part of the message that is wrong.
        value: its value.
        allowed: the values that are allowed.
    """

    def __init__(self, field: str, value: Any, allowed: Phrase | str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(must_be(field, repr(short_value(value)), allowed))

    def plain(self) -> Message:
        """The answer to the browser."""
        return {
            "type": "error", "field": self.field, "value": short_value(self.value),
            "allowed": english(self.allowed), "message": str(self), "phrase": self.phrase.plain(),
        }  # fmt: skip


def check_levels(field: str, given: Any) -> None:
    """See that lists and objects stand within each other no more than `MOST_LEVELS` times.

    Args:
        field: what a message calls it.
        given: what JSON was read to.

    Raises:
        BadMessage: they do.
    """
    level = [given]
    for _ in range(MOST_LEVELS + 1):
        level = [
            inner for each in level if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]  # fmt: skip
        if not level:
            return
    raise BadMessage(field, "[[[…", phrase("errors.json_levels", most=MOST_LEVELS))


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Ack(_Message):
    """The browser has drawn or skipped the frame of this number and all before it."""

    seq: Number


class FrameRate(_Message):
    """The browser takes at most this many frames a second."""

    max_fps: float = Field(ge=SLOWEST, le=FASTEST)


class Hidden(_Message):
    """The page went out of view, or came back into it."""

    hidden: bool


class Beat(_Message):
    """The browser has heard a beat."""


class Want(_Message):
    """The probes that the open charts of this browser draw: all of them, each time."""

    probes: Annotated[tuple[Any, ...], Strict(False), Field(max_length=len(PROBES))]

    @field_validator("probes")
    @classmethod
    def _each_once(cls, probes: tuple[Any, ...]) -> tuple[str, ...]:
        for name in probes:
            if not isinstance(name, str) or name not in PROBES or probes.count(name) > 1:
                raise BadMessage("probes", name, ALLOWED["probes"])
        return probes


def _known_action(name: str) -> str:
    if name not in ACTIONS:
        raise BadMessage("action", name, ALLOWED["action"])
    return name


class SetKnob(_Message):
    """A live knob is set. Whether it may have this value is for its run to check."""

    n: Number
    drag: Number
    name: str = Field(alias="knob")
    value: Any


class Act(_Message):
    """An action is done. Whether it may have this value is for its run to check."""

    n: Number
    name: Annotated[str, AfterValidator(_known_action)] = Field(alias="action")
    value: Any


ClientMessage = Ack | Beat | FrameRate | Hidden | Want | SetKnob | Act
MESSAGES: dict[str, type[ClientMessage]] = {
    "ack": Ack,
    "beat": Beat,
    "rate": FrameRate,
    "hidden": Hidden,
    "want": Want,
    "knob": SetKnob,
    "action": Act,
}
ALLOWED = {
    **dict.fromkeys(("seq", "n", "drag"), integer_between(0, MAX_SEQ)),
    "max_fps": phrase("errors.float_between", low=f"{SLOWEST:g}", high=f"{FASTEST:g}"),
    "hidden": phrase("errors.true_or_false"),
    "probes": phrase("errors.list_of", names=listed(PROBES)),
    "knob": one_of(LIVE_KNOBS),
    "action": one_of(ACTIONS),
    "value": phrase("errors.given"),
}


def read(message: str | bytes | None, limit: int) -> ClientMessage:
    """Parse and check one message.

    Args:
        message: the text that came; bytes are refused.
        limit: its largest size in bytes.

    Raises:
        BadMessage: names the first field that is wrong.
    """
    if not isinstance(message, str):
        raise BadMessage("message", "bytes", phrase("errors.as_text"))
    # Characters first: encoding a huge message only to measure it would cost as much again.
    if len(message) > limit or len(message.encode("utf-8", "replace")) > limit:
        raise BadMessage(
            "message", f"{len(message)} characters", phrase("errors.bytes", most=limit)
        )
    try:
        given = orjson.loads(message)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        raise BadMessage("message", message, phrase("errors.json")) from None
    check_levels("message", given)
    if not isinstance(given, dict):
        raise BadMessage("message", given, phrase("errors.json_object"))
    kind = given.get("type")
    model = MESSAGES.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise BadMessage("type", kind, one_of(MESSAGES))
    try:
        return model.model_validate(given)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False)[0]
    if isinstance(problem := first.get("ctx", {}).get("error"), BadMessage):
        raise problem
    field = str(first["loc"][0])
    raise BadMessage(field, given.get(field), ALLOWED[field])
