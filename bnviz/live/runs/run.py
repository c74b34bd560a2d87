"""A run as the hub holds it: all that another worker needs to go on with it, and who watches it."""

from __future__ import annotations

import asyncio
import hmac
import time
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from bnviz.actions import knobs_in
from bnviz.change_log import ChangeLog
from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig
from bnviz.device import Device, choose, this_gpu
from bnviz.live.protocol.pace import WATCH_STEPS, first_pause
from bnviz.live.runs.history import History
from bnviz.live.runs.placement import Placement
from bnviz.planned_runs.plan import Plan
from bnviz.records import Break, Change

if TYPE_CHECKING:
    from bnviz.live.runs.viewer import Viewer


class Owned:
    """Something that one browser controls."""

    owner: str

    def owner_is(self, owner: str) -> bool:
        """Whether a browser's secret is that of the owner, in a time that does not depend on it."""
        return bool(owner) and hmac.compare_digest(self.owner.encode(), owner.encode())


@dataclass(frozen=True)
class PendingChange:
    """A live change that its worker has not confirmed yet.

    Attributes:
        values: by knob, the values; by action, what it was given.
        drag: number of the drag that it belongs to; 0: none.
        set_by: the viewers who set the values, each with the number that it gave its message.
    """

    values: dict[str, Any]
    drag: int = 0
    set_by: dict[Viewer, int] = field(default_factory=dict)


@dataclass
class Hand:
    """The state of a drag of a live knob, and the timer for messages about knobs.

    Attributes:
        last_drag: number of the drag that the value sent last belonged to.
        announced_at: when the knobs were last sent to viewers, monotonic seconds.
        announce_timer: runs out when the knobs are to be sent to viewers again: they have changed,
            or a drag has ended.
        dragged_until: until then a knob counts as being dragged, monotonic seconds.
    """

    last_drag: int = 0
    announced_at: float = 0.0
    announce_timer: asyncio.TimerHandle | None = None
    dragged_until: float = 0.0


