"""State of a run in the hub: its viewers, and everything another worker needs to continue it."""

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
from bnviz.live.runs.versions import versions_on
from bnviz.planned_runs.plan import Plan
from bnviz.records import Break, Change

if TYPE_CHECKING:
    from bnviz.live.runs.viewer import Viewer


class Owned:
    owner: str

    def owner_is(self, owner: str) -> bool:
        """Compare a browser's secret with the owner's in constant time."""
        return bool(owner) and hmac.compare_digest(self.owner.encode(), owner.encode())


@dataclass(frozen=True)
class PendingChange:
    """Live change that the worker has not confirmed.

    Attributes:
        drag: Number of the drag, or 0 if the change is not part of a drag.
        set_by: Viewer -> number of the message in which it set the values.
    """

    values: dict[str, Any]
    drag: int = 0
    set_by: dict[Viewer, int] = field(default_factory=dict)


@dataclass
class Hand:
    """State of a knob drag, and timer for messages about knobs. Times are monotonic seconds.

    Attributes:
        last_drag: Number of the drag to which the last value belongs.
        announced_at: Time of the last knob message to viewers.
        dragged_until: Time at which the drag ends unless another value arrives.
    """

    last_drag: int = 0
    announced_at: float = 0.0
    announce_timer: asyncio.TimerHandle | None = None
    dragged_until: float = 0.0


