"""What the hub says to a browser besides frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from bnviz.live.frames import WIRE_VERSION, number, plain_break, plain_change

if TYPE_CHECKING:
    from bnviz.live.run import Run

Message = dict[str, Any]

# Of what a browser sent, so much is said back to it.
MOST_CHARACTERS = 80


def text(message: Message) -> str:
    """A message as it travels."""
    return orjson.dumps({"v": WIRE_VERSION, **message}).decode()


def hello(run: Run, queue_place: int | None) -> Message:
    """Everything about a run but its frames; sent first, and again when it starts over."""
    return {
        "type": "hello",
        "run": run.id,
        "status": run.status,
        "reason": run.stopped_because,
        "pace": run.pace,
        "steps_target": run.target,
        "history": run.history.index(),
        "changes": [plain_change(change) for change in run.log],
        "breaks": {norm: plain_break(found) for norm, found in run.breaks.items()},
        "viewers": len(run.viewers),
        "queue": queue_place,
        "best": {"type": "best", **run.best} if run.best else None,
    }


def status(run: Run, queue_place: int | None) -> Message:
    """A change of status, pace, viewers or place in the queue."""
    return {
        "type": "status",
        "status": run.status,
        "reason": run.stopped_because,
        "pace": run.pace,
        "steps_target": run.target,
        "viewers": len(run.viewers),
        "queue": queue_place,
    }


def history(run: Run) -> Message:
    """The frames that are kept now."""
    return {"type": "history", "kept": run.history.index()}


def notice(key: str, **values: Any) -> Message:
    """A sentence of `assets/texts/<language>/live.toml` and its values."""
    return {"type": "notice", "key": key, "values": values}


def error(field: str, value: Any, allowed: str) -> Message:
    """What was wrong with something a browser sent."""
    shown = _short(value)
    return {
        "type": "error",
        "field": field,
        "value": shown,
        "allowed": allowed,
        "message": f"`{field}` must be {allowed}, got {shown!r}.",
    }


def _short(value: Any) -> Any:
    """What was sent, as far as it can be shown: numbers as they are, anything else as a bit of
    text that is valid Unicode.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int) and abs(value) < 2**53:
        return value
    return str(value)[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
