"""A run as the hub holds it.

What the hub tells scripts of a run.
"""

from __future__ import annotations

import asyncio
import hmac
import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bnviz.change_log import ChangeLog
from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig
from bnviz.live.protocol.pace import WATCH_STEPS, first_pause
from bnviz.live.runs.history import History
from bnviz.planned_runs.plan import Plan
from bnviz.records import Break, Change

if TYPE_CHECKING:
    from bnviz.live.runs.viewer import Viewer


@dataclass(frozen=True)
class PendingChange:
    """A live change that no worker has confirmed yet.

    Attributes:
        values: the knobs.
        drag: number of the drag it belongs to; 0 for a change on its own.
        set_by: the viewers who set the values, and the number each has given to its message.
        moves: whether any of the values was another one than the run had, or is one of a drag; such
            a change has a paused run go on.
    """

    values: dict[str, Any]
    drag: int = 0
    set_by: dict[Viewer, int] = field(default_factory=dict)
    moves: bool = True


@dataclass
class KnobQueue:
    """Values of live knobs that came faster than they are sent to the worker.

    Attributes:
        waiting: by knob, the newest value; the knob that waits longest first.
        send_at: when the next one may be sent.
        last_drag_sent: number of the drag that the last one sent belonged to.
        send_timer: runs out when the next one is to be sent.
        announced_at: when viewers were last sent the knobs.
        announce_timer: runs out when viewers are to be sent newer ones.
        dragged_until: a drag counts as going on until then.
        release_timer: runs out when viewers are to be told that the drag has ended.
    """

    waiting: dict[str, PendingChange] = field(default_factory=dict)
    send_at: float = 0.0
    last_drag_sent: int = 0
    send_timer: asyncio.TimerHandle | None = None
    announced_at: float = 0.0
    announce_timer: asyncio.TimerHandle | None = None
    dragged_until: float = 0.0
    release_timer: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class Run:
    """The hub's side of a run. Everything another worker needs to go on with it is here.

    Attributes:
        generation: how often it was started on a worker; messages of an earlier generation are
            stale.
        order: number of the last play or pause order.
        worker: number of its worker; None while it queues.
        catch_up_to: the step to replay to before going on; None: from where the checkpoint stands.
        plan: its schedule, or None.
        planned: how many of the plan's changes took effect or were refused.
        reached_at: the step at which it stopped because every network had the plan's accuracy.
        log: the live changes that took effect.
        pending: live changes that no worker has confirmed yet, by number.
        drags: how many drags there were.
        knob_queue: values of knobs on their way to the worker.
        best: what the last search for the best rates found, as its worker said it.
        searched: whether there was a search, or is one.
        searching: how far the search is that goes on, 0 to 1; None: none does.
        awake: somebody watches, or may come back soon.
        last_watched: when somebody's page was there last.
        last_seen: when such a page was in view last: a hidden one keeps a run, but not awake.
        seen: some page that shows it is in view, or was a moment ago, or none has been yet. What
            nobody sees is not measured.
        left_at: since when none is in view any more; None: one is, or none has been yet.
        slow: measuring it takes seconds; viewers are told.
        behind: its worker has no time for a frame of every step where the pace would have one.
        wants: probes that somebody's charts draw, in the order of the registry.
        awaits_checkpoint: a fork that is not given to its worker before its parent's worker has
            sent a checkpoint, or has taken too long.
        error_key: the notice that tells viewers of `error`.
        moved_at: when it was moved from one living worker to another, monotonic seconds.
        deaths: when its worker died or hung in a slice of this run, monotonic seconds.
        ends_at: when it ends unless it is watched; set when its tab has moved on.
        announced: how many viewers and thinnings of the history its viewers were told of.
        history_sent_at: when they were last sent the index of kept frames, monotonic seconds.
        told_status: the status that they were told last, and
        status_number: how many they were told before it.
    """

    id: str
    owner: str
    initial_config: RunConfig
    config: RunConfig
    pace: str
    history: History
    playing: bool = True
    reason: str | None = None
    generation: int = 0
    order: int = 0
    worker: int | None = None
    parent: str | None = None
    step: int = 0
    catch_up_to: int | None = None
    checkpoint: tuple[int, bytes] | None = None
    plan: Plan | None = None
    planned: int = 0
    reached_at: int | None = None
    origin: int = 0
    pause_at: int = WATCH_STEPS
    target: int = WATCH_STEPS
    log: ChangeLog = field(default_factory=lambda: ChangeLog({}))
    pending: dict[int, PendingChange] = field(default_factory=dict)
    changes_made: int = 0
    drags: int = 0
    knob_queue: KnobQueue = field(default_factory=KnobQueue)
    breaks: dict[str, Break] = field(default_factory=dict)
    best: dict[str, Any] | None = None
    searched: bool = False
    searching: float | None = None
    note: str | None = None
    error: str | None = None
    error_key: str = "error"
    awaits_checkpoint: bool = False
    moved_at: float = -math.inf
    deaths: list[float] = field(default_factory=list)
    viewers: set[Viewer] = field(default_factory=set)
    wants: tuple[str, ...] = ()
    awake: bool = True
    seen: bool = True
    left_at: float | None = None
    behind: bool = False
    slow: bool = False
    last_watched: float = field(default_factory=time.monotonic)
    last_seen: float = field(default_factory=time.monotonic)
    ends_at: float | None = None
    history_sent_at: float = 0.0
    history_changed: bool = False
    announced: tuple[int, int] = (0, 0)
    told_status: str = ""
    status_number: int = 0

    def __post_init__(self) -> None:
        for change in self.log:
            self.history.add_change(change)
        self.pause_at = self.target = first_pause(self.plan)
        self._settle_history()

    def _settle_history(self) -> None:
        self.history.pin(self.plan.shown if self.plan else ())

    @property
    def status(self) -> str:
        """One word for the page."""
        if self.error is not None:
            return "error"
        if self.reason == "limit":
            return "finished"
        if self.worker is None:
            return "queued"
        return "running" if self.playing and self.awake else "paused"

    def standing(self) -> dict[str, Any]:
        """Its status for those who watch, and the number of that, which grows with each change: by
        it a browser knows an old status that comes late.
        """
        status = self.status
        if status != self.told_status:
            self.told_status, self.status_number = status, self.status_number + 1
        return {"status": status, "status_number": self.status_number}

    def jump(self, step: int) -> list[int]:
        """Have all steps up to a later one taken at once.

        Returns:
            The steps on the way, in order. They are measured afterwards; until then nobody has
            seen them.
        """
        passed = [*range(self.step + 1, step)]
        self.step = self.catch_up_to = step
        if passed:
            self.history.pass_unseen(passed[0], passed[-1])
        return passed

    def settle_seen(self, now: float, away_seconds: float) -> bool:
        """Take note of whether it is looked at, or was so few seconds ago.

        Returns:
            Whether its worker has to hear of it.
        """
        before = (self.seen, self.awake)
        if any(not viewer.hidden for viewer in self.viewers):
            self.last_seen, self.left_at = now, None
            self.seen = self.awake = True
        elif self.left_at is not None and now - self.left_at >= away_seconds:
            self.seen = False
        return (self.seen, self.awake) != before

    @property
    def stopped_because(self) -> str | None:
        """Why it does not run."""
        if self.error is not None:
            return "failed"
        if self.playing and not self.awake:
            return "unwatched"
        return self.reason

    def plain_best(self) -> dict[str, dict[str, float]] | None:
        """Rates by norm, or None."""
        return self.best["rates"] if self.best else None

    def catch_up(self) -> None:
        """Let the next worker replay to where this run was, by its last frame or by its last
        confirmed change, which may be of a later step.
        """
        changed = self.log[-1].step if self.log else 0
        self.catch_up_to = max(self.step, changed, self.catch_up_to or 0)

    def start_over(self) -> None:
        """Back to step 0 with the present knobs, or with a plan, to be gone through again, with
        those that it began with; frames go on being numbered. A run that its owner had paused stays
        paused. The deaths of its workers still count against it.
        """
        self.playing |= self.reason is not None or self.error is not None
        if self.plan is None:
            self.initial_config = self.config
        self.config = self.initial_config
        self.history.restart()
        self._settle_history()
        self.checkpoint = self.catch_up_to = self.best = self.error = self.reason = None
        self.searching = None
        self.step = self.origin = self.planned = 0
        self.pause_at = self.target = first_pause(self.plan)
        self.reached_at = None
        self.searched = False
        self.error_key = "error"
        self.log = ChangeLog(self.initial_config.model_dump())
        for kept in (self.pending, self.knob_queue.waiting, self.breaks):
            kept.clear()

    def owner_is(self, owner: str) -> bool:
        """Whether this browser started the run."""
        return same_owner(self.owner, owner)

    def unconfirmed(self) -> list[PendingChange]:
        """The live changes that no worker has confirmed, in order."""
        return [*self.pending.values(), *self.knob_queue.waiting.values()]

    def take_planned(self, change: Change | None, done: int) -> None:
        """One of the plan's changes took effect; values that are on their way come after it.

        Args:
            change: the knobs that it changed; None: the run had its values already.
            done: how many of the plan's changes that makes.
        """
        self.planned = done
        planned = change.values if change else {}
        now = {name: value for one in self.unconfirmed() for name, value in one.values.items()}
        try:
            self.config = self.config.replace(**{**planned, **now})
        except ConfigError:
            # What is on its way was set without knowing of it. The worker will say what is so.
            self.config = self.config.replace(**now)

    def live_knobs(self) -> dict[str, Any]:
        """What is set of the knobs that may change, values on their way included."""
        return {name: getattr(self.config, name) for name in LIVE_KNOBS}


