"""Messages from the hub to the viewers of a run, except frames.

Responses to a live knob or action set by a viewer (see `bnviz.live.protocol.client_messages`):

- `{"type": "knob", "n", "knob", "value", "step"}`: value `n` and all earlier accepted values took
  effect before the step after `step`.
- `{"type": "acted", "n", "action", "value", "step"}`: action `n` applies from the step after
  `step`.
- `{"type": "refused", "n", "knob", "value", "field", "given", "allowed", "message", "phrase"}`:
  `value` is the run's current value (null for an action), and `phrase` is the message as key and
  values.
- `{"type": "dropped", "n", "why"}`: `n` was discarded because the run was reset or has failed.

Every `n` gets one of these responses. A `knob` response to a higher `n` also covers earlier values.
After a reconnect, `hello` contains the current values instead.

Messages to all viewers:

- `{"type": "knobs", "values", "drag"}` after live knobs have changed: all values, and whether a
  knob is being dragged. `hello` contains the same as `knobs`, and `can_control`.
- `{"type": "unseen", "version", "spans": [[first, last], …]}` before the first frame after steps
  without a viewer. `hello` and `/series` contain the same. The highest version is the newest.

`changes` in `hello` and frames are gestures: a single change `{"step", "values"}`, or a drag
`{"step", "values", "drag", "from", "until"}` with the steps and values at its start and end.

`hello` and `status` contain the pace ("plan" if the run follows its plan), the step at which the
run stops by itself, and the seconds until the run's pin expires, or null without a pin.

If nothing else is sent for `beat_seconds` (in `hello`), the hub sends `{"type": "beat"}`, which a
browser returns.

A frame may be delivered after a newer status. So `hello`, `status` and frames contain
`status_number`, and browsers ignore a status whose number is lower than the highest since `hello`.
"""

from __future__ import annotations

import time

from bnviz.config import LIVE_KNOBS, ConfigError
from bnviz.live.protocol.frames import compose, plain_gesture
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.protocol.server_messages import Message, short_value, words_of
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.runs.viewer import BEAT_SECONDS

# Maximum number of gestures in `hello`, drawn as ticks. The export contains all changes.
MOST_GESTURES = 1_000


def hello(run: Run, queue_place: int | None) -> Message:
    """Return `hello`, the first message to a viewer and after a reset: all data except frames."""
    return {
        **status(run, queue_place),
        "type": "hello",
        "run": run.id,
        "plan": plain_plan(run.plan),
        "resolved_device": run.resolved_device,
        "history": run.history.index(),
        "unseen": run.history.unseen.plain(),
        "changes": [plain_gesture(gesture) for gesture in run.log.gestures[-MOST_GESTURES:]],
        "knobs": knobs(run),
        "initial": run.initial_config.model_dump(include={*LIVE_KNOBS}),
        "breaks": dict(run.breaks),
        "best": {"type": "best", **run.best} if run.best else None,
        "searching": run.searching,
        "restored_at": run.restored_at,
        "beat_seconds": BEAT_SECONDS,
    }


def status(run: Run, queue_place: int | None) -> Message:
    return {
        "type": "status",
        **run.numbered_status(),
        "reason": run.stop_reason,
        "pace": run.pace,
        "steps_target": run.target,
        "viewers": len(run.viewers),
        "behind": run.behind,
        "queue": queue_place,
        "pinned": run.pinned_seconds(),
    }


def frame(run: Run, kept: HistoryFrame) -> bytes:
    return compose(run.id, kept.seq, run.numbered_status(), kept.body)


def searching(run: Run) -> Message:
    """Return a message with a search's progress: 0 to 1, or null after the search has ended."""
    return {"type": "searching", "share": run.searching}


def shown(run_id: str) -> Message:
    """Return the message that announces a tab's next run, which the page's knobs now control."""
    return {"type": "shown", "run": run_id}


def history(run: Run) -> Message:
    return {"type": "history", "kept": run.history.index()}


def unseen(run: Run) -> Message:
    return {"type": "unseen", **run.history.unseen.plain()}


def knobs(run: Run) -> Message:
    dragged = time.monotonic() < run.hand.dragged_until
    return {"type": "knobs", "values": run.live_knobs(), "drag": dragged}


def drop_change(pending: PendingChange, why: str) -> None:
    """Notify the viewers who set a value that it was discarded. Call on the event loop."""
    for viewer, n in pending.set_by.items():
        viewer.offer({"type": "dropped", "n": n, "why": why})


def refused(n: int, knob: str, run: Run, problem: ConfigError) -> Message:
    """Return the refusal of an action or a knob value, with the knob's current value."""
    return {
        "type": "refused", "n": n, "knob": short_value(knob), "value": run.live_knobs().get(knob),
        "field": short_value(problem.field), "given": short_value(problem.value),
        "allowed": problem.allowed, **words_of(problem),
    }  # fmt: skip
