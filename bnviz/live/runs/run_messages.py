"""The messages of the hub to the viewers of a run, besides frames.

Answers to a live knob that a viewer has set (see `bnviz.live.protocol.client_messages`):

- `{"type": "knob", "n", "knob", "value", "step"}`: the value with number `n`, and all before it
  that were not refused, took effect before the step after `step`;
- `{"type": "acted", "n", "action", "value", "step"}`: the action with number `n` was done, and acts
  from the step after `step` on;
- `{"type": "refused", "n", "knob", "value", "field", "given", "allowed", "message", "phrase"}`:
  `value` is the run's present one, null for an action; `phrase` the message as a key and values;
- `{"type": "dropped", "n", "why"}`: number `n` takes no effect, because the run was reset or has
  failed (`why`).

Every number ends with one of these, its own or, for a value, that of a higher number. Where the
connection ends first, `hello` tells the next one what the run has.

To all viewers:

- `{"type": "knobs", "values", "drag"}` when live knobs have changed: all of them, and whether one
  is being dragged. `hello` has the same as `knobs`, and `can_control`.
- `{"type": "unseen", "version", "spans": [[first, last], …]}`, before the first frame after steps
  that no viewer saw. `hello` and `/series` have the same; the highest version is the newest.

The `changes` of `hello` and of frames are gestures: a single change as `{"step", "values"}`, a drag
as `{"step", "values", "drag", "from", "until"}`, with its first and last step and the values at
both ends.

`hello` has the run's plan, by the names of its fields, or null. `hello` and `status` have the pace
("plan" if the run follows it) and the step at which the run stops by itself.

`hello` has `beat_seconds`: after so many seconds without any message there is `{"type": "beat"}`,
which a browser answers with the same.

`hello` and `status` have for how many seconds a pinned run is kept, or null.

`hello`, `status` and frames have the run's status and `status_number`. A frame may wait in a queue
and arrive after a newer status: browsers ignore a status with a lower number than the highest one
since `hello`.
"""

from __future__ import annotations

import time

from bnviz.config import ConfigError
from bnviz.live.protocol.frames import compose, plain_gesture
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.protocol.server_messages import Message, short_value, words_of
from bnviz.live.runs.parsed_frames import HistoryFrame
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.runs.viewer import BEAT_SECONDS

# The gestures in `hello`, which are drawn as ticks; the export has all.
MOST_GESTURES = 1_000


def hello(run: Run, queue_place: int | None) -> Message:
    """All about a run but its frames: the first message, sent again when the run starts over."""
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
        "breaks": dict(run.breaks),
        "best": {"type": "best", **run.best} if run.best else None,
        "searching": run.searching,
        "beat_seconds": BEAT_SECONDS,
    }


def status(run: Run, queue_place: int | None) -> Message:
    """Status, pace, number of viewers and place in the queue, sent when one of them changes."""
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
    """A kept frame, as JSON."""
    return compose(run.id, kept.seq, run.numbered_status(), kept.body)


def searching(run: Run) -> Message:
    """The progress of the search for the best rates, 0 to 1; null: it has ended."""
    return {"type": "searching", "share": run.searching}


def shown(run_id: str) -> Message:
    """The viewer's own tab is about to show this run, in which its page sets knobs now."""
    return {"type": "shown", "run": run_id}


def history(run: Run) -> Message:
    return {"type": "history", "kept": run.history.index()}


def unseen(run: Run) -> Message:
    return {"type": "unseen", **run.history.unseen.plain()}


def knobs(run: Run) -> Message:
    dragged = time.monotonic() < run.hand.dragged_until
    return {"type": "knobs", "values": run.live_knobs(), "drag": dragged}


def drop_change(pending: PendingChange, why: str) -> None:
    """Tell the viewers who set a value that it takes no effect; on the event loop."""
    for viewer, n in pending.set_by.items():
        viewer.offer({"type": "dropped", "n": n, "why": why})


def refused(n: int, knob: str, run: Run, problem: ConfigError) -> Message:
    """A value was refused, and the slider goes back to the run's value; or an action was."""
    return {
        "type": "refused", "n": n, "knob": short_value(knob), "value": run.live_knobs().get(knob),
        "field": short_value(problem.field), "given": short_value(problem.value),
        "allowed": problem.allowed, **words_of(problem),
    }  # fmt: skip
