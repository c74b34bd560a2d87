"""Run in a worker: it is built, replayed to its step, trained, measured and checkpointed.

All work is divided into pieces of a few milliseconds, so that the runs of a worker take turns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import torch

from bnviz.change_log import ChangeLog, read_change
from bnviz.config import RunConfig
from bnviz.device import CPU_LIMITS
from bnviz.experiment import Experiment
from bnviz.live.protocol.pace import NO_PLAN, read_plan
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.protocol.wire import Header
from bnviz.live.worker.builder import Builder, build_experiment, catch_up_to
from bnviz.live.worker.checkpoints import Checkpointer
from bnviz.live.worker.hub_link import HubLink, Send
from bnviz.live.worker.live_changes import LiveChanges
from bnviz.live.worker.probe_schedule import Costs, ProbeSchedule
from bnviz.live.worker.run_frames import RunFrames
from bnviz.live.worker.run_steps import MeasurementHold, RunSteps
from bnviz.live.worker.slow_probes import Link, SlowProbes
from bnviz.pieces import Pieces

# Scheduling weight of a run that is out of view, relative to a run in view. A run that is alone on
# a worker gets all of the time anyway.
WEIGHT_OUT_OF_VIEW = 0.125


class WorkerRun(Builder):
    """Run in its worker. `work` runs one slice, and `due` returns the time of the next slice.

    Attributes:
        generation: number of this start by the hub. Messages of earlier starts are ignored.
        config: settings at step 0.
        used: worker seconds divided by `weight`. The run with the smallest value is next.
        weight: share of the worker's time, relative to a run in view.
        worked: worker seconds.
    """

    def __init__(
        self, start: Header, checkpoint: bytes, send: Send, costs: Costs,
        link: Link,
    ) -> None:  # fmt: skip
        """Begin to build the run from the hub's message `start`.

        An empty `checkpoint` means step 0. `costs` contains the seconds per probe in similar runs.
        """
        self.id: str = start["run"]
        self.generation: int = start["generation"]
        self.config = config = RunConfig(**start["config"])
        self.log = ChangeLog(config.model_dump(), map(read_change, start["log"]))
        self.used, self.worked, self.kind_of_work = 0.0, 0.0, "build"
        self.weight = 1.0 if start["in_view"] else WEIGHT_OUT_OF_VIEW
        # Part of the last charge that is caused by the lower weight of a run out of view.
        self._surcharge = 0.0
        plan = read_plan(start["plan"]) or NO_PLAN
        self._brief = plan.brief
        self.hub = HubLink(self.id, self.generation, start["command_number"], send)
        self.probe_schedule = ProbeSchedule(start["wants"], costs)
        self._slow_probes = SlowProbes(start, self.probe_schedule, link)
        self._steps = RunSteps(start, config.flops_per_step() / CPU_LIMITS.flops_per_second)
        self._hold = MeasurementHold(plan.shown, plan.probes)
        self._frames = RunFrames(
            self.probe_schedule,
            attended=bool(start["attended"]),
            frames_wanted=bool(start["frames_wanted"]),
        )
        self._changes = LiveChanges(
            self.log, plan.changes, start["planned"], self._steps, self._frames, self.hub,
            yields=plan.yields,
        )  # fmt: skip
        self._largest_checkpoint: int = start["checkpoint_bytes"]
        self._checkpointer = Checkpointer(start["checkpoint_seconds"], self._largest_checkpoint)
        self.checkpoints = self._checkpointer.checkpoints
        # The experiment is None until it is built. After that, it is replayed to the step
        # `_catch_up_to`.
        self.building = build_experiment(config, checkpoint, self.log, plan.keep)
        self._experiment: Experiment | None = None
        self._catch_up_to: int | None = start["catch_up_to"]
        # Work to do between two steps, such as taking a checkpoint.
        self._between_steps: Pieces[None] | None = None

    # Requests of the hub.

    def set_knobs(self, number: int, values: dict[str, Any], drag: int = 0) -> None:
        """Set live knobs: now if the run is between two steps, otherwise after the current step.

        The answer to the hub repeats `number`. `drag` is the number of the mouse gesture, or 0.
        """
        self._changes.queue.append((number, values, drag))
        if self._experiment is not None and self._step_complete:
            self._changes.apply(self._experiment)

    def control(
        self,
        command_number: int,
        playing: bool,
        pace: str,
        attended: bool,
        frames_wanted: bool,
        in_view: bool,
    ) -> None:
        """Play or pause the run.

        Args:
            command_number: number of the hub's command.
            attended: whether the run has viewers, or had viewers recently.
            frames_wanted: whether a viewer looks at the run, or did so recently.
            in_view: whether a viewer looks at the run now.
        """
        self.hub.command_number = command_number
        self.weight = 1.0 if in_view else WEIGHT_OUT_OF_VIEW
        if in_view:
            # A run that comes back into view must not wait until other runs have used as much time.
            self.used, self._surcharge = self.used - self._surcharge, 0.0
        if self._steps.playing and not playing:
            self._frames.request("full")
        self._steps.control(self.step, time.perf_counter(), playing=playing, pace=pace)
        self._frames.set_viewers(self.step, attended=attended, frames_wanted=frames_wanted)
        self._send_state(None)
        self._measure_missing()

    def single_step(self) -> None:
        self._steps.single_step()

    def want(self, probes: Sequence[str]) -> None:
        self.probe_schedule.want(probes)
        self._measure_missing()

    def offer_checkpoint(self, fork: str, step: int) -> None:
        """Send the hub the last checkpoint up to `step`, for a fork in another worker.

        The payload is empty if there is no checkpoint, or if the checkpoint is too large to send.
        """
        at, checkpoint = self.checkpoints.nearest(step)
        fits = len(checkpoint) <= self._largest_checkpoint
        self.hub.send("checkpoint_for", checkpoint if fits else b"", fork=fork, step=at)

    def send_checkpoint(self) -> None:
        """Send the hub a checkpoint of the newest complete step, if it is not too large."""
        self._checkpointer.wanted = True

    def acknowledge(self) -> None:
        self._frames.unacknowledged = False

    # Interface for the scheduler.

    @property
    def step(self) -> int:
        return self._experiment.step_number if self._experiment is not None else 0

    @property
    def step_seconds(self) -> float:
        return self._steps.step_seconds

    @property
    def urgent(self) -> bool:
        """Return whether a viewer waits for a frame that has priority over other runs."""
        return not self._steps.under_way and self._frames.urgent

    def due(self, now: float) -> float:
        if self.building is not None:
            return super().due(now)
        if not self._step_complete or self._frames.frame is not None or self._frame_due(now):
            return now
        if self._checkpointer.wanted:
            return now
        return min(self._step_due(now), self._slow_probes_due(now))

    def work(self, deadline: float) -> None:
        """Do pieces of work until `deadline`, or until nothing is due."""
        while self._do_piece(deadline) and time.perf_counter() < deadline:
            pass

    def charge(self, seconds: float) -> None:
        charged = seconds / self.weight
        self.worked, self.used = self.worked + seconds, self.used + charged
        self._surcharge = charged - seconds

    def accrue(self, seconds: float, runs: float) -> None:
        """Add to the measuring budget, as if `runs` equal runs shared the worker."""
        self.probe_schedule.accrue(seconds, runs, full_pace=self._steps.full_pace)

    def take_slow_values(self, header: Header, payload: bytes) -> None:
        if self._slow_probes.take_answer(header, payload):
            self._frames.request("missing" if self._stands_still else "due", urgent=False)

    # Order of work.

    def _do_piece(self, deadline: float) -> bool:
        """Do the next piece of work. Return whether another piece may follow in the same slice."""
        if self._experiment is None:
            self._take_experiment()
            return False
        now, experiment = time.perf_counter(), self._experiment
        if self._between_steps is not None:
            self._work_between_steps(experiment, self._between_steps)
        elif self._catch_up_to is not None:
            self._catch_up(experiment, self._catch_up_to, deadline)
        elif self._steps.under_way:
            self._work_on_step(experiment)
        elif self._checkpointer.wanted:
            self._between_steps = self._take_checkpoint(experiment)
        elif self._frames.frame and (
            self._step_due(now) > now
            or self._frames.goes_before_step(now, full_pace=self._steps.full_pace)
        ):
            self._work_on_frame(experiment, deadline)
        elif self._frame_due(now):
            self.kind_of_work = "freeze"
            self._frames.begin(experiment, self.log)
        elif self._slow_probes_due(now) <= now:
            self._between_steps = self._slow_probes.request(
                experiment, now, standing=self._stands_still
            )
        elif self._step_due(now) <= now:
            if not self._stop_if_over(experiment):
                if self._frames.is_unseen(self.step):
                    self.hub.note_unseen(self.step)
                self._steps.begin(experiment)
                self._work_on_step(experiment)
        elif self._frames.frame:
            self._work_on_frame(experiment, deadline)
        else:
            return False
        return True

    @property
    def _arrived(self) -> bool:
        """Return whether the run has been built and replayed to its step."""
        return self._experiment is not None and self._catch_up_to is None

    @property
    def _step_complete(self) -> bool:
        """Return whether the run is between two steps, and all work between the steps is done."""
        return self._arrived and not self._steps.under_way and self._between_steps is None

    @property
    def _stands_still(self) -> bool:
        """Return whether the run stays at this step for now, so that all probes are measured."""
        return (self._hold.active and not self._brief) or not self._steps.playing

    def _frame_due(self, now: float) -> bool:
        return self._step_complete and self._frames.due(
            now, self.step, playing=self._steps.playing, held=self._hold.active
        )

    def _step_due(self, now: float) -> float:
        after_frame = self._frames.next_step_allowed_at(now)
        due = self._steps.due(self.step, after_frame, behind=self._frames.behind)
        if not self._hold.active:
            return due
        unmeasured = () if self._brief else self.probe_schedule.unmeasured(self.step)
        shown = self._frames.has_shown(self.step)
        return max(due, self._hold.ends_at(unmeasured, now, shown=shown))

    def _slow_probes_due(self, now: float) -> float:
        still = self._stands_still
        looked_at = self._frames.needs_frames if still else self._frames.frames_wanted
        if not (
            (looked_at or self._hold.active)
            and self._step_complete
            and self._frames.shown_step >= 0
        ):
            return math.inf
        return self._slow_probes.due(self.step, now, standing=still)

    def _measure_missing(self) -> None:
        """Request the missing values of a paused or held run if a viewer or the plan needs them."""
        looked_at = self._frames.needs_frames or self._hold.active
        still = self._arrived and self._stands_still and looked_at
        if still and self.probe_schedule.unmeasured(self.step, slow=False):
            self._frames.request("missing", urgent=False)

    # Building of the run, and its replay to the step at which it continues.

    def _take_experiment(self) -> None:
        self.kind_of_work = "open"
        build, self.building = self.building, None
        assert build is not None
        self._experiment = experiment = build.result()
        self.charge(build.seconds)
        if experiment.data.note:
            self.hub.send("note", **words_of(experiment.data.note))
        if self._catch_up_to is None:
            self._arrive(experiment)

    def _catch_up(self, experiment: Experiment, step: int, deadline: float) -> None:
        self.kind_of_work = "replay to its step"
        # Apply a planned change at its own step, also during a replay.
        goal = int(min(step, self._changes.next_planned_step))
        if catch_up_to(experiment, self.log, goal, deadline):
            self._changes.apply_planned(experiment)
            if self.step >= step:
                self._catch_up_to = None
                self._arrive(experiment)
        elif self._checkpointer.due(self.step):
            self._between_steps = self._take_checkpoint(experiment)

    def _arrive(self, experiment: Experiment) -> None:
        self._steps.clock.due = time.perf_counter()
        self._changes.apply(experiment)
        if not self.checkpoints:
            self._between_steps = self._take_checkpoint(experiment)
        self._frames.request("full")
        self._hold.arrive(self.step, time.perf_counter())

    # Steps and frames.

    def _work_on_step(self, experiment: Experiment) -> None:
        self.kind_of_work = "step"
        self._frames.stepped_since_frame += self._steps.work()
        if self._steps.under_way:
            return
        now, step = time.perf_counter(), self.step
        single = self._steps.end_step(step, now)
        self._changes.apply(experiment)
        every_step = self._steps.clock.every_step(step)
        self._frames.after_step(now, experiment.states(), single=single, every_step=every_step)
        if self._hold.arrive(step, now):
            # An urgent frame with the scope "due" contains only the cheap probes.
            self._frames.request("due" if self._brief else "full")
        if self._checkpointer.due(step):
            self._between_steps = self._take_checkpoint(experiment)
        elif self._steps.playing:
            self._stop_if_over(experiment)

    def _stop_if_over(self, experiment: Experiment) -> bool:
        """Stop the run if it must not continue. Return whether the run was stopped."""
        reason = self._steps.stop_reason(self.step, experiment.states().values())
        if reason is None:
            return False
        self._steps.stop()
        self._send_state(reason)
        self._frames.request("full")
        return True

    def _send_state(self, reason: str | None) -> None:
        """Send the run's step to the hub. If the run has stopped by itself, `reason` says why."""
        self.hub.send(
            "state",
            command_number=self.hub.command_number,
            step=self.step,
            reason=reason,
            **self._steps.stops(),
        )

    def _work_on_frame(self, experiment: Experiment, deadline: float) -> None:
        self.kind_of_work = "frame"
        frame = self._frames.work(deadline)
        if frame is not None:
            # All values except `step` describe the run now, perhaps some steps after the step of
            # the frame.
            every_step = self._steps.clock.every_step(self.step)
            self.hub.send(
                "frame", frame.body, step=frame.step,
                behind=self._frames.falls_behind(every_step=every_step),
                breaks=experiment.breaks(),
                stuck="stuck" in experiment.states().values(),
                **self._steps.stops(),
            )  # fmt: skip
            self._measure_missing()
        elif self._frames.takes_long():
            self.hub.send("slow")

    # Work between two steps.

    def _work_between_steps(self, experiment: Experiment, work: Pieces[None]) -> None:
        self.kind_of_work = "checkpoint"
        try:
            with torch.no_grad():
                next(work)
        except StopIteration:
            self._between_steps = None
            if self._step_complete:
                self._changes.apply(experiment)
                if self._steps.playing:
                    self._stop_if_over(experiment)

    def _take_checkpoint(self, experiment: Experiment) -> Pieces[None]:
        """Take and keep a checkpoint. Also send it to the hub if the hub's next one is due."""
        checkpoint = yield from self._checkpointer.take(experiment, self.worked)
        if checkpoint is not None:
            self.hub.send("checkpoint", checkpoint, step=experiment.step_number)