@dataclass(eq=False)
class Run(Owned):
    """The hub's side of a run. Times are monotonic seconds.

    Attributes:
        id: 32 hexadecimal digits.
        owner: the secret of the browser that controls it.
        address: the network address from which it was started; empty: unknown.
        initial_config: the knobs at step 0.
        config: the knobs now, values on their way to the worker included.
        resolved_device: where it runs, from its first step to its last.
        pace: one of `paces(plan)`.
        history: its frames.
        placement: where it is.
        playing: whether its owner lets it step.
        reason: why it stopped by itself ("limit", "watch", "plan", "diverged"), or None.
        command_number: number of the last order to play or pause.
        step: the newest step known.
        plan: its schedule, or None.
        planned: how many of the plan's changes took effect or were refused.
        origin: the step from which its pace counts.
        pause_at: the step at which it pauses by itself.
        target: the step at which it stops by itself at its present pace.
        log: the live changes that took effect.
        pending: by number, the live changes sent to a worker that has not confirmed them.
        changes_made: how many live changes were sent to workers; the last one's number.
        drags: how many drags there were.
        hand: on its live knobs.
        breaks: what broke first, by norm.
        best: the worker's answer to the last search for the best rates, or None.
        searched: whether such a search was begun.
        searching: its progress from 0 to 1; None: no search goes on.
        note: what its worker uses in place of data or a device that it cannot get, or None.
        viewers: who watches.
        wants: the probes that open charts draw or the plan needs, in the order of the registry.
        awake: whether it may step: somebody watches, or may come back soon.
        seen: whether it is measured: its page is in view somewhere, or was a moment ago, or no
            viewer has come yet.
        in_view: whether a page that shows it is in view now, or none ever was.
        left_at: since when no page that shows it is in view; None: one is, or none ever was.
        behind: whether its worker is too busy to make every frame that its pace asks for.
        slow: whether measuring it takes seconds.
        last_watched: when a viewer was last there.
        last_seen: when a page that shows it was last in view.
        ends_at: when it ends unless a viewer is there then; set when its tab shows another run.
        pinned_until: until when it is kept whoever watches, or None: it is not pinned.
        history_sent_at: when viewers were last sent the index of kept frames.
        history_changed: whether that index has changed since.
        frames_missed: whether a viewer has missed frames since, which are kept.
        reported: what viewers know of: how many they are, how many thinnings of the history, the
            place in the queue.
        sent_status: the status that viewers were last sent.
        status_number: how many statuses they were sent.
    """

    id: str
    owner: str
    initial_config: RunConfig
    config: RunConfig
    pace: str
    history: History
    placement: Placement = field(default_factory=Placement)
    address: str = ""
    playing: bool = True
    reason: str | None = None
    command_number: int = 0
    step: int = 0
    plan: Plan | None = None
    planned: int = 0
    origin: int = 0
    pause_at: int = WATCH_STEPS
    target: int = WATCH_STEPS
    log: ChangeLog = field(default_factory=lambda: ChangeLog({}))
    pending: dict[int, PendingChange] = field(default_factory=dict)
    changes_made: int = 0
    drags: int = 0
    hand: Hand = field(default_factory=Hand)
    breaks: dict[str, Break] = field(default_factory=dict)
    best: dict[str, Any] | None = None
    searched: bool = False
    searching: float | None = None
    note: str | None = None
    viewers: set[Viewer] = field(default_factory=set)
    wants: tuple[str, ...] = ()
    awake: bool = True
    seen: bool = True
    in_view: bool = True
    left_at: float | None = None
    behind: bool = False
    slow: bool = False
    last_watched: float = field(default_factory=time.monotonic)
    last_seen: float = field(default_factory=time.monotonic)
    ends_at: float | None = None
    pinned_until: float | None = None
    history_sent_at: float = 0.0
    history_changed: bool = False
    frames_missed: bool = False
    reported: tuple[int, int, int | None] = (0, 0, None)
    sent_status: str = ""
    status_number: int = 0
    resolved_device: Device = field(init=False)

    def __post_init__(self) -> None:
        self.resolved_device = choose(self.initial_config, this_gpu()).device
        for change in self.log:
            self.history.add_change(change)
        self.pause_at = self.target = first_pause(self.plan)
        self.pin_plan()

    def pin_plan(self) -> None:
        self.history.pin(self.plan.shown if self.plan else ())

    @property
    def status(self) -> str:
        """ "queued", "running", "paused", "finished" or "error"."""
        if self.placement.state == "failed":
            return "error"
        if self.reason == "limit":
            return "finished"
        if self.placement.state == "queued":
            return "queued"
        return "running" if self.playing and self.awake else "paused"

    @property
    def stop_reason(self) -> str | None:
        """Why it does not step: `reason`, "unwatched" or "failed"; None: it does, or was paused."""
        if self.placement.state == "failed":
            return "failed"
        if self.playing and not self.awake:
            return "unwatched"
        return self.reason

    def numbered_status(self) -> dict[str, Any]:
        """Its status and the number of that, for viewers: the higher number is the newer status."""
        status = self.status
        if status != self.sent_status:
            self.sent_status, self.status_number = status, self.status_number + 1
        return {"status": status, "status_number": self.status_number}

    def pinned_seconds(self) -> float | None:
        """For how long it is kept whoever watches; None: it is not pinned."""
        return None if self.pinned_until is None else self.pinned_until - time.monotonic()

    def live_knobs(self) -> dict[str, Any]:
        """By live knob, its value now, values on their way to the worker included."""
        return {name: getattr(self.config, name) for name in LIVE_KNOBS}

    def unconfirmed(self) -> list[PendingChange]:
        """The live changes that no worker has confirmed, in order."""
        return [*self.pending.values()]

    def drop_unconfirmed(self) -> list[PendingChange]:
        """Go back to the knobs that the run has; return the live changes that take no effect."""
        dropped = self.unconfirmed()
        self.pending.clear()
        self.config = RunConfig(**self.log.now)
        return dropped

    def update_seen(self, now: float, away_seconds: float) -> bool:
        """Find out whether a page that shows it is in view, or was until `away_seconds` ago.

        Returns:
            Whether `in_view`, `seen` or `awake` has changed, which its worker has to know.
        """
        before = (self.in_view, self.seen, self.awake)
        if any(not viewer.hidden for viewer in self.viewers):
            self.last_seen, self.left_at = now, None
            self.in_view = self.seen = self.awake = True
        elif self.left_at is not None:
            self.in_view = False
            self.seen &= now - self.left_at < away_seconds
        return (self.in_view, self.seen, self.awake) != before

    def take_planned_change(self, change: Change | None, done: int) -> None:
        """Update the config: a change of the plan took effect, before those that are unconfirmed.

        Args:
            change: what it changed; None: the run had its values already.
            done: how many of the plan's changes took effect or were refused, this one included.
        """
        self.planned = done
        planned = knobs_in(change.values) if change else {}
        now: dict[str, Any] = {}
        for one in self.unconfirmed():
            now |= knobs_in(one.values)
        try:
            self.config = self.config.replace(**{**planned, **now})
        except ConfigError:
            # The unconfirmed values were set without knowing of it. The worker's answers will tell
            # which values hold.
            self.config = self.config.replace(**now)

    @property
    def newest_step(self) -> int:
        """The step to which another worker replays this run.

        The newest change or checkpoint may be later than the newest step that is known.
        """
        return max(self.step, self.log.last_step, self.placement.checkpoint.step)

    def jump(self, step: int) -> list[int]:
        """Have its worker take all steps up to a later one before it shows anything.

        The worker may have come further than the hub knows: a change that took effect after `step`
        stays where it is, so the run goes to that step.

        Returns:
            The steps between, in order, to be measured afterwards; until then they are unseen.
        """
        step = max(step, self.log.last_step)
        passed = [*range(self.step + 1, step)]
        self.step = step
        if passed:
            self.history.pass_unseen(passed[0], passed[-1])
        return passed

    def start_over(self) -> None:
        """Go back to step 0 with the present knobs; frames go on being numbered.

        A run with a plan has the knobs of its step 0 again, and goes through the plan again. A run
        that its owner has paused stays paused. Deaths of workers still count against it.
        """
        self.playing |= self.reason is not None or self.placement.state == "failed"
        if self.plan is None:
            self.initial_config = self.config
        self.config = self.initial_config
        self.resolved_device = choose(self.initial_config, this_gpu()).device
        self.history.restart()
        self.pin_plan()
        self.placement.start_over()
        self.best = self.reason = self.searching = None
        self.step = self.origin = self.planned = 0
        self.pause_at = self.target = first_pause(self.plan)
        self.searched = False
        self.log = ChangeLog(self.initial_config.model_dump())
        for kept in (self.pending, self.breaks):
            kept.clear()


