"""Pace of a run: its speed and its pauses, set by its plan or by a named pace.

A pace never changes a result, only the time at which it is seen. Plans are sent to workers and
browsers as JSON.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bnviz.change_log import plain_change, read_change
from bnviz.planned_runs.plan import WATCH_RATES, Plan

PACES = ("1/s", "watch", "fast", "full")
# Pace of a run's own plan. A run with a plan starts at this pace.
PLANNED = "plan"

# Steps per second after the last entry of `WATCH_RATES`.
WATCH_LAST_RATE = 100.0
# Number of steps after which the watch pace pauses.
WATCH_STEPS = 1_000
# Plan of a run without its own plan: the watch pace, without planned changes or frames.
NO_PLAN = Plan((*WATCH_RATES, (WATCH_STEPS, WATCH_LAST_RATE)), WATCH_STEPS, from_change=True)
# Minimum number of steps between a live change and the next pause, so that the effect is seen.
WATCH_AFTER_CHANGE = 200
# Steps per second at the pace "fast".
FAST_RATE = 250.0
# Highest number of steps per second at which every step gets a frame.
EVERY_STEP_RATE = 30.0


def steps_per_second(pace: str, steps_since: int) -> float | None:
    """Return the steps per second of a named pace, or None for no limit.

    `steps_since` counts from the start or from the last live change.
    """
    if pace == "watch":
        return NO_PLAN.rate(steps_since, 0)
    return {"1/s": 1.0, "fast": FAST_RATE}.get(pace)


def paces(plan: Plan | None) -> tuple[str, ...]:
    return PACES if plan is None else (PLANNED, *PACES)


def first_pause(plan: Plan | None) -> int:
    """Return the step at which a run without changes pauses by itself."""
    return (plan or NO_PLAN).last_step


@dataclass
class Clock:
    """Clock that decides when the next step of a run is due.

    Attributes:
        origin: step from which rates are counted: 0, or the step of the last live change.
        pause_at: step at which the run pauses, at the watch pace or with a plan.
        due: time of the next step, in seconds of a monotonic clock.
    """

    pace: str = "watch"
    origin: int = 0
    pause_at: int = WATCH_STEPS
    due: float = 0.0
    plan: Plan | None = None

    @property
    def pauses(self) -> bool:
        return self.plan is not None or self.pace == "watch"

    def rate(self, step: int) -> float | None:
        """Return the steps per second at `step`, or None for no limit."""
        if self.plan is not None and self.pace == PLANNED:
            return self.plan.rate(step, self.origin)
        return steps_per_second(self.pace, step - self.origin)

    def every_step(self, step: int) -> bool:
        rate = self.rate(step)
        return rate is not None and rate <= EVERY_STEP_RATE

    def stepped(self, step: int, now: float) -> None:
        """Set the time of the next step after a step was taken. A long delay is not made up."""
        rate = self.rate(step)
        self.due = now if rate is None else max(self.due + 1 / rate, now - 1 / rate)

    def resume(self, step: int, now: float) -> None:
        """Make a step due now. If the run has reached its pause, move the pause to a later step.

        Called after play was pressed or the pace was changed. At a rate below one step per second,
        the step is due one interval later, so that a plan can stay at step 0 for a while.
        """
        rate = self.rate(step)
        self.due = now + 1 / rate if rate is not None and rate < 1 else now
        if step >= self.pause_at:
            self._pause_later(step)

    def changed(self, step: int, now: float, *, begins: bool = True, planned: bool = False) -> None:
        """Count the rates from a live change, so that its effect is shown slowly.

        Args:
            begins: whether the change makes a step due now; False for later values of one drag.
            planned: whether the plan made the change. If so, the next step and pause do not move.
        """
        self.origin = step
        if planned:
            return
        if begins:
            self.resume(step, now)
        plan = self.plan or NO_PLAN
        # A change does not prolong a plan whose schedule is counted from step 0.
        least = min(WATCH_AFTER_CHANGE, plan.last_step) if plan.from_change else 1
        if self.pause_at - step < least:
            self._pause_later(step)

    def _pause_later(self, step: int) -> None:
        self.pause_at = step + first_pause(self.plan)

    def target(self, limit: int) -> int:
        """Return the step at which the run stops by itself, at most `limit`."""
        return min(self.pause_at, limit) if self.pauses else limit


def plain_plan(plan: Plan | None) -> dict[str, Any] | None:
    if plan is None:
        return None
    found = {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)}
    return {**found, "changes": [plain_change(change) for change in plan.changes]}


def read_plan(given: Mapping[str, Any] | None) -> Plan | None:
    if given is None:
        return None
    rates = tuple((int(until), float(rate)) for until, rate in given["rates"])
    steps = {name: tuple(given[name]) for name in ("shown", "keep", "probes")}
    return Plan(
        **{**given, **steps, "rates": rates, "changes": tuple(map(read_change, given["changes"]))}
    )
