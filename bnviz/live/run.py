"""A run as the hub holds it, and what of it the hub tells scripts."""

from __future__ import annotations

import hmac
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bnviz.config import RunConfig
from bnviz.live.history import History
from bnviz.live.pace import WATCH_STEPS
from bnviz.records import Break, Change

if TYPE_CHECKING:
    from bnviz.live.viewer import Viewer


@dataclass(frozen=True)
class RunInfo:
    """What scripts may know of a run.

    Attributes:
        id: 32 hexadecimal digits; whoever knows them may watch.
        initial_config: the knobs at step 0.
        config: the knobs now, live changes included, those on their way too.
        status: "queued", "running", "paused", "finished" or "error".
        reason: why it is not running: "limit", "watch", "diverged", "unwatched", "failed", or
            None.
        pace: one of `PACES`.
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
        return bool(owner) and hmac.compare_digest(self.owner.encode(), owner.encode())


@dataclass(eq=False)
class Run:
    """The hub's side of a run. Everything a worker needs to take it up anew is here.

    Attributes:
        epoch: how often it was given to a worker; words of an earlier epoch are stale.
        order: number of the last play or pause order.
        worker: number of its worker; None while it queues.
        forward: the step to replay to before going on; None: from where the checkpoint stands.
        pending: live changes that no worker has confirmed yet, by number.
        awake: somebody watches, or may come back soon.
        wants: probes that somebody's charts draw, in the order of the registry.
        to_replay: breaks and changes whose surroundings are still to be looked at.
        replays_asked: steps whose frames its worker was asked to make again.
        ends_at: when it ends unless it is watched; set when its tab has moved on.
        told: how many viewers and thinnings its viewers know of.
    """

    id: str
    owner: str
    initial_config: RunConfig
    config: RunConfig
    pace: str
    history: History
    playing: bool = True
    reason: str | None = None
    epoch: int = 0
    order: int = 0
    worker: int | None = None
    parent: str | None = None
    step: int = 0
    forward: int | None = None
    checkpoint: tuple[int, bytes] | None = None
    origin: int = 0
    pause_at: int = WATCH_STEPS
    target: int = WATCH_STEPS
    log: list[Change] = field(default_factory=list)
    pending: dict[int, dict[str, Any]] = field(default_factory=dict)
    changes_made: int = 0
    breaks: dict[str, Break] = field(default_factory=dict)
    to_replay: list[int] = field(default_factory=list)
    replays_asked: set[int] = field(default_factory=set)
    best: dict[str, Any] | None = None
    searched: bool = False
    note: str | None = None
    error: str | None = None
    deaths: list[float] = field(default_factory=list)
    viewers: set[Viewer] = field(default_factory=set)
    wants: tuple[str, ...] = ()
    awake: bool = True
    last_watched: float = field(default_factory=time.monotonic)
    ends_at: float | None = None
    history_told: float = 0.0
    history_changed: bool = False
    told: tuple[int, int] = (0, 0)

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

    def start_over(self) -> None:
        """Back to step 0 with the present knobs; frames go on being numbered. Whoever had paused
        it finds it paused.
        """
        self.playing |= self.reason is not None or self.error is not None
        self.initial_config = self.config
        self.history.restart()
        self.checkpoint = self.forward = self.best = self.error = self.reason = None
        self.step = self.origin = 0
        self.pause_at = self.target = WATCH_STEPS
        self.searched = False
        for kept in (self.log, self.pending, self.breaks, self.to_replay, self.deaths):
            kept.clear()


def idle_since(run: Run) -> tuple[bool, float]:
    """Sorts unwatched runs: first those whose tab has moved on, then the longest unwatched."""
    return run.ends_at is None, run.last_watched
