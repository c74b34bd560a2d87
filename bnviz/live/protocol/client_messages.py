"""Messages from a browser over the WebSocket of a run: JSON objects with a `type`.

`{"type": "knob", "n", "knob", "value", "drag"}` sets a live knob. `n` grows with every such message
of a connection, and `drag` is the browser's number for one drag of a slider, or 0 for a single
value. `{"type": "action", "n", "action", "value"}` performs an action (`bnviz.actions`) and is
numbered with the same `n`. The cookie of the handshake decides who may send these two messages. The
responses are in `bnviz.live.runs.run_messages`.
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
from bnviz.live.protocol.frames import LEAST_FRAMES_PER_SECOND, MOST_FRAMES_PER_SECOND
from bnviz.live.protocol.server_messages import Message, short_value
from bnviz.probes import PROBES
from bnviz.words.phrase import Phrase, english, integer_between, listed, one_of, phrase

MAX_SEQ = 2**53

Number = Annotated[int, Field(ge=0, le=MAX_SEQ)]


# Maximum depth of nested lists and objects in a message. The JSON parser allows 1,000 levels, and a
# value with so many levels cannot even be quoted in an error message.
MOST_LEVELS = 32


class BadMessage(LiveError, ValueError):
    """Invalid message from a browser: the field, its value and the allowed values."""

    def __init__(self, field: str, value: Any, allowed: Phrase | str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(must_be(field, repr(short_value(value)), allowed))

    def plain(self) -> Message:
        """Return the error message for the browser."""
        return {
            "type": "error", "field": self.field, "value": short_value(self.value),
            "allowed": english(self.allowed), "message": str(self), "phrase": self.phrase.plain(),
        }  # fmt: skip


def check_levels(field: str, given: Any) -> None:
    """Raise `BadMessage` for `field` if its value is nested deeper than `MOST_LEVELS`."""
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
    """Acknowledgement: the browser has drawn or skipped frame `seq` and all earlier frames."""

    seq: Number


class FrameRate(_Message):
    """Largest number of frames per second that the browser accepts."""

    max_fps: float = Field(ge=LEAST_FRAMES_PER_SECOND, le=MOST_FRAMES_PER_SECOND)


class Hidden(_Message):
    """Change of the page's visibility."""

    hidden: bool


class Beat(_Message):
    """Response of the browser to a heartbeat of the server."""


class Want(_Message):
    """Complete list of the probes that this browser's open charts draw."""

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
    """Request to set a live knob. The run checks the value."""

    n: Number
    drag: Number
    name: str = Field(alias="knob")
    value: Any


class Act(_Message):
    """Request to perform an action. The run checks the value."""

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
    "max_fps": phrase(
        "errors.float_between",
        low=f"{LEAST_FRAMES_PER_SECOND:g}",
        high=f"{MOST_FRAMES_PER_SECOND:g}",
    ),
    "hidden": phrase("errors.true_or_false"),
    "probes": phrase("errors.list_of", names=listed(PROBES)),
    "knob": one_of(LIVE_KNOBS),
    "action": one_of(ACTIONS),
    "value": phrase("errors.given"),
}


def read(message: str | bytes | None, limit: int) -> ClientMessage:
    """Parse and check a message of at most `limit` bytes, or raise `BadMessage`."""
    if not isinstance(message, str):
        raise BadMessage("message", "bytes", phrase("errors.as_text"))
    # Check the characters first: encoding a huge message only to measure it is costly.
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