@dataclass(frozen=True)
class RunInfo(Owned):
    """What scripts may know of a run.

    Attributes:
        id: 32 hexadecimal digits; whoever knows them may watch.
        initial_config: the knobs at step 0.
        config: the knobs now, values on their way to the worker included.
        resolved_device: "cpu" or "cuda": where it runs, from its first step to its last.
        status: "queued", "running", "paused", "finished" or "error".
        reason: why it is not running: "limit", "watch", "plan" (its plan goes no further),
            "diverged", "unwatched", "failed", or None.
        pace: one of `paces(plan)`.
        plan: its schedule, or None.
        target: the step at which it stops by itself.
        step: the newest step shown.
        viewers: how many watch.
        queue_place: 1 for the next in the queue; None outside it.
        changes: the live changes, oldest first.
        breaks: what broke first in each network that broke.
        best: by norm, the best rate tried and the accuracy it gave; None until it was searched.
        note: what its worker uses in place of data or a device that it cannot get, or None.
        error: what ended the run, or None.
        pinned_seconds: for how long it is kept whoever watches; None: it is not pinned.
    """

    id: str
    initial_config: RunConfig
    config: RunConfig
    resolved_device: Device
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
    pinned_seconds: float | None
    owner: str = field(repr=False)

    @classmethod
    def of(cls, run: Run, queue_place: int | None) -> RunInfo:
        """A run as it is now, at this place in the queue; the registry's lock is held."""
        of_its_own: dict[str, Any] = {
            "reason": run.stop_reason, "viewers": len(run.viewers), "queue_place": queue_place,
            "changes": tuple(run.log), "breaks": dict(run.breaks),
            "best": run.best["rates"] if run.best else None,
            "error": run.placement.failure, "pinned_seconds": run.pinned_seconds(),
        }  # fmt: skip
        names = [one.name for one in fields(cls) if one.name not in of_its_own]
        return cls(**{name: getattr(run, name) for name in names}, **of_its_own)


def idle_since(run: Run) -> tuple[bool, float]:
    """Sorts unwatched runs: those whose tab shows another run first, then the longest unwatched."""
    return run.ends_at is None, run.last_watched
