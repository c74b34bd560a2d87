"""What the hub says to a browser besides frames.

About the knobs it says (what browsers say of them is in `bnviz.live.protocol.client_messages`):

- to whoever turned one, `{"type": "knob", "n", "knob", "value", "step"}` when the value of that
  number, and with it every one before that was not refused, took effect before the step after
  `step`; or `{"type": "refused", "n", "knob", "value", "field", "given", "allowed", "message"}`,
  where `value` is what the run has;
- to everybody who watches, `{"type": "knobs", "values", "drag"}` when they change: all live knobs,
  and whether a hand is on one. `hello` has the same as `knobs`, and `can_control`.

The changes of `hello` and of frames are gestures: a single change as `{"step", "values"}`, a drag
as `{"step", "values", "drag", "from", "until"}`, its first and last step and the values at both
ends.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import orjson

from bnviz.config import ConfigError
from bnviz.live.protocol.frames import WIRE_VERSION, number, plain_break, plain_gesture

if TYPE_CHECKING:
    from bnviz.live.hub.run import Run

Message = dict[str, Any]

# Of what a browser sent, so much is said back to it.
MOST_CHARACTERS = 80
MOST_WORDS = 500
# So many gestures of the past are drawn as ticks; the export has all.
MOST_GESTURES = 1_000


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
        "changes": [plain_gesture(gesture) for gesture in run.log.gestures[-MOST_GESTURES:]],
        "knobs": knobs(run),
        "breaks": {norm: plain_break(found) for norm, found in run.breaks.items()},
        "viewers": len(run.viewers),
        "behind": run.behind,
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
        "behind": run.behind,
        "queue": queue_place,
    }


def history(run: Run) -> Message:
    """The frames that are kept now."""
    return {"type": "history", "kept": run.history.index()}


def knobs(run: Run) -> Message:
    """The live knobs as they are set now."""
    held = time.monotonic() < run.hand.held_until
    return {"type": "knobs", "values": run.live_knobs(), "drag": held}


def turned(n: int, knob: str, value: Any, step: int) -> Message:
    """A value took effect."""
    return {"type": "knob", "n": n, "knob": knob, "value": value, "step": step}


def refused(n: int, knob: str, run: Run, problem: ConfigError) -> Message:
    """A value did not; the control goes back to what the run has."""
    return {
        "type": "refused", "n": n, "knob": _short(knob), "value": run.live_knobs().get(knob),
        "field": _short(problem.field), "given": _short(problem.value),
        "allowed": problem.allowed, "message": _short(str(problem), MOST_WORDS),
    }  # fmt: skip


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


def _short(value: Any, most: int = MOST_CHARACTERS) -> Any:
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
