"""One run inside a worker: what the hub and the scheduler ask of it.

What a run does in its slices, and in which order: it is built, steps, is shown and kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import torch

from bnviz.change_log import ChangeLog
from bnviz.checks import FLOPS_PER_SECOND
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import read_change
from bnviz.live.protocol.pace import read_plan
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.builder import ExperimentBuild, catch_up_to
from bnviz.live.worker.checkpoints import Checkpointer
from bnviz.live.worker.hub_link import HubLink, Send
from bnviz.live.worker.live_changes import LiveChanges
from bnviz.live.worker.probe_schedule import Costs, ProbeSchedule
from bnviz.live.worker.run_frames import RunFrames
from bnviz.live.worker.run_steps import MeasurementHold, RunSteps
from bnviz.live.worker.slow_probes import MeasurerLink, SlowProbes
from bnviz.pieces import Pieces


class WorkerRun:
    """A run as its worker sees it. `work` takes one slice, `due` says when the next is due.

    Attributes:
        id: of the run.
        generation: how often the hub has started it on a worker; see `Run`.
        config: at step 0.
        log: all live changes so far.
        probe_schedule: what is measured here, and what it costs.
        checkpoints: those that are kept here.
    """

    def __init__(
        self, start: Header, checkpoint: bytes | None, send: Send, costs: Costs,
        link: MeasurerLink,
    ) -> None:  # fmt: skip
        """Begin to build the run.

        Args:
            start: the hub's message that starts it.
            checkpoint: to begin from; None: from step 0.
            send: takes a message for the hub.
            costs: what probes cost on such networks; read at first, added to.
            link: to the process that measures what takes long.
        """
        self.id: str = start["run"]
        self.generation: int = start["generation"]
        self.config = RunConfig(**start["config"])
        self.log = ChangeLog(self.config.model_dump(), map(read_change, start["log"]))
        self.probe_schedule = ProbeSchedule(start["wants"], costs)
        self._largest_checkpoint: int = start["checkpoint_bytes"]
        self._reports = HubLink(self.id, self.generation, start["order"], send)
        self._work = work = RunWork(
            start, self.config, checkpoint, self.log, self.probe_schedule, self._reports, link
        )
        self._stepping, self._showing = work.stepping, work.showing
        self.checkpoints = work.checkpoints

    # What the hub asks for.

    def change(self, number: int, values: dict[str, Any], drag: int = 0) -> None:
        """Apply live knobs before the next step, or once the run is where it should be."""
        self._work.change(number, values, drag)

    def control(self, order: int, playing: bool, pace: str, awake: bool, seen: bool) -> None:
        """Play or pause, at a pace, while somebody watches or while nobody does."""
        self._reports.order = order
        if self._stepping.playing and not playing:
            self._showing.want("full")
        self._stepping.control(self.step, time.perf_counter(), playing=playing, pace=pace)
        self._showing.watch(self.step, awake=awake, seen=seen)
        self._reports.state(self.step, self._stepping, None)
        self._work.measure_missing()

    def single_step(self) -> None:
        """One step more, paused."""
        self._stepping.single_step()

    def want(self, probes: Sequence[str]) -> None:
        """Measure these probes: somebody's charts draw them."""
        self.probe_schedule.want(probes)
        self._work.measure_missing()

    def offer_checkpoint(self, fork: str, step: int) -> None:
        """Send the kept checkpoint nearest below a step, for a fork in another worker; without
        bytes if there is none, or none that may travel.
        """
        at, checkpoint = self.checkpoints.nearest(step) or (0, b"")
        fits = len(checkpoint) <= self._largest_checkpoint
        self._reports.send("checkpoint_for", checkpoint if fits else b"", fork=fork, step=at)

    def acknowledge(self) -> None:
        """The hub took the last frame."""
        self._showing.acknowledge()

    # What the scheduler asks for.

    @property
    def step(self) -> int:
        """The step the run is at, or is on its way to."""
        return self._work.step

    @property
    def step_seconds(self) -> float:
        """How long a step of one network takes."""
        return self._stepping.step_seconds

    @property
    def framing(self) -> bool:
        """Whether a frame is in the making."""
        return self._showing.framing

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for a frame, and may before the work of other runs."""
        return not self._stepping.under_way and self._showing.urgent

    @property
    def what(self) -> str:
        """The kind of work that the last slice did."""
        return self._work.what

    @property
    def used(self) -> float:
        """Seconds of the worker's time; the scheduler keeps account of them."""
        return self._work.used

    @used.setter
    def used(self, seconds: float) -> None:
        self._work.used = seconds

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        return self._work.due(now)

    def work(self, deadline: float) -> None:
        """One slice: pieces of work until `deadline`, or until there is nothing to do."""
        while self._work.piece(deadline) and time.perf_counter() < deadline:
            pass

    def accrue(self, seconds: float, runs: float) -> None:
        """Earn a share of the worker's time for measuring, one of `runs` that work."""
        self.probe_schedule.accrue(seconds, runs, full_pace=self._stepping.full_pace)

    def take_slow_values(self, header: Header, payload: bytes) -> None:
        """Take in the values of slow probes; they go into the next frame."""
        self._work.take_slow_values(header, payload)

    def close(self) -> None:
        """The run is over here."""
        self._work.close()


