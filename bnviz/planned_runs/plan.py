"""The plan of a run, settled before it starts: how fast it steps, where it ends, what changes when.

Of a plan only its changes affect the result. They act like live ones: each takes effect at its
step, before the next one is taken, and is logged and replayed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bnviz.actions import check_actions
from bnviz.config import ConfigError, RunConfig, check_live
from bnviz.records import Change
from bnviz.sizes import weight_bytes
from bnviz.words.phrase import phrase

FASTEST, SLOWEST = 1_000.0, 0.1
# Up to so many steps after the start or a live change, so many steps per second: slow enough to
# follow a break that takes nine steps, then faster and faster.
WATCH_RATES = ((50, 10.0), (200, 30.0))
MOST_STEPS = 100_000
MOST_PLANNED_CHANGES, MOST_SHOWN, MOST_KEPT = 200, 50, 8
# A run-up ends this many steps before the first change.
RUN_UP_ENDS = 15
# Kept weights travel with every checkpoint of the run.
MOST_KEPT_BYTES = 24 * 2**20


@dataclass(frozen=True)
class Plan:
    """A run's schedule.

    Attributes:
        rates: (until this step, steps a second), ascending; the last rate goes on after its step.
        last_step: the step at which the run waits. Played on, it goes as far again.
        changes: live changes that act by themselves, ascending by step, each before `last_step`.
        shown: steps at which a frame is made and kept whatever the pace; all probes that are wanted
            are measured at that very step.
        keep: steps whose weights are kept, for the probe `cut`.
        from_change: whether the steps of `rates` count from the last live change, as the watch
            pace's do, so that every change is seen slowly; otherwise from step 0.
        probes: those that are wanted besides the default ones, whatever charts are open.
        brief: whether the frames of the steps `shown` have the cheap probes alone, so that the run
            does not wait there for others.
        run_up: steps a second until shortly before the first of `changes`; None: as `rates` say.
        yields: whether the first live change by hand ends those of the plan, for good: a run that
            is started over does not make them again.

    Raises:
        ValueError: something is out of order or out of range; it names the field.
    """

    rates: tuple[tuple[int, float], ...]
    last_step: int
    changes: tuple[Change, ...] = ()
    shown: tuple[int, ...] = ()
    keep: tuple[int, ...] = ()
    from_change: bool = False
    probes: tuple[str, ...] = ()
    brief: bool = False
    run_up: float | None = None
    yields: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.last_step <= MOST_STEPS:
            raise ValueError(f"last_step = {self.last_step}: from 1 to {MOST_STEPS}")
        if not self.rates or not all(SLOWEST <= rate <= FASTEST for _, rate in self.rates):
            raise ValueError(f"rates = {self.rates}: from {SLOWEST} to {FASTEST:g} a second")
        if self.run_up is not None and not SLOWEST <= self.run_up <= FASTEST:
            raise ValueError(f"run_up = {self.run_up}: from {SLOWEST} to {FASTEST:g} a second")
        _ascending("rates", [until for until, _ in self.rates], MOST_SHOWN)
        _ascending("changes", [change.step for change in self.changes], MOST_PLANNED_CHANGES)
        _ascending("shown", self.shown, MOST_SHOWN)
        _ascending("keep", self.keep, MOST_KEPT)
        if self.changes and not self.changes[-1].step < self.last_step:
            raise ValueError(f"changes: each before step {self.last_step}")
        if self.brief and self.probes:
            raise ValueError("probes: none, where the steps shown are brief")

    def check(self, config: RunConfig) -> None:
        """Make sure that the plan suits a run; values of knobs are checked when they are set.

        Raises:
            ConfigError: a planned change is of a knob that is no live one, or has an action that is
                not allowed, or the weights to be kept take too much memory.
        """
        for change in self.changes:
            check_live(change.values)
            check_actions(change.values, config)
        size = weight_bytes(config) * len(self.keep)
        if size > MOST_KEPT_BYTES:
            most = MOST_KEPT_BYTES // 2**20
            fewer = phrase("errors.fewer_steps", size=f"{size / 2**20:.0f}", most=most)
            raise ConfigError("keep", list(self.keep), fewer)

    def after_change_by_hand(self) -> Plan:
        """The plan once a knob was set by hand: one that yields makes no further changes."""
        return replace(self, changes=()) if self.yields else self

    def rate(self, step: int, since: int) -> float:
        """Steps a second at `step`, where the last live change, or the start, was at `since`."""
        first = self.changes[0].step if self.changes else 0
        if self.run_up is not None and since == 0 and step < first - RUN_UP_ENDS:
            return self.run_up
        counted = step - since if self.from_change else step
        return next((rate for until, rate in self.rates if counted < until), self.rates[-1][1])


def check_steps(steps: int, every: int, changes: Sequence[Change]) -> None:
    """Make sure that a run can go through these steps and changes.

    Args:
        steps: optimization steps to take.
        every: steps between snapshots.
        changes: live changes on the way.

    Raises:
        ConfigError: a number is out of range, or the changes are out of order.
    """
    for name, value, least in (("steps", steps, 0), ("every", every, 1)):
        if value < least:
            raise ConfigError(name, value, phrase("errors.at_least", low=least))
    at = [change.step for change in changes]
    if at and (at[0] < 0 or at[-1] > steps or any(a > b for a, b in itertools.pairwise(at))):
        raise ConfigError("changes", at, phrase("errors.steps_ascending", high=steps))


def _ascending(field: str, steps: tuple[int, ...] | list[int], most: int) -> None:
    if len(steps) > most or any(a >= b for a, b in itertools.pairwise(steps)):
        raise ValueError(f"{field}: at most {most}, ascending, each step once")
    if any(step < 0 for step in steps):
        raise ValueError(f"{field}: steps from 0 on")
