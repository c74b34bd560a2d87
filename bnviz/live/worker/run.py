"""One run inside a worker: steps at its pace, measures within its budget, answers the hub."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from bnviz.change_log import ChangeLog
from bnviz.checks import FLOPS_PER_SECOND
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import plain_break, plain_change, read_change
from bnviz.live.protocol.pace import Clock
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.builder import Building
from bnviz.live.worker.catch_up import catch_up_to
from bnviz.live.worker.checkpoint_store import CheckpointStore
from bnviz.live.worker.checkpointer import Checkpointer
from bnviz.live.worker.frame_maker import FrameMaker
from bnviz.live.worker.measurer_link import MeasurerLink
from bnviz.live.worker.probe_schedule import HOW, Costs, How, ProbeSchedule
from bnviz.live.worker.slow_probes import SlowProbes
from bnviz.pieces import Pieces

Send = Callable[..., None]

# At slow paces the next step waits this long for the frame of the last one.
FRAME_WAIT = 0.5
# A frame may use this much of the run's time at once before steps that are due get their share.
FRAME_ALLOWANCE = 0.05
# A frame that takes longer than this gets half of the run's time, whatever the pace.
LONG_FRAME = 1.0
# Somebody who drags a knob waits for each frame; in debt for measuring, the run waits its turn.
MOST_URGENT_DEBT = 0.1
# Where every step is to be shown, viewers are told when more than this share of them is not, until
# fewer than the other are skipped; the weight of the newest step.
MANY_SKIPS, FEW_SKIPS, NEWEST_SKIP = 0.3, 0.1, 0.05
# Viewers are told that a frame takes long once one has taken this many seconds of work.
SLOW_FRAME = 2.0
# How often it is looked whether something is to be measured apart.
LOOK_APART = 0.1
# How much of the longest step's time is still believed after another one.
LONGEST_KEPT = 0.95
# While a knob is dragged a frame comes this often, after a step with the newest value.
DRAG_FRAME_SECONDS = 0.05
# One that comes later than this goes before the work of other runs.
DRAG_URGENT_SECONDS = 0.1


class WorkerRun:
    """A run as its worker sees it. `work` takes one slice, `due` says when the next is due.

    Attributes:
        id: of the run.
        generation: of this giving; see `Run`.
        config: at step 0.
        used: seconds of the worker's time.
        step_seconds: how long a step of one network takes.
        experiment: the run itself; None until it is built.
        what: the kind of work that the last slice did.
    """

    weight = 1.0

    def __init__(
        self, start: Header, checkpoint: bytes | None, send: Send, costs: Costs,
        link: MeasurerLink,
    ) -> None:  # fmt: skip
        self.id: str = start["run"]
        self.generation: int = start["generation"]
        self.config = RunConfig(**start["config"])
        self.used = 0.0
        # An estimate, then the longest of late.
        self.step_seconds = self.config.flops_per_step() / FLOPS_PER_SECOND
        self.what = "build"
        self.experiment: Experiment | None = None
        self._start, self._send_raw = start, send
        self._log = ChangeLog(self.config.model_dump(), map(read_change, start["log"]))
        self._catch_up_to: int | None = start["catch_up_to"]
        self._waiting: list[tuple[int, dict[str, Any], int]] = []
        self._clock = Clock(pace=start["pace"], origin=start["origin"], pause_at=start["pause_at"])
        self._playing, self._awake = bool(start["playing"]), bool(start["awake"])
        self._seen = bool(start["seen"])
        self._order: int = start["order"]
        self._probe_schedule = ProbeSchedule(start["wants"], costs)
        self._slow_probes = SlowProbes(
            self.id, self.generation, self.config, self._probe_schedule, link
        )
        self._checkpointer = Checkpointer(start["checkpoint_seconds"], start["checkpoint_bytes"])
        self._single_steps, self._sent_at, self._shown_step = 0, -math.inf, -1
        self._wanted: How | None = "full"
        self._urgent, self._unacknowledged = True, False
        self._told_slow = False
        # There was no time for a frame of the last step; for how many of late; which is told.
        self._behind, self._skipped, self._busy = False, 0.0, False
        # A drag has gone on since the last frame.
        self._dragged = False
        self._states: dict[str, str] = {}
        self._building: Building | None = Building(self.config, checkpoint, self._log)
        # What is under way: a step, something for which the run stands still, a frame.
        self._stepping: Pieces[None] | None = None
        self._standing: Pieces[None] | None = None
        self._frame: FrameMaker | None = None
        self._stepped_since_frame = 0.0
        self._next_apart, self._looked_apart = math.inf, -math.inf

    # What the hub asks for.

    def change(self, number: int, values: dict[str, Any], drag: int = 0) -> None:
        """Apply live knobs before the next step, or once the run is where it should be."""
        if self.experiment is None or not self._at_rest:
            self._waiting.append((number, values, drag))
            return
        experiment = self.experiment
        experiment.update(drag=drag, **values)
        change = experiment.changes[-1]
        begins = self._log.add(change)
        self._clock.changed(change.step, time.perf_counter(), begins=begins)
        self._send("changed", number=number, change=plain_change(change), **self._stops())
        if begins or not self._playing:
            self._want("due")
        else:
            # A frame for each value would leave no time for the steps that they act on, and urgent
            # ones none for the other runs.
            self._dragged = True
            self._urgent |= time.perf_counter() - self._sent_at >= DRAG_URGENT_SECONDS

    def control(self, order: int, playing: bool, pace: str, awake: bool, seen: bool) -> None:
        """Play or pause, at a pace, while somebody watches or while nobody does."""
        now, step = time.perf_counter(), self.step
        self._order = order
        if pace != self._clock.pace or (playing and not self._playing):
            self._clock.pace = pace
            self._clock.resume(step, now)
        if self._playing and not playing:
            self._want("full")
        if seen and not self._seen and self._shown_step != step:
            self._want("full")
        self._playing, self._awake, self._seen = playing, awake, seen
        self._send_state(None)
        self._fill()

    def single_step(self) -> None:
        """One step more, paused."""
        self._playing = False
        self._single_steps += 1

    def want(self, probes: Sequence[str]) -> None:
        """Measure these probes: somebody's charts draw them."""
        self._probe_schedule.want(probes)
        self._fill()

    @property
    def wants(self) -> tuple[str, ...]:
        """What is measured besides the default probes."""
        return self._probe_schedule.wanted

    def offer_checkpoint(self, fork: str, step: int) -> None:
        """Send the kept checkpoint nearest below a step, for a fork in another worker; without
        bytes if there is none, or none that may travel.
        """
        at, checkpoint = self.checkpoints.nearest(step) or (0, b"")
        fits = len(checkpoint) <= self._start["checkpoint_bytes"]
        self._send("checkpoint_for", checkpoint if fits else b"", fork=fork, step=at)

    def acknowledge(self) -> None:
        """The hub took the last frame."""
        self._unacknowledged = False

    # What the scheduler asks for.

    @property
    def step(self) -> int:
        """The step the run is at, or is on its way to."""
        return self.experiment.step_number if self.experiment is not None else 0

    @property
    def log(self) -> ChangeLog:
        """All live changes so far."""
        return self._log

    @property
    def costs(self) -> Costs:
        """What probes cost on these networks."""
        return self._probe_schedule.costs

    @property
    def checkpoints(self) -> CheckpointStore:
        """The checkpoints kept here."""
        return self._checkpointer.checkpoints

    @property
    def settled(self) -> bool:
        """Whether the run is where it should be: neither built nor being replayed."""
        return self.experiment is not None and self._catch_up_to is None

    @property
    def _at_rest(self) -> bool:
        """Whether the run is between two steps, and nothing holds it there."""
        return self.settled and self._stepping is None and self._standing is None

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for a frame, and may before the work of other runs."""
        if self._stepping is not None or self._probe_schedule.credit <= -MOST_URGENT_DEBT:
            return False
        if self._frame is None:
            return self._urgent
        # One that takes long is nothing to let others wait for.
        return self._frame.urgent and self._frame.spent < FRAME_ALLOWANCE

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        if self._building is not None:
            return self._building.due(now)
        if not self._at_rest or self._frame is not None or self._frame_due(now):
            return now
        return min(self._step_due(now), self._apart_due(now))

    def accrue(self, seconds: float, runs: int) -> None:
        """Earn a share of the worker's time for measuring, one of `runs` that work."""
        self._probe_schedule.accrue(seconds, runs, full_pace=self._clock.pace == "full")

    def work(self, deadline: float) -> None:
        """One slice: pieces of work until `deadline`, or until there is nothing to do."""
        if self._building is not None:
            self._open()
            return
        while self._piece(deadline) and time.perf_counter() < deadline:
            pass

    def _piece(self, deadline: float) -> bool:
        """The next piece of what is to be done; False if there is nothing now."""
        now = time.perf_counter()
        if self._standing is not None:
            self._stand()
        elif self._catch_up_to is not None:
            self._catch_up(deadline)
        elif self._stepping is not None:
            self._step_on()
        elif self._frame is not None and self._frame_first(now):
            self._work_on_frame(deadline)
        elif self._frame is None and self._frame_due(now):
            self._begin_frame()
        elif self._apart_due(now) <= now:
            self._ask_apart(now)
        elif self._step_due(now) <= now:
            self._begin_step()
        elif self._frame is not None:
            self._work_on_frame(deadline)
        else:
            return False
        return True

    # Getting started.

    def _open(self) -> None:
        self.what = "open"
        building, self._building = self._building, None
        assert building is not None
        self.experiment = building.result()
        self.used += building.seconds
        note = self.experiment.data.note
        if note:
            self._send("note", note=note)
        if self._catch_up_to is None:
            self._arrive()

    def _catch_up(self, deadline: float) -> None:
        assert self.experiment is not None
        assert self._catch_up_to is not None
        self.what = "replay to its step"
        if catch_up_to(self.experiment, self._log, self._catch_up_to, deadline):
            self._catch_up_to = None
            self._arrive()
        elif self._checkpointer.due(self.step):
            self._standing = self._keep()

    def _arrive(self) -> None:
        self._clock.due = time.perf_counter()
        self._change_waiting()
        if self.checkpoints.nearest(self.step) is None:
            self._standing = self._keep()
        self._want("full")

    def close(self) -> None:
        """The run is over here."""
        if self._building is not None:
            self._building.abandon()

    def _change_waiting(self) -> None:
        """Changes that came while the run was not between two steps."""
        waiting, self._waiting = self._waiting, []
        for number, values, drag in waiting:
            self.change(number, values, drag)

    # Standing still: for a checkpoint, whatever it is for.

    def _stand(self) -> None:
        assert self._standing is not None
        self.what = "checkpoint"
        try:
            next(self._standing)
        except StopIteration:
            self._standing = None
            if self._at_rest:
                self._change_waiting()

    def _keep(self) -> Pieces[None]:
        """Keep a checkpoint, and send it if it is one for the hub."""
        assert self.experiment is not None
        checkpoint = yield from self._checkpointer.take(self.experiment, self.used)
        if checkpoint is not None:
            self._send("checkpoint", checkpoint, step=self.experiment.step_number)

    # Stepping.

    def _step_due(self, now: float) -> float:
        """When the next step is due; at slow paces not before the last one is shown."""
        if self._single_steps:
            return self._when_shown(now)
        if not self._playing:
            return math.inf
        if self._clock.every_step(self.step) and not self._behind:
            return max(self._clock.due, self._when_shown(now))
        return self._clock.due

    def _when_shown(self, now: float) -> float:
        """When the present step's frame has been begun, or was waited for long enough."""
        waits = self._seen and (self._wanted is not None or self._frame is not None)
        return max(now, self._sent_at + FRAME_WAIT) if waits else now

    def _begin_step(self) -> None:
        assert self.experiment is not None
        if (reason := self._stop_reason()) is not None:
            self._stop(reason)
            return
        self._stepping = self.experiment.step_in_pieces()
        self._step_on()

    def _step_on(self) -> None:
        assert self.experiment is not None
        assert self._stepping is not None
        self.what = "step"
        began = time.perf_counter()
        ended = next(self._stepping, True)
        spent = time.perf_counter() - began
        self._stepped_since_frame += spent
        if not ended:
            self.step_seconds = max(spent, LONGEST_KEPT * self.step_seconds)
            return
        self._stepping = None
        self._stepped()

    def _stepped(self) -> None:
        """A step was taken."""
        assert self.experiment is not None
        now, step = time.perf_counter(), self.step
        self._clock.stepped(step, now)
        self._change_waiting()
        if self._single_steps:
            self._single_steps -= 1
            self._want("full")
        elif self._clock.every_step(step):
            self._behind = not self._probe_schedule.keeps_up(now)
            self._skipped += NEWEST_SKIP * (self._behind - self._skipped)
            if not self._behind:
                self._want("due", urgent=False)
        elif self._dragged and now - self._sent_at >= DRAG_FRAME_SECONDS:
            self._want("due", urgent=False)
        if self._checkpointer.due(step):
            self._standing = self._keep()
        if self._playing and (reason := self._stop_reason()) is not None:
            self._stop(reason)
        states = self.experiment.states()
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
        self._urgent |= urgent

    def _fill(self) -> None:
        """Let a run that stands still be measured until all is of the step at which it stands.

        It is worth that only where somebody looks, or has wanted something.
        """
        if self._stands and self.settled and self._probe_schedule.missing(self.step):
            self._want("missing", urgent=False)

    @property
    def _stands(self) -> bool:
        """Whether the run stands still, and somebody looks, or has wanted something."""
        looked_at = (self._awake and self._seen) or bool(self.wants)
        return not self._playing and looked_at

    def _frame_due(self, now: float) -> bool:
        """Whether a frame is to be begun."""
        if self._frame is not None or self._unacknowledged or not self._at_rest:
            return False
        if not self._seen and self._shown_step >= 0 and not self.wants:
            return False
        if self._wanted is not None:
            return True
        new = self._playing and self.step != self._shown_step
        return new and self._seen and self._probe_schedule.frame_due(now)

    def _frame_first(self, now: float) -> bool:
        """Whether the frame in the making goes on before the next step."""
        frame = self._frame
        assert frame is not None
        if self._step_due(now) > now or frame.spent < FRAME_ALLOWANCE:
            return True
        full = self._clock.pace == "full" and now - frame.began < LONG_FRAME
        share = 0.1 if full else 0.5
        return frame.spent * (1 - share) <= self._stepped_since_frame * share

    def _begin_frame(self) -> None:
        assert self.experiment is not None
        self.what = "freeze"
        how, urgent = self._wanted or "due", self._urgent
        self._wanted, self._urgent, self._dragged = None, False, False
        self._stepped_since_frame = 0.0
        self._frame = FrameMaker(
            self.experiment, self._log, self._probe_schedule, how, urgent=urgent
        )

    def _work_on_frame(self, deadline: float) -> None:
        assert self.experiment is not None
        assert self._frame is not None
        self.what = "frame"
        if not self._frame.work(deadline):
            if self._frame.spent > SLOW_FRAME and not self._told_slow:
                self._told_slow = True
                self._send("slow")
            return
        frame, self._frame = self._frame, None
        breaks = {norm: plain_break(found) for norm, found in self.experiment.breaks().items()}
        self._unacknowledged, self._sent_at = True, time.perf_counter()
        self._shown_step = frame.step
        stuck = "stuck" in self.experiment.states().values()
        slow = self._clock.every_step(self.step)
        self._busy = slow and self._skipped > (FEW_SKIPS if self._busy else MANY_SKIPS)
        self._send(
            "frame", frame.body, step=frame.step, breaks=breaks, stuck=stuck, behind=self._busy,
            **self._stops(),
        )  # fmt: skip
        self._fill()

    # ProbeSchedule apart.

    def _apart_due(self, now: float) -> float:
        """When something is to be measured in a process of its own."""
        if not self._at_rest or self._shown_step < 0:
            return math.inf
        if self._stands:
            return (
                now if self._probe_schedule.due_apart(self.step, now, standing=True) else math.inf
            )
        if not (self._playing and self._seen):
            return math.inf
        # Asked many times a second: what it was a moment ago will do.
        if now >= self._looked_apart:
            self._looked_apart = now + LOOK_APART
            self._next_apart = self._probe_schedule.next_apart(now)
        return self._next_apart

    def _ask_apart(self, now: float) -> None:
        assert self.experiment is not None
        names = self._probe_schedule.due_apart(self.step, now, standing=self._stands)
        if names:
            self._standing = self._slow_probes.ask(self.experiment, names)
            self._looked_apart = -math.inf
        else:
            # What is old enough is of this very step.
            self._next_apart, self._looked_apart = math.inf, now + LOOK_APART

    def measured_apart(self, header: Header, payload: bytes) -> None:
        """Take in values that were measured apart; they go into the next frame."""
        if header["generation"] == self.generation and self._slow_probes.answer(header, payload):
            self._want("due" if self._playing else "missing", urgent=False)

    # Saying so.

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
        self._send_raw(
            {"type": kind, "run": self.id, "generation": self.generation, **facts}, payload
        )
