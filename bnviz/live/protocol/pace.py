"""How fast a watched run steps. Pace never changes a result, only when it is seen.

A plan as JSON, from the hub to a worker and to browsers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bnviz.live.protocol.frames import plain_change, read_change
from bnviz.planned_runs.plan import Plan

PACES = ("1/s", "watch", "fast", "full")
# The pace of a run's own plan, which it begins with.
PLANNED = "plan"

# The watch pace: slow enough to follow a break that takes nine steps, then ever faster.
WATCH_RATES = ((50, 10.0), (200, 30.0))
WATCH_LAST_RATE = 100.0
WATCH_STEPS = 1_000
# A change this close to the pause would be cut off before its effect is seen.
WATCH_AFTER_CHANGE = 200
FAST_RATE = 250.0
# At up to this many steps a second every step is a frame.
EVERY_STEP_RATE = 30.0


def steps_per_second(pace: str, steps_since: int) -> float | None:
    """Steps a second at a pace, `steps_since` the start or the last live change; None: no limit."""
    if pace == "1/s":
        return 1.0
    if pace == "fast":
        return FAST_RATE
    if pace == "watch":
        return next((rate for until, rate in WATCH_RATES if steps_since < until), WATCH_LAST_RATE)
    return None


def paces(plan: Plan | None) -> tuple[str, ...]:
    """The paces that a run may have."""
    return PACES if plan is None else (PLANNED, *PACES)


def first_pause(plan: Plan | None) -> int:
    """The step at which a run pauses by itself, if nothing happens before."""
    return WATCH_STEPS if plan is None else plan.last_step


@dataclass
class Clock:
    """When a run's next step is due.

    Attributes:
        pace: one of `paces`.
        origin: the step the watch pace counts from: the start or the last live change.
        pause_at: the step at which the watch pace pauses, and a run with a plan at any pace.
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
        """Whether the run pauses at `pause_at`."""
        return self.plan is not None or self.pace == "watch"

    def rate(self, step: int) -> float | None:
        """Steps a second at `step`; None: no limit."""
        if self.plan is not None and self.pace == PLANNED:
            return self.plan.rate(step, self.origin)
        return steps_per_second(self.pace, step - self.origin)

    def every_step(self, step: int) -> bool:
        """Whether every step is shown."""
        rate = self.rate(step)
        return rate is not None and rate <= EVERY_STEP_RATE

    def stepped(self, step: int, now: float) -> None:
        """A step was taken: set the next one's time. What was missed is not caught up."""
        rate = self.rate(step)
        self.due = now if rate is None else max(self.due + 1 / rate, now - 1 / rate)

    def resume(self, step: int, now: float) -> None:
        """Play was pressed, or the pace changed."""
        self.due = now
        if step >= self.pause_at:
            self._pause_later(step)

    def changed(self, step: int, now: float, *, begins: bool = True, planned: bool = False) -> None:
        """A live change took effect: slow down to show what it does.

        Args:
            step: at which it did.
            now: seconds of the monotonic clock.
            begins: False for a further value of a drag, which does not hurry the next step.
            planned: it is one of the plan's, which neither hurry a step nor put off the pause.
        """
        self.origin = step
        if planned:
            return
        if begins:
            self.resume(step, now)
        if self.pause_at - step < self._after_change():
            self._pause_later(step)

    def _after_change(self) -> int:
        """So many steps at least are taken after a live change before the run pauses."""
        if self.plan is None:
            return WATCH_AFTER_CHANGE
        # Where rates count from step 0, so does all that is to be seen.
        return min(WATCH_AFTER_CHANGE, self.plan.last_step) if self.plan.from_change else 1

    def _pause_later(self, step: int) -> None:
        self.pause_at = step + first_pause(self.plan)

    def target(self, step: int, limit: int) -> int:
        """The step at which the run stops by itself."""
        return min(self.pause_at, limit) if self.pauses else limit


def plain_plan(plan: Plan | None) -> dict[str, Any] | None:
    """A plan for JSON, by the names of its fields."""
    if plan is None:
        return None
    found = {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan)}
    return {**found, "changes": [plain_change(change) for change in plan.changes]}


def read_plan(given: Mapping[str, Any] | None) -> Plan | None:
    """The plan of a plain one."""
    if given is None:
        return None
    rates = tuple((int(until), float(rate)) for until, rate in given["rates"])
    steps = {name: tuple(given[name]) for name in ("shown", "keep", "probes")}
    return Plan(
        **{**given, **steps, "rates": rates, "changes": tuple(map(read_change, given["changes"]))}
    )
