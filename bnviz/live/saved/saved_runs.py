"""Saved runs: what `RunRegistry` needs to continue each run after a restart.

An entry "run" has everything but the frames, and an entry "checkpoint" the newest checkpoint. A
new checkpoint is written in one transaction with its run, so they always belong together. After a
restart a run rests: it wakes when a viewer returns, and continues from its checkpoint.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from bnviz.actions import knobs_in
from bnviz.change_log import ChangeLog, read_change
from bnviz.config import RunConfig
from bnviz.live import log
from bnviz.live.protocol.pace import plain_plan, read_plan
from bnviz.live.protocol.server_messages import read_words, words_of
from bnviz.live.runs.admission import new_run
from bnviz.live.runs.history import History
from bnviz.live.runs.placement import NO_CHECKPOINT, Checkpoint, Placement
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.saved.saver import Saver
from bnviz.live.saved.state_file import Entry

RUN, CHECKPOINT = "run", "checkpoint"
# Seconds between two saved checkpoints of a running run.
CHECKPOINT_SECONDS = 30.0
# Fields of a run that are saved as they are, apart from its settings, its log and its plan.
PLAIN = (
    "owner", "address", "pace", "playing", "reason", "step", "planned", "origin", "pause_at",
    "target", "wants", "searched", "best", "versions",
)  # fmt: skip
# Fields of a run with monotonic times. They are saved as seconds of the clock in this entry, which
# stops while no server runs, so that each lease keeps the time that was left.
TIMES = ("last_watched", "ends_at", "pinned_until")
CLOCK, CLOCK_SECONDS = ("server", "clock"), 10.0


@dataclass
class _Saved:
    """What was last saved of a run. `kept` is its checkpoint, saved at the
    monotonic time `at`."""

    log: ChangeLog
    facts: tuple[Any, ...] = ()
    kept: Checkpoint = NO_CHECKPOINT
    at: float = -math.inf
    # JSON of the first changes of the log, and their number. The last change may still be replaced.
    text: bytearray = field(default_factory=bytearray)
    count: int = 0

    def log_text(self) -> orjson.Fragment:
        """Return the JSON of the log. Only new changes are encoded, because a log can be long."""
        more, self.count = self.log[self.count : -1], max(self.count, len(self.log) - 1)
        for change in more:
            self.text += orjson.dumps(change) + b","
        return orjson.Fragment(b"[" + self.text + orjson.dumps(self.log[-1:])[1:])


class SavedRuns:
    """Saves the runs of a registry. Call the methods with the registry's lock held."""

    def __init__(self, registry: RunRegistry, saver: Saver) -> None:
        self._registry, self._saver = registry, saver
        self._saved: dict[str, _Saved] = {}
        # Monotonic times at which the saved clock was 0, and at which it was last saved.
        self._began, self._clock_at = time.monotonic(), -math.inf

    def save(self, *, all_checkpoints: bool = False) -> None:
        """Save what has changed since the last call."""
        if not self._saver.on:
            return
        now, runs = time.monotonic(), self._registry.runs
        for gone in self._saved.keys() - runs.keys():
            del self._saved[gone]
            self._saver.put({(RUN, gone): None, (CHECKPOINT, gone): None})
        for run in runs.values():
            self.save_run(run, all_checkpoints=all_checkpoints)
        if runs and now - self._clock_at >= CLOCK_SECONDS:
            self._clock_at = now
            self._saver.put({CLOCK: orjson.dumps(now - self._began)})

    def save_run(self, run: Run, *, all_checkpoints: bool = False) -> None:
        """Save what has changed in a run. A live change is put before a page can show it."""
        if self._saver.on:
            with log.guarded("run not saved", run=run.id):
                self._saver.put(self._changes(run, time.monotonic(), all_checkpoints))

    def _changes(self, run: Run, now: float, all_checkpoints: bool) -> dict[Entry, bytes | None]:
        saved = self._saved.setdefault(run.id, _Saved(run.log))
        checkpoint, entry = run.placement.checkpoint, (CHECKPOINT, run.id)
        due = all_checkpoints or run.status != "running" or now - saved.at >= CHECKPOINT_SECONDS
        if run.log is not saved.log:
            # After a reset, all that is saved belongs to another past.
            saved.log, saved.facts, saved.text, saved.count = run.log, (), bytearray(), 0
            due = True
        changes: dict[Entry, bytes | None] = {}
        if checkpoint is not saved.kept and due:
            saved.kept, saved.at = checkpoint, now
            content = orjson.dumps(checkpoint.step) + b"\n" + checkpoint.data
            kept = checkpoint.data and self._saver.fits(entry, content)
            changes[entry] = content if kept else None
        facts = _facts(run)
        if facts != saved.facts or changes:
            saved.facts = facts
            plain = {**plain_run(run, self._began), "log": saved.log_text()}
            changes[RUN, run.id] = orjson.dumps(plain, option=orjson.OPT_NON_STR_KEYS)
        return changes

    def restore(self, entries: Mapping[Entry, bytes]) -> None:
        """Add the saved runs to the registry, at rest."""
        now = time.monotonic()
        with log.guarded("saved clock not read"):
            self._began = now - orjson.loads(entries.get(CLOCK, b"0"))
        for (kind, run_id), content in entries.items():
            if kind == RUN:
                with log.guarded("saved run not restored", run=run_id):
                    checkpoint = _read_checkpoint(entries.get((CHECKPOINT, run_id)))
                    run = read_run(
                        run_id, orjson.loads(content), checkpoint, self._began,
                        History(self._registry.settings.history_bytes),
                    )  # fmt: skip
                    self._registry.runs[run_id] = run
                    self._saved[run_id] = _Saved(run.log, _facts(run), checkpoint, now)
                    continue
                self._saver.put({(RUN, run_id): None, (CHECKPOINT, run_id): None})
            elif kind == CHECKPOINT and (RUN, run_id) not in entries:
                self._saver.put({(CHECKPOINT, run_id): None})


