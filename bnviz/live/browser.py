"""What a browser may say over its socket: acknowledge, ask for fewer frames, hide, want probes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from bnviz.probes import PROBES

MAX_SEQ = 2**53
FASTEST = 60.0
SLOWEST = 0.1


class BadMessage(ValueError):
    """A message that is none of ours.

    Attributes:
        field: what is wrong in it.
        value: what was sent.
        allowed: what may be sent, in words.
    """

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(field)


@dataclass(frozen=True)
class Ack:
    """The frame of this number, and all before it, were drawn or overtaken."""

    seq: int


@dataclass(frozen=True)
class Rate:
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


Said = Ack | Rate | Hidden | Want


def read(message: str | bytes | None, limit: int) -> Said:
    """Understand one message.

    Args:
        message: the text that came; bytes are not expected.
        limit: its largest size in bytes.

    Raises:
        BadMessage: names what is wrong.
    """
    if not isinstance(message, str):
        raise BadMessage("message", "bytes", "text")
    # Characters first: encoding a huge message only to measure it would cost as much again.
    if len(message) > limit or len(message.encode("utf-8", "replace")) > limit:
        raise BadMessage("message", f"{len(message)} characters", f"at most {limit} bytes")
    try:
        given = orjson.loads(message)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        raise BadMessage("message", message, "JSON") from None
    if not isinstance(given, dict):
        raise BadMessage("message", given, "a JSON object")
    kind = given.get("type")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise BadMessage("type", kind, f"one of {', '.join(READERS)}")
    return reader(given)


def _ack(given: dict[str, Any]) -> Ack:
    seq = given.get("seq")
    if not isinstance(seq, int) or isinstance(seq, bool) or not 0 <= seq <= MAX_SEQ:
        raise BadMessage("seq", seq, f"a whole number between 0 and {MAX_SEQ}")
    return Ack(seq)


def _rate(given: dict[str, Any]) -> Rate:
    fps = given.get("max_fps")
    number = isinstance(fps, int | float) and not isinstance(fps, bool)
    if not number or not SLOWEST <= fps <= FASTEST:  # type: ignore[operator]
        raise BadMessage("max_fps", fps, f"a number between {SLOWEST} and {FASTEST:g}")
    return Rate(float(fps))  # type: ignore[arg-type]


def _hidden(given: dict[str, Any]) -> Hidden:
    hidden = given.get("hidden")
    if not isinstance(hidden, bool):
        raise BadMessage("hidden", hidden, "true or false")
    return Hidden(hidden)


def _want(given: dict[str, Any]) -> Want:
    probes = given.get("probes")
    allowed = f"a list of names of {', '.join(PROBES)}, each once"
    if not isinstance(probes, list) or len(probes) > len(PROBES):
        raise BadMessage("probes", probes, allowed)
    for name in probes:
        if not isinstance(name, str) or name not in PROBES or probes.count(name) > 1:
            raise BadMessage("probes", name, allowed)
    return Want(tuple(probes))


READERS: dict[str, Callable[[dict[str, Any]], Said]] = {
    "ack": _ack,
    "rate": _rate,
    "hidden": _hidden,
    "want": _want,
}
