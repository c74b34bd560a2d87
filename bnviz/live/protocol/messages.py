"""What the hub says to a browser besides frames. Of a run: `bnviz.live.hub.run_messages`."""

from __future__ import annotations

from typing import Any

import orjson

from bnviz.live.protocol.frames import WIRE_VERSION, number

Message = dict[str, Any]

# Of what a browser sent, so much is said back to it.
MOST_CHARACTERS = 80


def text(message: Message) -> str:
    """A message as it travels."""
    return orjson.dumps({"v": WIRE_VERSION, **message}).decode()


def turned(n: int, knob: str, value: Any, step: int) -> Message:
    """A value took effect."""
    return {"type": "knob", "n": n, "knob": knob, "value": value, "step": step}


def notice(key: str, **values: Any) -> Message:
    """A sentence of `assets/texts/<language>/live.toml` and its values."""
    return {"type": "notice", "key": key, "values": values}


def error(field: str, value: Any, allowed: str) -> Message:
    """What was wrong with something a browser sent."""
    shown = short_value(value)
    return {
        "type": "error",
        "field": field,
        "value": shown,
        "allowed": allowed,
        "message": f"`{field}` must be {allowed}, got {shown!r}.",
    }


def short_value(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """What was sent, as far as it can be shown: numbers as they are, anything else as a bit of
    text that is valid Unicode.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    return str(value)[:most].encode("utf-8", "replace").decode()