def _facts(run: Run) -> tuple[Any, ...]:
    """Return what decides whether a run must be saved again. Steps of a running run do not."""
    log_, placement = run.log, run.placement
    return (
        run.initial_config, len(log_), log_[-1] if log_ else None, run.plan, run.pace, run.playing,
        run.reason, run.planned, run.ends_at, run.pinned_until, bool(run.viewers), run.note,
        placement.failure, len(placement.deaths), run.best, run.searched, run.origin, run.pause_at,
        run.target, run.wants, None if run.status == "running" else run.step, *run.pending,
    )  # fmt: skip


def plain_run(run: Run, began: float) -> dict[str, Any]:
    """Return the JSON values of a run without its log. Times are seconds since `began`."""
    placement = run.placement
    times = {name: getattr(run, name) for name in TIMES}
    return {
        **{name: getattr(run, name) for name in PLAIN},
        **{name: at if at is None else at - began for name, at in times.items()},
        "initial_config": run.initial_config.model_dump(),
        "plan": plain_plan(run.plan), "watched": bool(run.viewers),
        "deaths": [at - began for at in placement.deaths], "note": run.note and words_of(run.note),
        "failure": placement.failure and words_of(placement.failure),
        "notice": placement.notice,
        "pending": [[change.values, change.drag] for change in run.pending.values()],
    }  # fmt: skip


def read_run(
    run_id: str, given: dict[str, Any], checkpoint: Checkpoint, began: float, history: History
) -> Run:
    """Return a saved run, at rest at the step at which it was saved."""
    changes = [read_change(change) for change in given["log"]]
    step = max(given["step"], checkpoint.step, changes[-1].step if changes else 0)
    run = new_run(
        RunConfig(**given["initial_config"]), read_plan(given["plan"]), changes=changes,
        from_step=step, parent=None, wants=given["wants"], owner=given["owner"],
        address=given["address"], pace=given["pace"], playing=given["playing"], attended=False,
        history=history, run_id=run_id,
    )  # fmt: skip
    current = run.versions
    for name in PLAIN:
        setattr(run, name, given[name])
    if not step:
        run.versions = current
    run.step, run.wants = step, tuple(given["wants"])
    for name in TIMES:
        setattr(run, name, None if given[name] is None else began + given[name])
    if given["watched"]:
        # The pages may need some time to reconnect, and nothing was saved while they only watched.
        run.last_watched, run.ends_at = time.monotonic(), None
    run.placement = Placement(
        state="resting", checkpoint=checkpoint, deaths=[began + at for at in given["deaths"]]
    )
    for values, drag in given["pending"]:
        change = read_change({"step": step, "values": values, "drag": drag})
        run.config = run.config.replace(**knobs_in(change.values))
        run.changes_made, run.drags = run.changes_made + 1, max(run.drags, drag)
        run.pending[run.changes_made] = PendingChange(dict(change.values), change.drag)
    run.note = given["note"] and read_words(given["note"])
    if given["failure"]:
        run.placement.fail(read_words(given["failure"]), given["notice"])
    if step:
        run.restored_at = step
        run.history.pass_unseen(0, step - 1)
    return run


def _read_checkpoint(content: bytes | None) -> Checkpoint:
    if content is None:
        return NO_CHECKPOINT
    step, _, data = content.partition(b"\n")
    return Checkpoint(int(step), data)
