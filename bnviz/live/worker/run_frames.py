"""Frames of a run: when the next frame is due, and how it is measured while the run continues."""

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

# Maximum seconds that the next step waits for the frame of the last step, at slow paces.
FRAME_WAIT = 0.5
# Seconds of work on a frame, after which steps that are due get a share of the time.
FRAME_ALLOWANCE = 0.05
# Seconds since the start of a frame, after which the frame gets half of the run's time at any pace.
LONG_FRAME = 1.0
# Maximum measuring debt, in seconds, with which a run still has urgent frames.
MOST_URGENT_DEBT = 0.1
# Limits of the share of steps without a frame, at paces with a frame for every step. Viewers are
# warned once the share exceeds `MANY_SKIPS`, until it is below `FEW_SKIPS`. `NEWEST_SKIP` is the
# weight of the newest step in this share.
MANY_SKIPS, FEW_SKIPS, NEWEST_SKIP = 0.3, 0.1, 0.05
# Seconds of work on a frame, after which viewers are warned that it takes long.
SLOW_FRAME = 2.0
# Minimum seconds between two frames during a drag. Each frame comes after a step with the newest
# value.
DRAG_FRAME_SECONDS = 0.05
# Seconds since the last frame, during a drag, after which the next frame has priority over other
# runs.
DRAG_URGENT_SECONDS = 0.1


class RunFrames:
    """Schedule of a run's frames, and the frame in progress.

    Attributes:
        frames_wanted: whether a viewer looks at the run, or did so recently.
        behind: whether there was no time for a frame of the last step.
        frame: frame in progress, or None.
        stepped_since_frame: seconds of stepping since the frame in progress was begun.
        shown_step: step of the last frame, or -1 before the first.
        unacknowledged: whether the hub has not received the last frame yet. No new frame is begun
            until then.
    """

    def __init__(
        self, probe_schedule: ProbeSchedule, *, attended: bool, frames_wanted: bool
    ) -> None:
        self.frames_wanted = frames_wanted
        self.behind = False
        self._probe_schedule, self._attended = probe_schedule, attended
        # Scope of the requested frame, and whether the frame has priority over other runs.
        self._requested: FrameScope | None = "full"
        self._urgent = True
        # Whether a drag has set another value since the last frame.
        self._dragged = False
        self._states: dict[str, str] = {}
        self.frame: FrameMaker | None = None
        self.stepped_since_frame = 0.0
        self._sent_at, self.shown_step = -math.inf, -1
        self.unacknowledged = False
        # Recent share of steps without a frame, and whether viewers were warned about it.
        self._skipped, self._told_behind = 0.0, False
        self._told_slow = False

    # Requests.

    def request(self, scope: FrameScope, *, urgent: bool = True) -> None:
        """Request a frame at once. An urgent frame has priority over other runs."""
        order = FRAME_SCOPES.index
        if self._requested is None or order(scope) > order(self._requested):
            self._requested = scope
        self._urgent |= urgent

    def request_while_dragging(self, now: float) -> None:
        """Request a frame after one of the next steps, because a drag has set another value.

        If each value got a frame at once, no time would be left for steps with these values. If
        these frames were urgent, no time would be left for other runs.
        """
        self._dragged = True
        self._urgent |= now - self._sent_at >= DRAG_URGENT_SECONDS

    def set_viewers(self, step: int, *, attended: bool, frames_wanted: bool) -> None:
        if frames_wanted and not self.frames_wanted and self.shown_step != step:
            self.request("full")
        self._attended, self.frames_wanted = attended, frames_wanted

    def after_step(
        self, now: float, states: Mapping[str, str], *, single: bool, every_step: bool
    ) -> None:
        """Request a frame of the step just taken, if this step gets a frame.

        Args:
            states: states of the networks. A frame is requested if a state changes.
            single: whether someone requested exactly this step.
            every_step: whether the pace is so slow that every step gets a frame.
        """
        if single:
            self.request("full")
        elif every_step:
            self.behind = not self._probe_schedule.keeps_up(now)
            self._skipped += NEWEST_SKIP * (self.behind - self._skipped)
            if not self.behind:
                self.request("due", urgent=False)
        elif self._dragged and now - self._sent_at >= DRAG_FRAME_SECONDS:
            self.request("due", urgent=False)
        if states != self._states:
            self._states = dict(states)
            self.request("due", urgent=False)

    # When a frame is due.

    @property
    def needs_frames(self) -> bool:
        return (self._attended and self.frames_wanted) or bool(self._probe_schedule.wanted)

    @property
    def urgent(self) -> bool:
        """Return whether a viewer waits for a frame that has priority over other runs."""
        if self._probe_schedule.credit <= -MOST_URGENT_DEBT:
            return False
        if self.frame is None:
            return self._urgent
        return self.frame.urgent and self.frame.spent < FRAME_ALLOWANCE

    def next_step_allowed_at(self, now: float) -> float:
        """Return the earliest time of the next step, at a pace with a frame for every step.

        A frame that is due or in progress delays the step, up to `FRAME_WAIT` after the last frame.
        """
        waits = self.frames_wanted and (self._requested is not None or self.frame is not None)
        return max(now, self._sent_at + FRAME_WAIT) if waits else now

    def due(self, now: float, step: int, *, playing: bool, held: bool = False) -> bool:
        """Return whether to begin a frame. For a run `held` at a step, no viewers are needed."""
        if self.frame is not None or self.unacknowledged:
            return False
        if (
            not (self.frames_wanted or held)
            and self.shown_step >= 0
            and not self._probe_schedule.wanted
        ):
            return False
        if self._requested is not None:
            return True
        new = playing and step != self.shown_step
        return new and self.frames_wanted and self._probe_schedule.frame_due(now)

    def has_shown(self, step: int) -> bool:
        """Return whether the last frame shows `step`, and no new frame is requested or begun."""
        return self.shown_step == step and self._requested is None and self.frame is None

    def is_unseen(self, step: int) -> bool:
        begun = self.frame is not None and self.frame.step == step
        return not (self.frames_wanted or begun or self.shown_step == step)

    # The frame in progress.

    def goes_before_step(self, now: float, *, full_pace: bool) -> bool:
        """Return whether to work on the frame in progress before taking a step that is due."""
        frame = self.frame
        assert frame is not None
        if frame.spent < FRAME_ALLOWANCE:
            return True
        share = 0.1 if full_pace and now - frame.began < LONG_FRAME else 0.5
        return frame.spent * (1 - share) <= self.stepped_since_frame * share

    def begin(self, experiment: Experiment, log: ChangeLog) -> None:
        """Begin the requested frame, or a frame that is due, between two training steps."""
        scope, urgent = self._requested or "due", self._urgent
        self._requested, self._urgent, self._dragged = None, False, False
        self.stepped_since_frame = 0.0
        self.frame = FrameMaker(experiment, log, self._probe_schedule, scope, urgent=urgent)

    def work(self, deadline: float) -> FrameMaker | None:
        """Measure until `deadline`. Return the frame when it is ready to be sent."""
        frame = self.frame
        assert frame is not None
        if not frame.work(deadline):
            return None
        self.frame = None
        self.unacknowledged, self._sent_at = True, time.perf_counter()
        self.shown_step = frame.step
        return frame

    # Warnings to viewers.

    def takes_long(self) -> bool:
        """Return whether to tell viewers that a frame takes long. True at most once per run."""
        if self._told_slow or self.frame is None or self.frame.spent <= SLOW_FRAME:
            return False
        self._told_slow = True
        return True

    def falls_behind(self, *, every_step: bool) -> bool:
        """Return whether to tell viewers that frames are missing for too many steps."""
        limit = FEW_SKIPS if self._told_behind else MANY_SKIPS
        self._told_behind = every_step and self._skipped > limit
        return self._told_behind


