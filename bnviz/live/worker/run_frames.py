"""How a run is shown: when a frame is due, which frame is in the making, and what was missed.

One frame of a run on its way: a frozen moment, measured in pieces while the run steps on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import torch

from bnviz.change_log import ChangeLog
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body, plain_gestures
from bnviz.live.worker.probe_schedule import BASE, FRAME, FRAME_SCOPES, FrameScope, ProbeSchedule
from bnviz.pieces import Pieces
from bnviz.probes import PROBES
from bnviz.records import Snapshot
from bnviz.words.story import tell_story

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
# While a knob is dragged a frame comes this often, after a step with the newest value.
DRAG_FRAME_SECONDS = 0.05
# One that comes later than this goes before the work of other runs.
DRAG_URGENT_SECONDS = 0.1


class RunFrames:
    """The frames of one run: which one is wanted, the one in the making, the last one.

    Args:
        probe_schedule: has the budget for frames and chooses what they measure.
        awake: whether the run has viewers, or had some a moment ago.
        seen: whether one of them looks at it.

    Attributes:
        seen: see above.
        behind: whether there was no time for a frame of the last step.
    """

    def __init__(self, probe_schedule: ProbeSchedule, *, awake: bool, seen: bool) -> None:
        self.seen = seen
        self.behind = False
        self._probe_schedule, self._awake = probe_schedule, awake
        # What is to be shown next, and whether before the work of other runs.
        self._wanted: FrameScope | None = "full"
        self._urgent = True
        # A drag has gone on since the last frame.
        self._dragged = False
        self._states: dict[str, str] = {}
        self._frame: FrameMaker | None = None
        self._stepped_since_frame = 0.0
        # The last frame: when it was sent, of which step, and whether the hub has it.
        self._sent_at, self._shown_step = -math.inf, -1
        self._unacknowledged = False
        # The recent share of steps without a frame; whether viewers were told of that, and of a
        # slow frame.
        self._skipped, self._told_behind = 0.0, False
        self._told_slow = False

    # What is asked for.

    def want(self, scope: FrameScope, *, urgent: bool = True) -> None:
        """Ask for a frame at once; an urgent one goes before the work of other runs."""
        if self._wanted is None or FRAME_SCOPES.index(scope) > FRAME_SCOPES.index(self._wanted):
            self._wanted = scope
        self._urgent |= urgent

    def want_missing(self, step: int) -> None:
        """Ask for a frame until all is of `step`, at which the run stands still."""
        if self._probe_schedule.missing(step):
            self.want("missing", urgent=False)

    def dragged(self, now: float) -> None:
        """A knob that is being dragged has a further value.

        A frame for each one would leave no time for the steps that they act on, and urgent ones
        none for the other runs.
        """
        self._dragged = True
        self._urgent |= now - self._sent_at >= DRAG_URGENT_SECONDS

    def watch(self, step: int, *, awake: bool, seen: bool) -> None:
        """Viewers came or went while the run is at `step`."""
        if seen and not self.seen and self._shown_step != step:
            self.want("full")
        self._awake, self.seen = awake, seen

    def stepped(
        self, now: float, states: Mapping[str, str], *, single: bool, every_step: bool
    ) -> None:
        """A step was taken: ask for the frame that it deserves.

        Args:
            now: seconds of the monotonic clock.
            states: of the networks.
            single: whether somebody asked for this very step.
            every_step: whether the pace is so slow that every step is to be shown.
        """
        if single:
            self.want("full")
        elif every_step:
            self.behind = not self._probe_schedule.keeps_up(now)
            self._skipped += NEWEST_SKIP * (self.behind - self._skipped)
            if not self.behind:
                self.want("due", urgent=False)
        elif self._dragged and now - self._sent_at >= DRAG_FRAME_SECONDS:
            self.want("due", urgent=False)
        if states != self._states:
            self._states = dict(states)
            self.want("due", urgent=False)

    def acknowledge(self) -> None:
        """The hub took the last frame."""
        self._unacknowledged = False

    # When.

    @property
    def has_shown(self) -> bool:
        """Whether there was a frame yet."""
        return self._shown_step >= 0

    @property
    def watched(self) -> bool:
        """Whether somebody looks, or has wanted something."""
        return (self._awake and self.seen) or bool(self._probe_schedule.wanted)

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for a frame, and may before the work of other runs."""
        if self._probe_schedule.credit <= -MOST_URGENT_DEBT:
            return False
        if self._frame is None:
            return self._urgent
        # One that takes long is nothing to let others wait for.
        return self._frame.urgent and self._frame.spent < FRAME_ALLOWANCE

    def shown_at(self, now: float) -> float:
        """When the present step's frame has been begun, or was waited for long enough."""
        waits = self.seen and (self._wanted is not None or self._frame is not None)
        return max(now, self._sent_at + FRAME_WAIT) if waits else now

    def due(self, now: float, step: int, *, playing: bool, held: bool = False) -> bool:
        """Whether a frame of a run that is at rest at `step` is to be begun.

        Args:
            now: seconds of the monotonic clock.
            step: the run's.
            playing: whether it steps by its clock.
            held: whether it waits at this step until it is shown, seen or not.
        """
        if self._frame is not None or self._unacknowledged:
            return False
        if not (self.seen or held) and self.has_shown and not self._probe_schedule.wanted:
            return False
        if self._wanted is not None:
            return True
        new = playing and step != self._shown_step
        return new and self.seen and self._probe_schedule.frame_due(now)

    def shows(self, step: int) -> bool:
        """Whether the last frame is of this step, and no other one of it is wanted."""
        return self._shown_step == step and self._wanted is None and self._frame is None

    def leaves_unseen(self, step: int) -> bool:
        """Whether nobody looks, and no frame of this step was made or begun."""
        begun = self._frame is not None and self._frame.step == step
        return not (self.seen or begun or self._shown_step == step)

    # The frame in the making.

    @property
    def framing(self) -> bool:
        """Whether a frame is in the making."""
        return self._frame is not None

    def goes_before_step(self, now: float, *, full_pace: bool) -> bool:
        """Whether the frame in the making goes on before a step that is due."""
        frame = self._frame
        assert frame is not None
        if frame.spent < FRAME_ALLOWANCE:
            return True
        share = 0.1 if full_pace and now - frame.began < LONG_FRAME else 0.5
        return frame.spent * (1 - share) <= self._stepped_since_frame * share

    def spent_on_step(self, seconds: float) -> None:
        """The run took this time for stepping."""
        self._stepped_since_frame += seconds

    def begin(self, experiment: Experiment, log: ChangeLog) -> None:
        """Begin a frame of an experiment that is between two steps."""
        scope, urgent = self._wanted or "due", self._urgent
        self._wanted, self._urgent, self._dragged = None, False, False
        self._stepped_since_frame = 0.0
        self._frame = FrameMaker(experiment, log, self._probe_schedule, scope, urgent=urgent)

    def go_on(self, deadline: float) -> FrameMaker | None:
        """Measure until `deadline`. Returns the frame when it is ready to be sent."""
        frame = self._frame
        assert frame is not None
        if not frame.work(deadline):
            return None
        self._frame = None
        self._unacknowledged, self._sent_at = True, time.perf_counter()
        self._shown_step = frame.step
        return frame

    # What viewers are told.

    def tells_slow(self) -> bool:
        """Whether to tell viewers that a frame takes long; once."""
        if self._told_slow or self._frame is None or self._frame.spent <= SLOW_FRAME:
            return False
        self._told_slow = True
        return True

    def tells_behind(self, *, every_step: bool) -> bool:
        """Whether to tell viewers that many steps are not shown, where every one should be."""
        limit = FEW_SKIPS if self._told_behind else MANY_SKIPS
        self._told_behind = every_step and self._skipped > limit
        return self._told_behind


