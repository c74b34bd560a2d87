"""What a browser may say over its socket: acknowledge, ask for fewer frames, hide, want probes, and
turn a live knob of its own run:

`{"type": "knob", "n", "knob", "value", "drag"}`, where `n` grows with every one on a connection and
`drag` is 0 for a single setting, or a number of the browser's own for the gesture that this is one
value of. What the hub answers: `bnviz.live.runs.run_messages`. The cookie of the socket's handshake
decides who may set a knob.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bnviz.config import LIVE_KNOBS
from bnviz.probes import PROBES
from bnviz.words.phrase import Phrase, integer_between, listed, one_of, phrase

MAX_SEQ = 2**53
FASTEST = 60.0
SLOWEST = 0.1


class BadMessage(ValueError):
    """A message that is none of ours.

    Attributes:
        field: what is wrong in it.
        value: what was sent.
        allowed: what may be sent.
    """

    def __init__(self, field: str, value: Any, allowed: Phrase | str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(field)


@dataclass(frozen=True)
class Ack:
    """The frame of this number, and all before it, were drawn or overtaken."""

    seq: int


@dataclass(frozen=True)
class FrameRate:
    """At most this many frames a second."""

    max_fps: float


@dataclass(frozen=True)
class Hidden:
    """The page can, or cannot, be seen."""

    hidden: bool


@dataclass(frozen=True)
class Want:
    """The probes that the charts this browser has open draw; all of them, each time."""

    probes: tuple[str, ...]


@dataclass(frozen=True)
class SetKnob:
    """A live knob is set to a value, perhaps one of many while it is dragged."""

    n: int
    knob: str
    value: Any
    drag: int


ClientMessage = Ack | FrameRate | Hidden | Want | SetKnob


def read(message: str | bytes | None, limit: int) -> ClientMessage:
    """Understand one message.

    Args:
        message: the text that came; bytes are not expected.
        limit: its largest size in bytes.

    Raises:
        BadMessage: names what is wrong.
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
    if not isinstance(given, dict):
        raise BadMessage("message", given, phrase("errors.json_object"))
    kind = given.get("type")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise BadMessage("type", kind, one_of(READERS))
    return reader(given)


def _ack(given: dict[str, Any]) -> Ack:
    return Ack(_whole(given, "seq"))


def _whole(given: dict[str, Any], field: str) -> int:
    value = given.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_SEQ:
        raise BadMessage(field, value, integer_between(0, MAX_SEQ))
    return value


def _rate(given: dict[str, Any]) -> FrameRate:
    fps = given.get("max_fps")
    number = isinstance(fps, int | float) and not isinstance(fps, bool)
    if not number or not SLOWEST <= fps <= FASTEST:  # type: ignore[operator]
        allowed = phrase("errors.float_between", low=f"{SLOWEST:g}", high=f"{FASTEST:g}")
        raise BadMessage("max_fps", fps, allowed)
    return FrameRate(float(fps))  # type: ignore[arg-type]


def _hidden(given: dict[str, Any]) -> Hidden:
    hidden = given.get("hidden")
    if not isinstance(hidden, bool):
        raise BadMessage("hidden", hidden, phrase("errors.true_or_false"))
    return Hidden(hidden)


def _want(given: dict[str, Any]) -> Want:
    probes = given.get("probes")
    allowed = phrase("errors.list_of", names=listed(PROBES))
    if not isinstance(probes, list) or len(probes) > len(PROBES):
        raise BadMessage("probes", probes, allowed)
    for name in probes:
        if not isinstance(name, str) or name not in PROBES or probes.count(name) > 1:
            raise BadMessage("probes", name, allowed)
    return Want(tuple(probes))


def _knob(given: dict[str, Any]) -> SetKnob:
    """What a knob may be set to is for the run to say: the answer bears the number."""
    n, drag, knob = _whole(given, "n"), _whole(given, "drag"), given.get("knob")
    if not isinstance(knob, str):
        raise BadMessage("knob", knob, one_of(LIVE_KNOBS))
    # None is a value that some knobs take; none at all is not.
    if "value" not in given:
        raise BadMessage("value", None, phrase("errors.given"))
    return SetKnob(n, knob, given["value"], drag)


READERS: dict[str, Callable[[dict[str, Any]], ClientMessage]] = {
    "ack": _ack,
    "rate": _rate,
    "hidden": _hidden,
    "want": _want,
    "knob": _knob,
}