class RunWork:
    """The work of one run; `piece` does the next bit of it.

    Attributes:
        used: seconds of the worker's time.
        what: the kind of work that was done last.
        stepping: when the next step is due.
        showing: when the next frame is due.
        checkpoints: those that are kept here.
    """

    def __init__(
        self, start: Header, config: RunConfig, checkpoint: bytes | None, log: ChangeLog,
        probe_schedule: ProbeSchedule, reports: HubLink, link: MeasurerLink,
    ) -> None:  # fmt: skip
        self.used, self.what = 0.0, "build"
        self.stepping = RunSteps(start, config.flops_per_step() / FLOPS_PER_SECOND)
        self.showing = RunFrames(
            probe_schedule, awake=bool(start["awake"]), seen=bool(start["seen"])
        )
        self._log, self._reports, self._probe_schedule = log, reports, probe_schedule
        plan = read_plan(start["plan"])
        self._hold = MeasurementHold(plan.shown, plan.probes) if plan else MeasurementHold((), ())
        self._brief = plan is not None and plan.brief
        self._changes = LiveChanges(
            log, plan.changes if plan else (), start["planned"], self.stepping, self.showing,
            reports, yields=plan is not None and plan.yields,
        )  # fmt: skip
        self._slow_probes = SlowProbes(
            start["run"], start["generation"], config, probe_schedule, link
        )
        self._checkpointer = Checkpointer(start["checkpoint_seconds"], start["checkpoint_bytes"])
        self.checkpoints = self._checkpointer.checkpoints
        # On its way to where it should be: built, then replayed to a step.
        self._building: ExperimentBuild | None = ExperimentBuild(
            config, checkpoint, log, plan.keep if plan else ()
        )
        self._experiment: Experiment | None = None
        self._catch_up_to: int | None = start["catch_up_to"]
        # Work for which the run stands still: a checkpoint, a look at the accuracy.
        self._still: Pieces[None] | None = None

    @property
    def step(self) -> int:
        """The step the run is at, or is on its way to."""
        return self._experiment.step_number if self._experiment is not None else 0

    # What is asked for.

    def change(self, number: int, values: dict[str, Any], drag: int) -> None:
        """Apply live knobs at once, or as soon as the run is between two steps."""
        self._changes.add(number, values, drag)
        if self._experiment is not None and self._at_rest:
            self._changes.apply(self._experiment)

    def measure_missing(self) -> None:
        """Let a run that stands still be measured until all is of the step at which it stands.

        It is worth that only where somebody looks, or has wanted something, or the plan has.
        """
        looked_at = self.showing.watched or self._hold.on
        if self._arrived and self._stands and looked_at:
            self.showing.want_missing(self.step)

    def take_slow_values(self, header: Header, payload: bytes) -> None:
        """Take in the values of slow probes; they go into the next frame."""
        if self._slow_probes.answer(header, payload):
            self.showing.want("missing" if self._stands else "due", urgent=False)

    def close(self) -> None:
        """The run is over here."""
        if self._building is not None:
            self._building.abandon()

    # The order of work.

    def due(self, now: float) -> float:
        """When there is work: a time of the monotonic clock, infinity for not before a message."""
        if self._building is not None:
            return self._building.due(now)
        if not self._at_rest or self.showing.framing or self._frame_due(now):
            return now
        return min(self._step_due(now), self._slow_probes_due(now))

    def piece(self, deadline: float) -> bool:
        """Do the next piece of work. Returns whether to go on if there is time left."""
        if self._experiment is None:
            self._open()
            return False
        now, experiment = time.perf_counter(), self._experiment
        if self._still is not None:
            self._stand_still(experiment, self._still)
        elif self._catch_up_to is not None:
            self._catch_up(experiment, self._catch_up_to, deadline)
        elif self.stepping.under_way:
            self._step_on(experiment)
        elif self.showing.framing and self._frame_goes_first(now):
            self._work_on_frame(experiment, deadline)
        elif self._frame_due(now):
            self.what = "freeze"
            self.showing.begin(experiment, self._log)
        elif self._slow_probes_due(now) <= now:
            self._still = self._slow_probes.ask(experiment, now, standing=self._stands)
        elif self._step_due(now) <= now:
            self._begin_step(experiment)
        elif self.showing.framing:
            self._work_on_frame(experiment, deadline)
        else:
            return False
        return True

    @property
    def _arrived(self) -> bool:
        """Whether the run is where it should be: neither built nor being replayed."""
        return self._experiment is not None and self._catch_up_to is None

    @property
    def _at_rest(self) -> bool:
        """Whether the run is where it should be, between two steps, and nothing holds it there."""
        return self._arrived and not self.stepping.under_way and self._still is None

    @property
    def _stands(self) -> bool:
        """Whether the run takes no further step for now, and is measured where it is."""
        return (self._hold.on and not self._brief) or not self.stepping.playing

    def _frame_due(self, now: float) -> bool:
        return self._at_rest and self.showing.due(
            now, self.step, playing=self.stepping.playing, held=self._hold.on
        )

    def _frame_goes_first(self, now: float) -> bool:
        if self._step_due(now) > now:
            return True
        return self.showing.goes_before_step(now, full_pace=self.stepping.full_pace)

    def _step_due(self, now: float) -> float:
        shown_at = self.showing.shown_at(now)
        due = self.stepping.due(self.step, shown_at, behind=self.showing.behind)
        if not self._hold.on:
            return due
        unmeasured = () if self._brief else self._probe_schedule.unmeasured(self.step)
        return max(due, self._hold.until(unmeasured, now, shown=self.showing.shows(self.step)))

    def _slow_probes_due(self, now: float) -> float:
        stands = self._stands
        looked_at = self.showing.watched if stands else self.showing.seen
        if not ((looked_at or self._hold.on) and self._at_rest and self.showing.has_shown):
            return math.inf
        return self._slow_probes.due(self.step, now, standing=stands)

    # Getting started.

    def _open(self) -> None:
        self.what = "open"
        building, self._building = self._building, None
        assert building is not None
        self._experiment = experiment = building.result()
        self.used += building.seconds
        if experiment.data.note:
            self._reports.send("note", **words_of(experiment.data.note))
        if self._catch_up_to is None:
            self._arrive(experiment)

    def _catch_up(self, experiment: Experiment, step: int, deadline: float) -> None:
        self.what = "replay to its step"
        if catch_up_to(experiment, self._log, step, deadline):
            self._catch_up_to = None
            self._arrive(experiment)
        elif self._checkpointer.due(self.step):
            self._still = self._take_checkpoint(experiment)

    def _arrive(self, experiment: Experiment) -> None:
        self.stepping.start_clock(time.perf_counter())
        self._changes.apply(experiment)
        first = self.checkpoints.nearest(self.step) is None
        self._still = self._at_step(experiment, checkpoint=first)
        self.showing.want("full")
        self._hold.come_to(self.step, time.perf_counter())

    # Steps, frames, checkpoints.

    def _begin_step(self, experiment: Experiment) -> None:
        if not self._stopped(experiment):
            if self.showing.leaves_unseen(self.step):
                self._reports.passed_unseen(self.step)
            self.stepping.begin(experiment)
            self._step_on(experiment)

    def _step_on(self, experiment: Experiment) -> None:
        self.what = "step"
        self.showing.spent_on_step(self.stepping.go_on())
        if self.stepping.under_way:
            return
        now, step = time.perf_counter(), self.step
        single = self.stepping.stepped(step, now)
        self._changes.apply(experiment)
        every_step = self.stepping.shows_every_step(step)
        self.showing.stepped(now, experiment.states(), single=single, every_step=every_step)
        if self._hold.come_to(step, now):
            # An urgent frame of what is due has the cheap probes alone.
            self.showing.want("due" if self._brief else "full")
        self._still = self._at_step(experiment, checkpoint=self._checkpointer.due(step))
        if self._still is None and self.stepping.playing:
            self._stopped(experiment)

    def _stopped(self, experiment: Experiment) -> bool:
        """Stop the run if it goes no further than this. Returns whether it does not."""
        reason = self.stepping.stop_reason(self.step, experiment.states().values())
        if reason is None:
            return False
        self.stepping.stop()
        self._reports.state(self.step, self.stepping, reason)
        self.showing.want("full")
        return True

    def _work_on_frame(self, experiment: Experiment, deadline: float) -> None:
        self.what = "frame"
        frame = self.showing.go_on(deadline)
        if frame is not None:
            every_step = self.stepping.shows_every_step(self.step)
            behind = self.showing.tells_behind(every_step=every_step)
            self._reports.frame(frame, experiment, self.stepping, behind=behind)
            self.measure_missing()
        elif self.showing.tells_slow():
            self._reports.send("slow")

    def _stand_still(self, experiment: Experiment, work: Pieces[None]) -> None:
        """Go on with what the run stands still for."""
        self.what = "checkpoint"
        try:
            with torch.no_grad():
                next(work)
        except StopIteration:
            self._still = None
            if self._at_rest:
                self._changes.apply(experiment)
                if self.stepping.playing:
                    self._stopped(experiment)

    def _at_step(self, experiment: Experiment, *, checkpoint: bool) -> Pieces[None] | None:
        """What the run stands still for at a step that it has come to, if for anything."""
        level = self.stepping.ends_at
        if level is None:
            return self._take_checkpoint(experiment) if checkpoint else None
        return self._look_for_end(experiment, level, checkpoint=checkpoint)

    def _look_for_end(
        self, experiment: Experiment, level: float, *, checkpoint: bool
    ) -> Pieces[None]:
        """See whether the networks have the accuracy at which the run is to stop."""
        if (yield from experiment.reaches(level)):
            self.stepping.reach()
        if checkpoint:
            yield from self._take_checkpoint(experiment)

    def _take_checkpoint(self, experiment: Experiment) -> Pieces[None]:
        """Keep a checkpoint, and send it if it is one for the hub."""
        checkpoint = yield from self._checkpointer.take(experiment, self.used)
        if checkpoint is not None:
            self._reports.send("checkpoint", checkpoint, step=experiment.step_number)
