"""One run inside a worker: steps at its pace, measures within its budget, answers the hub."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.live.forward import advance, reopen
from bnviz.live.frames import encode_body, plain_break, plain_change, read_change
from bnviz.live.keeper import Keeper
from bnviz.live.measuring import HOW, SHARE_FULL, SHARE_PACED, How, Measuring
from bnviz.live.pace import Clock
from bnviz.live.ring import Ring
from bnviz.live.wire import Header
from bnviz.records import Change
from bnviz.story import tell

Send = Callable[..., None]

# At slow paces the next step waits this long for the hub to take the last one's frame.
FRAME_WAIT = 0.5
# How often the loading of data is looked after.
LOADING_POLL = 0.01


class WorkerRun:
    """A run as its worker sees it. `work` takes one slice, `due` says when the next is due."""

    weight = 1.0

    def __init__(
        self, start: Header, checkpoint: bytes | None, send: Send, costs: dict[str, float]
    ) -> None:
        self.id: str = start["run"]
        self.epoch: int = start["epoch"]
        self.config = RunConfig(**start["config"])
        self.used = 0.0
        self.urgent = True
        self.experiment: Experiment | None = None
        self._start, self._checkpoint, self._send_raw = start, checkpoint, send
        self._log: list[Change] = [read_change(change) for change in start["log"]]
        self._forward: int | None = start["forward"]
        self._waiting: list[tuple[int, dict[str, Any]]] = []
        self._clock = Clock(pace=start["pace"], origin=start["origin"], pause_at=start["pause_at"])
        self._playing, self._awake = bool(start["playing"]), bool(start["awake"])
        self._order: int = start["order"]
        self._measuring = Measuring(start["wants"], costs)
        self._keeper = Keeper(start["checkpoint_seconds"], start["checkpoint_bytes"])
        self._single_steps, self._sent_at = 0, -math.inf
        self._wanted: How | None = "full"
        self._unacknowledged = False
        self._states: dict[str, str] = {}
        self._loaded = threading.Event()
        self._problem: BaseException | None = None
        # A data set may have to be fetched: the other runs of the worker go on meanwhile.
        threading.Thread(target=self._load, daemon=True).start()

    # What the hub asks for.

    def change(self, number: int, values: dict[str, Any]) -> None:
        """Apply live knobs before the next step, or once the run is where it should be."""
        if self.experiment is None or self._forward is not None:
            self._waiting.append((number, values))
            return
        experiment = self.experiment
        experiment.update(**values)
        self._clock.changed(experiment.step_number, time.perf_counter())
        change = Change(experiment.step_number, values)
        self._log.append(change)
        self._send("changed", number=number, change=plain_change(change), **self._stops())
        self._want("due")

    def control(self, order: int, playing: bool, pace: str, awake: bool) -> None:
        """Play or pause, at a pace, while somebody watches or while nobody does."""
        now, step = time.perf_counter(), self.step
        self._order = order
        if pace != self._clock.pace or (playing and not self._playing):
            self._clock.pace = pace
            self._clock.resume(step, now)
        if self._playing and not playing:
            self._want("full")
        self._playing, self._awake = playing, awake
        self._send_state(None)
        self._fill()

    def single_step(self) -> None:
        """One step more, paused."""
        self._playing = False
        self._single_steps += 1

    def want(self, probes: Sequence[str]) -> None:
        """Measure these probes: somebody's charts draw them."""
        self._measuring.want(probes)
        self._fill()

    @property
    def wants(self) -> tuple[str, ...]:
        """What is measured besides the default probes."""
        return self._measuring.wanted

    def acknowledge(self) -> None:
        """The hub took the last frame."""
        self._unacknowledged = False

    # What the scheduler asks for.

    @property
    def step(self) -> int:
        """The step the run is at, or is on its way to."""
        return self.experiment.step_number if self.experiment is not None else 0

    @property
    def log(self) -> list[Change]:
        """All live changes so far."""
        return self._log

    @property
    def ring(self) -> Ring:
        """The checkpoints kept here."""
        return self._keeper.ring

    @property
    def settled(self) -> bool:
        """Whether the run is where it should be: neither loading nor being replayed."""
        return self.experiment is not None and self._forward is None

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        if self.experiment is None:
            return now if self._loaded.is_set() else now + LOADING_POLL
        if self._forward is not None:
            return now
        if self._wanted and not self._unacknowledged:
            return now
        if self._single_steps:
            return max(now, self._sent_at + FRAME_WAIT) if self._unacknowledged else now
        if not self._playing:
            return math.inf
        if self._unacknowledged and self._clock.every_step(self.step):
            return max(self._clock.due, self._sent_at + FRAME_WAIT)
        return self._clock.due

    def accrue(self, seconds: float, runs: int) -> None:
        """Earn a share of the worker's time for measuring, one of `runs` that work."""
        share = SHARE_FULL if self._clock.pace == "full" else SHARE_PACED
        self._measuring.accrue(seconds, share, runs)

    def work(self, deadline: float) -> None:
        """One slice: at least one step, then more until `deadline` or the pace says stop."""
        if self.experiment is None:
            self._open()
        elif self._forward is not None:
            self._go_forward(deadline)
        elif self._wanted is None or self._unacknowledged:
            self._step_until(deadline)
        self._show()

    # Getting started.

    def _load(self) -> None:
        try:
            load(self.config)
        except Exception as problem:
            self._problem = problem
        self._loaded.set()

    def _open(self) -> None:
        if self._problem is not None:
            raise self._problem
        self.experiment = reopen(self.config, self._checkpoint)
        self._checkpoint = None
        note = self.experiment.data.note
        if note:
            self._send("note", note=note)
        if self._forward is None:
            self._arrive()

    def _go_forward(self, deadline: float) -> None:
        assert self.experiment is not None
        assert self._forward is not None
        if advance(self.experiment, self._log, self._forward, deadline):
            self._forward = None
            self._arrive()
        elif self._keeper.due(self.step):
            self._keep()

    def _arrive(self) -> None:
        assert self.experiment is not None
        self._clock.due = time.perf_counter()
        if self.ring.nearest(self.step) is None:
            self._keep()
        for number, values in self._waiting:
            self.change(number, values)
        self._waiting.clear()
        self._want("full")

    # Stepping.

    def _step_until(self, deadline: float) -> None:
        experiment = self.experiment
        assert experiment is not None
        while self._single_steps or (self._playing and self._clock.due <= time.perf_counter()):
            if self._stop_reason() is not None:
                self._stop(self._stop_reason())
                return
            experiment.step()
            now = time.perf_counter()
            self._clock.stepped(experiment.step_number, now)
            if self._single_steps:
                self._single_steps -= 1
                self._want("full")
            elif self._clock.every_step(experiment.step_number):
                self._want("due", urgent=False)
            if self._keeper.due(self.step):
                self._keep()
            if self._wanted or now >= deadline or self._measuring.frame_due(now):
                break
        if self._playing and (reason := self._stop_reason()) is not None:
            self._stop(reason)
        states = experiment.states()
        if states != self._states:
            self._states = dict(states)
            self._want("due", urgent=False)

    def _stop_reason(self) -> str | None:
        assert self.experiment is not None
        step = self.experiment.step_number
        if step >= self._start["max_steps"]:
            return "limit"
        if all(state == "diverged" for state in self.experiment.states().values()):
            return "diverged"
        if self._playing and self._clock.pace == "watch" and step >= self._clock.pause_at:
            return "watch"
        return None

    def _stop(self, reason: str | None) -> None:
        self._playing, self._single_steps = False, 0
        self._send_state(reason)
        self._want("full")

    # Showing.

    def _want(self, how: How, *, urgent: bool = True) -> None:
        """Ask for a frame at once; an urgent one goes before the work of other runs."""
        if self._wanted is None or HOW.index(how) > HOW.index(self._wanted):
            self._wanted = how
        self.urgent |= urgent

    def _fill(self) -> None:
        """Let a run that stands still be measured until all is of the step at which it stands.

        It is worth that only where somebody looks, or has wanted something.
        """
        waits = not self._playing and (self._awake or bool(self.wants))
        if waits and self.settled and self._measuring.missing(self.step):
            self._want("missing", urgent=False)

    def _show(self) -> None:
        if self._unacknowledged or not self.settled:
            return
        now = time.perf_counter()
        if self._wanted is None and not (self._playing and self._measuring.frame_due(now)):
            return
        assert self.experiment is not None
        snapshot = self._measuring.measure(self.experiment, now, self._wanted or "due")
        body = encode_body(
            snapshot, changes=self._log, story=tell(snapshot, self.config, self._log)
        )
        breaks = {norm: plain_break(found) for norm, found in self.experiment.breaks().items()}
        self._wanted, self.urgent = None, False
        self._unacknowledged, self._sent_at = True, now
        stuck = "stuck" in self.experiment.states().values()
        self._send("frame", body, step=snapshot.step, breaks=breaks, stuck=stuck, **self._stops())
        self._fill()

    def _stops(self) -> dict[str, Any]:
        """Where the watch pace counts from and pauses, and where the run stops by itself."""
        target = self._clock.target(self.step, self._start["max_steps"])
        return {"origin": self._clock.origin, "pause_at": self._clock.pause_at, "target": target}

    def _send_state(self, reason: str | None) -> None:
        self._send(
            "state", order=self._order, step=self.step, playing=self._playing, reason=reason,
            **self._stops(),
        )  # fmt: skip

    def _send(self, kind: str, payload: bytes = b"", **facts: Any) -> None:
        self._send_raw({"type": kind, "run": self.id, "epoch": self.epoch, **facts}, payload)

    def _keep(self) -> None:
        assert self.experiment is not None
        checkpoint = self._keeper.take(self.experiment, self.used)
        if checkpoint is not None:
            self._send("checkpoint", checkpoint, step=self.experiment.step_number)