class FrameMaker:
    """Makes one frame; `work` takes a slice.

    Attributes:
        step: at which the run was frozen.
        urgent: somebody waits for this frame.
        began: when, by `time.perf_counter`.
        spent: seconds of CPU time so far.
        body: the frame, when it is ready.
    """

    def __init__(
        self, experiment: Experiment, log: ChangeLog, probe_schedule: ProbeSchedule,
        scope: FrameScope, *, urgent: bool = False, replayed: bool = False,
    ) -> None:  # fmt: skip
        """Freeze a run.

        Args:
            experiment: between two steps.
            log: its live changes so far.
            probe_schedule: chooses the probes; learns what they cost.
            scope: what is measured.
            urgent: see above.
            replayed: a frame of the past: the experiment stands still until it is ready.
        """
        self.began = began = time.perf_counter()
        cpu = time.thread_time()
        self.step, self.urgent = experiment.step_number, urgent
        self.spent, self.body = 0.0, b""
        self._log, self._replayed = log, replayed
        # The log may grow before the frame is ready.
        self._gestures = plain_gestures(log.until(self.step))
        self._probe_schedule, self._seconds = probe_schedule, dict[str, float]()
        probe_schedule.frame_began(began)
        names = probe_schedule.chosen(self.step, began, scope, urgent=urgent)
        moment = experiment.moment(frozen=not replayed)
        self._config = experiment.initial_config
        self._pieces: Pieces[Snapshot] = moment.measure(names, self._seconds)
        self._snapshot: Snapshot | None = None
        self.spent = time.thread_time() - cpu

    def work(self, deadline: float) -> bool:
        """Measure until `deadline`. Returns whether the frame is ready."""
        began = time.thread_time()
        if self._snapshot is None:
            self._measure(deadline)
        else:
            self._encode()
        spent = time.thread_time() - began
        self.spent += spent
        self._probe_schedule.charge(spent)
        if self.body:
            self._learn_cost()
        return bool(self.body)

    def _measure(self, deadline: float) -> None:
        try:
            with torch.no_grad():
                while True:
                    next(self._pieces)
                    if time.perf_counter() >= deadline:
                        return
        except StopIteration as end:
            self._snapshot = self._probe_schedule.take(end.value, self._seconds, self.began)
        if time.perf_counter() < deadline:
            self._encode()

    def _encode(self) -> None:
        assert self._snapshot is not None
        story = tell_story(self._snapshot, self._config, self._log)
        self.body = encode_body(
            self._snapshot, gestures=self._gestures, story=story, replayed=self._replayed
        )

    def _learn_cost(self) -> None:
        """Learn what a frame without its expensive probes costs."""
        cheap = {BASE, *(name for name, entry in PROBES.items() if entry.cheap)}
        expensive = sum(cost for name, cost in self._seconds.items() if name not in cheap)
        self._probe_schedule.learn_cost(FRAME, max(0.0, self.spent - expensive))