@dataclass(eq=False)
class Run(Owned):
    """State of a run in the hub. Times are monotonic seconds.

    Attributes:
        owner: Secret of the browser that controls the run.
        address: Network address that started the run, or "" if unknown.
        initial_config: Knobs at step 0.
        config: Current knobs, including values not confirmed by the worker.
        playing: Whether the owner lets the run step.
        reason: Reason for an automatic stop ("limit", "watch", "plan", "diverged") or None.
        command_number: Number of the last command to play or pause.
        planned: Number of planned changes that were applied or refused.
        origin: Step from which the pace counts.
        pause_at: Step of the next automatic pause.
        target: Step at which the run stops by itself at its current pace.
        log: Live changes that took effect.
        pending: Number of a change -> live change that the worker has not confirmed.
        changes_made: Number of live changes sent to workers.
        breaks: Norm -> first break of its network.
        best: Result of the last search for the best rates, or None.
        searching: Progress of the search (0 to 1), or None.
        note: Notice about a replacement for unavailable data or an unavailable device, or None.
        wants: Probes that open charts or the plan need, in registry order.
        attended: Whether the run may step, because a viewer is there or may soon return.
        frames_wanted: Whether to measure the run: a page is or was recently in view,
            or none has joined yet.
        in_view: Whether a page is in view now, or none has joined yet.
        out_of_view_since: Time since which no page is in view, or None.
        behind: Whether the worker is too busy to make every frame that the pace requires.
        slow: Whether a measurement takes seconds.
        ends_at: Time at which the run ends without a viewer, set when its tab shows another run.
        restored_at: Step before which a restart of the server has discarded the frames, or None.
        frames_missed: Whether a viewer has missed stored frames since the index was last sent.
        checkpoint_arrivals: Events to set when a checkpoint arrives.
        reported: Values last sent: number of viewers, count of thinnings, place in the queue.
        status_number: Number of statuses sent to viewers.
        versions: Versions of what computed the first steps.
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
    attended: bool = True
    frames_wanted: bool = True
    in_view: bool = True
    out_of_view_since: float | None = None
    behind: bool = False
    slow: bool = False
    last_watched: float = field(default_factory=time.monotonic)
    last_in_view: float = field(default_factory=time.monotonic)
    ends_at: float | None = None
    pinned_until: float | None = None
    restored_at: int | None = None
    history_sent_at: float = 0.0
    history_changed: bool = False
    checkpoint_arrivals: set[asyncio.Event] = field(default_factory=set)
    frames_missed: bool = False
    reported: tuple[int, int, int | None] = (0, 0, None)
    sent_status: str = ""
    status_number: int = 0
    resolved_device: Device = field(init=False)
    versions: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._choose_device()
        for change in self.log:
            self.history.add_change(change)
        self.pause_at = self.target = first_pause(self.plan)
        self.pin_plan()

    def _choose_device(self) -> None:
        self.resolved_device = choose(self.initial_config, this_gpu()).device
        self.versions = versions_on(self.resolved_device)

    def pin_plan(self) -> None:
        self.history.pin(self.plan.shown if self.plan else ())

    @property
    def size(self) -> float:
        return size_on_worker(self.config, self.resolved_device)

    @property
    def status(self) -> str:
        """Status: "queued", "running", "paused", "finished" or "error"."""
        if self.placement.state == "failed":
            return "error"
        if self.reason == "limit":
            return "finished"
        if self.placement.state == "queued":
            return "queued"
        return "running" if self.playing and self.attended else "paused"

    @property
    def stop_reason(self) -> str | None:
        """Reason for a stop, or None if the run is running or was paused by its owner."""
        if self.placement.state == "failed":
            return "failed"
        if self.playing and not self.attended:
            return "unwatched"
        return self.reason

    def numbered_status(self) -> dict[str, Any]:
        """Return the status and its number. The status with the highest number is the newest."""
        status = self.status
        if status != self.sent_status:
            self.sent_status, self.status_number = status, self.status_number + 1
        return {"status": status, "status_number": self.status_number}

    def pinned_seconds(self) -> float | None:
        """Seconds until the pin expires, or None if the run is not pinned."""
        return None if self.pinned_until is None else self.pinned_until - time.monotonic()

    def live_knobs(self) -> dict[str, Any]:
        """Return the current values of live knobs, including values not confirmed by the worker."""
        return {name: getattr(self.config, name) for name in LIVE_KNOBS}

    def unconfirmed(self) -> list[PendingChange]:
        return [*self.pending.values()]

    def drop_unconfirmed(self) -> list[PendingChange]:
        """Restore the confirmed knobs, and return the live changes that were dropped."""
        dropped = self.unconfirmed()
        self.pending.clear()
        self.config = RunConfig(**self.log.now)
        return dropped

    def update_view_state(self, now: float, away_seconds: float) -> bool:
        """Update whether a page with the run is in view, or was within the last `away_seconds`.

        Return whether `in_view`, `frames_wanted` or `attended` changed. If so, the worker must be
        notified.
        """
        before = (self.in_view, self.frames_wanted, self.attended)
        if any(not viewer.hidden for viewer in self.viewers):
            self.last_in_view, self.out_of_view_since = now, None
            self.in_view = self.frames_wanted = self.attended = True
        elif self.out_of_view_since is not None:
            self.in_view = False
            self.frames_wanted &= now - self.out_of_view_since < away_seconds
        return (self.in_view, self.frames_wanted, self.attended) != before

    def take_planned_change(self, change: Change | None, done: int) -> None:
        """Apply a planned change to the config, but keep later values that are not confirmed yet.

        `change` is None if the run already had the planned values. `done` counts applied and
        refused changes.
        """
        self.planned = done
        planned = knobs_in(change.values) if change else {}
        now: dict[str, Any] = {}
        for one in self.unconfirmed():
            now |= knobs_in(one.values)
        try:
            self.config = self.config.replace(**{**planned, **now})
        except ConfigError:
            # The unconfirmed values were set before this change was known, and they conflict with
            # it. The worker's confirmations will show which values are valid.
            self.config = self.config.replace(**now)

    @property
    def newest_step(self) -> int:
        """Latest step of the run, its log and its checkpoint. Another worker replays to this
        step.
        """
        return max(self.step, self.log.last_step, self.placement.checkpoint.step)

    def jump(self, step: int) -> list[int]:
        """Skip ahead to a later step, and return the skipped steps in order.

        Skipped steps are unseen until they are measured. If a live change took effect after `step`,
        the run skips to that change.
        """
        step = max(step, self.log.last_step)
        passed = [*range(self.step + 1, step)]
        self.step = step
        if passed:
            self.history.pass_unseen(passed[0], passed[-1])
        return passed

    def start_over(self) -> None:
        """Reset to step 0 with the current knobs, or restart the plan with its initial knobs.

        Frame numbers are not reused. A paused run stays paused, and deaths of workers still count.
        """
        self.playing |= self.reason is not None or self.placement.state == "failed"
        if self.plan is None:
            self.initial_config = self.config
        self.config = self.initial_config
        self._choose_device()
        self.history.restart()
        self.pin_plan()
        self.placement.start_over()
        self.best = self.reason = self.searching = self.restored_at = None
        self.step = self.origin = self.planned = 0
        self.pause_at = self.target = first_pause(self.plan)
        self.searched = False
        self.log = ChangeLog(self.initial_config.model_dump())
        for kept in (self.pending, self.breaks):
            kept.clear()


@dataclass(frozen=True)
class RunInfo(Owned):
    """Public information about a run, for scripts.

    Attributes:
        id: 32 hexadecimal digits. Anyone with the id can watch the run.
        reason: Reason for a stop ("limit", "watch", "plan", "diverged", "unwatched", "failed") or
            None.
        target: Step at which the run stops by itself.
        queue_place: Place in the queue (1 is next), or None.
        best: Norm -> (best learning rate, its accuracy), or None before the search.
        note: Notice about a replacement for unavailable data or an unavailable device, or None.
        pinned_seconds: Seconds until the pin expires, or None.
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
        """Return the current information about a run. Call with the registry's lock held."""
        of_its_own: dict[str, Any] = {
            "reason": run.stop_reason, "viewers": len(run.viewers), "queue_place": queue_place,
            "changes": tuple(run.log), "breaks": dict(run.breaks),
            "best": run.best["rates"] if run.best else None,
            "error": run.placement.failure, "pinned_seconds": run.pinned_seconds(),
        }  # fmt: skip
        names = [one.name for one in fields(cls) if one.name not in of_its_own]
        return cls(**{name: getattr(run, name) for name in names}, **of_its_own)


def idle_since(run: Run) -> tuple[bool, float]:
    """Return a sort key: first the runs replaced in their tab, then the longest unwatched runs."""
    return run.ends_at is None, run.last_watched


def size_on_worker(config: RunConfig, device: Device | None = None) -> float:
    """Return the estimated bytes that a run needs on its worker; a run on a GPU counts as 0."""
    on_gpu = (device or choose(config, this_gpu()).device) == "cuda"
    return 0.0 if on_gpu else config.bytes_per_run()