class FrameMaker:
    """Frame of a frozen run, made in slices by `work`.

    Attributes:
        urgent: whether someone waits for this frame.
        began: start time, on the clock of `time.perf_counter`.
        spent: seconds of CPU time so far.
        body: encoded frame; empty until the frame is ready.
    """

    def __init__(
        self, experiment: Experiment, log: ChangeLog, probe_schedule: ProbeSchedule,
        scope: FrameScope, *, urgent: bool = False, replayed: bool = False,
    ) -> None:  # fmt: skip
        """Freeze a run between two steps, and choose the probes to measure.

        If `replayed`, the frame shows a past step. Nothing is copied in this case, because the
        experiment takes no step until the frame is ready.
        """
        self.began = began = time.perf_counter()
        cpu = time.thread_time()
        self.step, self.urgent = experiment.step_number, urgent
        self.spent, self.body = 0.0, b""
        self._log, self._replayed = log, replayed
        # Copy the gestures now, because the log may grow before the frame is ready.
        self._gestures = plain_gestures(log.up_to(self.step))
        self._probe_schedule, self._seconds = probe_schedule, dict[str, float]()
        probe_schedule.frame_began(began)
        names = probe_schedule.choose(self.step, began, scope, urgent=urgent)
        frozen = experiment.freeze(copies=not replayed)
        self._config = experiment.initial_config
        self._pieces = self._make(frozen.measure(names, self._seconds))
        self.spent = time.thread_time() - cpu

    def work(self, deadline: float) -> bool:
        """Measure until `deadline`. Return whether the frame is ready."""
        began = time.thread_time()
        with torch.no_grad():
            for _ in self._pieces:
                if time.perf_counter() >= deadline:
                    break
        spent = time.thread_time() - began
        self.spent += spent
        self._probe_schedule.charge(spent)
        if self.body:
            self._learn_cost()
        return bool(self.body)

    def _make(self, measuring: Pieces[Snapshot]) -> Pieces[None]:
        measured = yield from measuring
        snapshot = self._probe_schedule.complete(measured, self._seconds, self.began)
        yield
        story = tell_story(snapshot, self._config, self._log)
        self.body = encode_body(
            snapshot, gestures=self._gestures, story=story, replayed=self._replayed
        )

    def _learn_cost(self) -> None:
        """Pass the cost of a frame without its expensive probes to the schedule."""
        cheap = {BASE, *(name for name, entry in PROBES.items() if entry.cheap)}
        expensive = sum(cost for name, cost in self._seconds.items() if name not in cheap)
        self._probe_schedule.learn_costs({FRAME: max(0.0, self.spent - expensive)})
