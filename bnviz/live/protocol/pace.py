"""The pace of a run: how fast it steps and where it pauses, by its plan or by a named pace.

A pace never changes a result, only the time at which it is seen. A run's plan is its own pace, and
is sent to workers and browsers as JSON.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bnviz.change_log import plain_change, read_change
from bnviz.planned_runs.plan import WATCH_RATES, Plan

PACES = ("1/s", "watch", "fast", "full")
# The pace of a run's own plan, which it begins with.
PLANNED = "plan"

# Steps per second after those of `WATCH_RATES`.
WATCH_LAST_RATE = 100.0
# Steps after which it pauses.
WATCH_STEPS = 1_000
# The plan of a run without one: the watch pace. Nothing changes or is shown by itself.
NO_PLAN = Plan((*WATCH_RATES, (WATCH_STEPS, WATCH_LAST_RATE)), WATCH_STEPS, from_change=True)
# Steps that are taken at least after a live change, so that its effect is seen before a pause.
WATCH_AFTER_CHANGE = 200
# Steps a second.
FAST_RATE = 250.0
# Up to so many steps a second, every step is a frame.
EVERY_STEP_RATE = 30.0


def steps_per_second(pace: str, steps_since: int) -> float | None:
    """Steps a second at a named pace; None: no limit.

    Args:
        pace: one of `PACES`.
        steps_since: steps since the start or the last live change.
    """
    if pace == "watch":
        return NO_PLAN.rate(steps_since, 0)
    return {"1/s": 1.0, "fast": FAST_RATE}.get(pace)


def paces(plan: Plan | None) -> tuple[str, ...]:
    return PACES if plan is None else (PLANNED, *PACES)


def first_pause(plan: Plan | None) -> int:
    """The step at which a run pauses by itself, if nothing is changed before."""
    return (plan or NO_PLAN).last_step


@dataclass
class Clock:
    """Tells when the next step of a run is due.

    Attributes:
        pace: one of `paces(plan)`.
        origin: the step from which the watch pace counts: 0, or that of the last live change.
        pause_at: the step at which the run pauses, at the watch pace or with a plan.
        due: when the next step is due, seconds of a monotonic clock.
        plan: the run's, or None.
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
        """Steps a second at `step`; None: no limit."""
        if self.plan is not None and self.pace == PLANNED:
            return self.plan.rate(step, self.origin)
        return steps_per_second(self.pace, step - self.origin)

    def every_step(self, step: int) -> bool:
        rate = self.rate(step)
        return rate is not None and rate <= EVERY_STEP_RATE

    def stepped(self, step: int, now: float) -> None:
        """Set the time of the next step, after one was taken. A delay is not caught up."""
        rate = self.rate(step)
        self.due = now if rate is None else max(self.due + 1 / rate, now - 1 / rate)

    def resume(self, step: int, now: float) -> None:
        """Make a step due now, and put off a pause that was reached.

        Called when play was pressed, or the pace was changed. At a plan's rate below one step per
        second the step is due one pause later, so that a plan can rest at step 0.
        """
        rate = self.rate(step)
        self.due = now + 1 / rate if rate is not None and rate < 1 else now
        if step >= self.pause_at:
            self._pause_later(step)

    def changed(self, step: int, now: float, *, begins: bool = True, planned: bool = False) -> None:
        """Count from a live change, so that the run steps slowly while its effect is seen.

        Args:
            step: at which it took effect.
            now: seconds of the monotonic clock.
            begins: whether it makes a step due now; False for the later values of a drag.
            planned: whether it is one of the plan's, which makes no step due and puts no pause off.
        """
        self.origin = step
        if planned:
            return
        if begins:
            self.resume(step, now)
        plan = self.plan or NO_PLAN
        # If the plan's rates count from step 0, a change does not prolong it.
        least = min(WATCH_AFTER_CHANGE, plan.last_step) if plan.from_change else 1
        if self.pause_at - step < least:
            self._pause_later(step)

    def _pause_later(self, step: int) -> None:
        self.pause_at = step + first_pause(self.plan)

    def target(self, limit: int) -> int:
        """The step at which the run stops by itself, at `limit` at the latest."""
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
