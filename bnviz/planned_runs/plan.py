"""Plan of a run: its speed, its last step, and its changes, all set before the run starts.

Only the changes affect the results. They act like live changes: each takes effect at its step,
before the next update, and is logged and replayed.
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
# Speeds of a run that somebody watches, as pairs (step, steps per second). Each speed applies until
# its step, counted from the start or from the last change. The first speed is slow enough to follow
# a break that takes nine steps.
WATCH_RATES = ((50, 10.0), (200, 30.0))
# Pairs as in `WATCH_RATES`, for the run of the home page and for repeated runs.
REPEAT_RATES = (*WATCH_RATES, (600, 60.0))
# Number of steps that a repeated run takes after its last change.
REPEAT_AFTER_CHANGE = 200
MOST_STEPS = 100_000
MOST_PLANNED_CHANGES, MOST_SHOWN, MOST_KEPT = 200, 50, 8
# Number of steps from the end of a run-up (the fast steps before the first change) to the first
# change.
RUN_UP_ENDS = 15
# Maximum size of saved weights in bytes. It is limited because every checkpoint of the run contains
# them.
MOST_KEPT_BYTES = 24 * 2**20


@dataclass(frozen=True)
class Plan:
    """Schedule of a run.

    Attributes:
        rates: (until this step, steps per second), ascending; the last rate also applies later.
        last_step: step at which the run waits. If resumed, the run takes as many steps again.
        changes: automatic live changes, ascending by step, each before `last_step`.
        shown: steps that always get a frame, with all requested probes of that step.
        keep: steps whose weights are saved for the probe `cut`.
        from_change: whether `rates` count steps from the last live change, not from step 0.
        probes: requested probes in addition to the default probes and the probes of open charts.
        brief: whether frames at `shown` have only cheap probes, so that the run does not wait.
        run_up: steps per second until shortly before the first change, or None for `rates`.
        yields: whether a change by hand cancels the planned changes, even after a restart.

    Raises:
        ValueError: a field is out of order or out of range.
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
            raise ValueError(
                f"`last_step` must be between 1 and {MOST_STEPS}, got {self.last_step}."
            )
        if not self.rates or not all(SLOWEST <= rate <= FASTEST for _, rate in self.rates):
            raise ValueError(
                f"`rates` must not be empty, and each rate must be between {SLOWEST} and "
                f"{FASTEST:g} steps per second, got {self.rates}."
            )
        if self.run_up is not None and not SLOWEST <= self.run_up <= FASTEST:
            raise ValueError(
                f"`run_up` must be between {SLOWEST} and {FASTEST:g} steps per second, "
                f"got {self.run_up}."
            )
        _ascending("rates", [until for until, _ in self.rates], MOST_SHOWN)
        _ascending("changes", [change.step for change in self.changes], MOST_PLANNED_CHANGES)
        _ascending("shown", self.shown, MOST_SHOWN)
        _ascending("keep", self.keep, MOST_KEPT)
        if self.changes and not self.changes[-1].step < self.last_step:
            raise ValueError(
                f"`changes` must all come before the last step {self.last_step}, "
                f"got a change at step {self.changes[-1].step}."
            )
        if self.brief and self.probes:
            raise ValueError(f"`probes` must be empty if `brief` is True, got {self.probes}.")

    def check(self, config: RunConfig) -> None:
        """Check that the plan suits a run; values of knobs are checked when they are set.

        Raises:
            ConfigError: a knob is not live, an action is not allowed, or `keep` takes much memory.
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
        """Return the plan after a change by hand, without planned changes if the plan yields."""
        return replace(self, changes=()) if self.yields else self

    def rate(self, step: int, since: int) -> float:
        """Return the steps per second at `step`. `since` is the step of the last change, or 0."""
        first = self.changes[0].step if self.changes else 0
        if self.run_up is not None and since == 0 and step < first - RUN_UP_ENDS:
            return self.run_up
        counted = step - since if self.from_change else step
        return next((rate for until, rate in self.rates if counted < until), self.rates[-1][1])


def check_steps(steps: int, every: int, changes: Sequence[Change]) -> None:
    """Raise ConfigError if `steps` or `every` is out of range, or the changes are out of order."""
    for name, value, least in (("steps", steps, 0), ("every", every, 1)):
        if value < least:
            raise ConfigError(name, value, phrase("errors.at_least", low=least))
    at = [change.step for change in changes]
    if at and (at[0] < 0 or at[-1] > steps or any(a > b for a, b in itertools.pairwise(at))):
        raise ConfigError("changes", at, phrase("errors.steps_ascending", high=steps))


def _ascending(field: str, steps: tuple[int, ...] | list[int], most: int) -> None:
    if len(steps) > most or any(a >= b for a, b in itertools.pairwise(steps)):
        raise ValueError(
            f"`{field}` must have at most {most} entries, ascending by step and without repeated "
            f"steps, got {len(steps)} entries: {list(steps)[:most]}."
        )
    if any(step < 0 for step in steps):
        raise ValueError(f"`{field}` must not have negative steps, got {min(steps)}.")