def same_owner(owner: str, other: str) -> bool:
    """Whether two secrets of browsers are the same, in a time that tells nothing of them."""
    return bool(other) and hmac.compare_digest(owner.encode(), other.encode())


def idle_since(run: Run) -> tuple[bool, float]:
    """Sorts unwatched runs: first those whose tab has moved on, then the longest unwatched."""
    return run.ends_at is None, run.last_watched


@dataclass(frozen=True)
class RunInfo:
    """What scripts may know of a run.

    Attributes:
        id: 32 hexadecimal digits; whoever knows them may watch.
        initial_config: the knobs at step 0.
        config: the knobs now, live changes included, those on their way too.
        status: "queued", "running", "paused", "finished" or "error".
        reason: why it is not running: "limit", "watch", "plan" (its plan goes no further),
            "reached" (the plan's accuracy), "diverged", "unwatched", "failed", or None.
        pace: one of `paces(plan)`.
        plan: its schedule, or None.
        target: the step at which it stops by itself.
        step: the newest step shown.
        viewers: how many watch.
        queue_place: 1 for the next in the queue; None outside it.
        changes: the live changes, oldest first.
        breaks: what broke first in each network that broke.
        best: by norm, the best rate tried and the accuracy it gave; None until it was searched.
        note: what stood in for what, or None.
        error: what ended the run, or None.
    """

    id: str
    initial_config: RunConfig
    config: RunConfig
    status: str
    reason: str | None
    pace: str
    plan: Plan | None
    target: int
    step: int
    viewers: int
    queue_place: int | None
    changes: tuple[Change, ...]
    breaks: dict[str, Break]
    best: dict[str, dict[str, float]] | None
    note: str | None
    error: str | None
    owner: str = field(repr=False)

    def owner_is(self, owner: str) -> bool:
        """Whether this browser started the run."""
        return same_owner(self.owner, owner)


def info_of(run: Run, queue_place: int | None) -> RunInfo:
    """A run as it is now, at this place in the queue; used under the hub's lock."""
    return RunInfo(
        id=run.id, owner=run.owner, initial_config=run.initial_config, config=run.config,
        status=run.status, reason=run.stopped_because, pace=run.pace, plan=run.plan,
        target=run.target, step=run.step, viewers=len(run.viewers), queue_place=queue_place,
        changes=tuple(run.log), breaks=dict(run.breaks), best=run.plain_best(), note=run.note,
        error=run.error,
    )  # fmt: skip
