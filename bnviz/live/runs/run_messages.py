"""Messages of the hub about a run to its viewers, besides frames.

About knobs (what browsers send is in `bnviz.live.protocol.client_messages`):

- to the viewer who turned one, `{"type": "knob", "n", "knob", "value", "step"}` when the value of
  that number, and with it every one before that was not refused, took effect before the step after
  `step`; or `{"type": "refused", "n", "knob", "value", "field", "given", "allowed", "message",
  "phrase"}`, where `value` is what the run has, and `phrase` the message as a key and values;
- to all viewers, `{"type": "knobs", "values", "drag"}` when they change: all live knobs,
  and whether one is being dragged. `hello` has the same as `knobs`, and `can_control`.

The changes of `hello` and of frames are gestures: a single change as `{"step", "values"}`, a drag
as `{"step", "values", "drag", "from", "until"}`, its first and last step and the values at both
ends.

`hello` has the run's plan, by the names of its fields, or null; it and `status` have the pace
("plan" where the run follows it) and the step at which the run stops by itself.

`hello`, `status` and frames have the run's status and `status_number`. A frame that waited for its
turn may come after a newer status: what has a lower number than was heard since `hello` is old.

`{"type": "unseen", "version", "spans": [[first, last], …]}` says which steps the run has passed
while nobody looked, before the first frame after them; `hello` and `/series` say the same. Of two
the one with the higher version is right.
"""

from __future__ import annotations

import time

from bnviz.config import ConfigError
from bnviz.live.protocol.frames import plain_break, plain_gesture
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.protocol.server_messages import Message, short_value, words_of
from bnviz.live.runs.run import Run

# So many gestures of the past are drawn as ticks; the export has all.
MOST_GESTURES = 1_000


def hello(run: Run, queue_place: int | None) -> Message:
    """Everything about a run but its frames; sent first, and again when it starts over."""
    return {
        "type": "hello",
        "run": run.id,
        **run.standing(),
        "reason": run.stopped_because,
        "pace": run.pace,
        "steps_target": run.target,
        "plan": plain_plan(run.plan),
        "history": run.history.index(),
        "unseen": run.history.unseen.plain(),
        "changes": [plain_gesture(gesture) for gesture in run.log.gestures[-MOST_GESTURES:]],
        "knobs": knobs(run),
        "breaks": {norm: plain_break(found) for norm, found in run.breaks.items()},
        "viewers": len(run.viewers),
        "behind": run.behind,
        "queue": queue_place,
        "best": {"type": "best", **run.best} if run.best else None,
        "searching": run.searching,
    }


def status(run: Run, queue_place: int | None) -> Message:
    """A change of status, pace, viewers or place in the queue."""
    return {
        "type": "status",
        **run.standing(),
        "reason": run.stopped_because,
        "pace": run.pace,
        "steps_target": run.target,
        "viewers": len(run.viewers),
        "behind": run.behind,
        "queue": queue_place,
    }


def searching(run: Run) -> Message:
    """How far the search for the best rates is, 0 to 1; null: it has ended without an answer."""
    return {"type": "searching", "share": run.searching}


def history(run: Run) -> Message:
    """The frames that are kept now."""
    return {"type": "history", "kept": run.history.index()}


def unseen(run: Run) -> Message:
    """The spans of steps that were passed while nobody looked."""
    return {"type": "unseen", **run.history.unseen.plain()}


def knobs(run: Run) -> Message:
    """The live knobs as they are set now."""
    dragged = time.monotonic() < run.knob_queue.dragged_until
    return {"type": "knobs", "values": run.live_knobs(), "drag": dragged}


def refused(n: int, knob: str, run: Run, problem: ConfigError) -> Message:
    """A value did not; the control goes back to what the run has."""
    return {
        "type": "refused", "n": n, "knob": short_value(knob), "value": run.live_knobs().get(knob),
        "field": short_value(problem.field), "given": short_value(problem.value),
        "allowed": problem.allowed, **words_of(problem),
    }  # fmt: skip
