"""Measurements and changes of a run, from which a verdict is made."""

from __future__ import annotations

import functools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from bnviz.actions import ACTIONS, knobs_in
from bnviz.config import RunConfig
from bnviz.planned_runs.comparison import ComparisonResult, Curve, VariedValue
from bnviz.records import Change, NetworkRecord, Snapshot, reached

# Step number that is lower than the step of any change.
BEFORE_ALL = -1


class NotMeasured(LookupError):
    """Missing measurement that a verdict needs."""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """Measurements and changes of a run.

    Attributes:
        snapshots: snapshots, ascending by step; in a comparison, only those of its latest run.
        config: config of the run; in a comparison, of its first run.
        changes: live changes that took effect, in order, including planned ones.
        ended: whether the run is over, even if it ended early.
        compared: the results of a comparison so far, or None for a single run.
    """

    snapshots: Sequence[Snapshot]
    config: RunConfig
    changes: Sequence[Change] = ()
    ended: bool = False
    compared: ComparisonResult | None = None

    @functools.cached_property
    def _steps(self) -> list[int]:
        # A live run provides a list of the steps of its snapshots, so that the snapshots do not
        # have to be decoded.
        known: list[int] | None = getattr(self.snapshots, "steps", None)
        return [snapshot.step for snapshot in self.snapshots] if known is None else known

    @property
    def last_step(self) -> int:
        """Last measured step, or -1 if nothing was measured."""
        return self._steps[-1] if self._steps else -1

    @property
    def stands_still(self) -> bool:
        """Return whether a norm is undefined for the last mini-batch and its network is paused."""
        if not self._steps:
            return False
        return any(record.undefined_norm for record in self.snapshots[-1].networks.values())

    def snapshot(self, step: int) -> Snapshot:
        """Return the latest snapshot of a step; raise NotMeasured if there is none.

        A paused run can be measured again, and the later snapshot may have additional probes.
        """
        index = bisect_right(self._steps, step) - 1
        if index < 0 or self._steps[index] != step:
            raise NotMeasured(f"step {step}")
        return self.snapshots[index]

    def at(self, step: int, network: str) -> NetworkRecord:
        """Return the record of one network at one step; raise NotMeasured if it is missing."""
        try:
            return self.snapshot(step).networks[network]
        except KeyError:
            raise NotMeasured(network) from None

    def accuracy(self, step: int, network: str) -> float:
        """Return the test accuracy, 0 to 1, or 0 if outputs are not finite."""
        return reached(self.at(step, network).test_accuracy)

    def mean_accuracy(self, steps: Sequence[int], network: str) -> float:
        """Average test accuracies over some steps, because accuracy fluctuates between steps."""
        return fmean(self.accuracy(step, network) for step in steps)

    def last_accuracy(self, network: str) -> float:
        return self.accuracy(self.last_step, network)

    def accuracies_at(self, step: int) -> dict[str, float]:
        return {norm: self.accuracy(step, norm) for norm in self.config.norms}

    def accuracies(self, network: str, first: int, last: int) -> dict[int, float]:
        """Return the test accuracy at every measured step from `first` to `last`."""
        found = range(bisect_left(self._steps, first), bisect_left(self._steps, last + 1))
        return {
            self._steps[index]: reached(self.snapshots[index].networks[network].test_accuracy)
            for index in found
            if network in self.snapshots[index].networks
        }

    def value(self, step: int, network: str, probe: str, key: str) -> np.ndarray:
        """Return one value of a probe; raise NotMeasured if that value is missing at this step."""
        values = self.at(step, network).measured(probe, step) or {}
        if key not in values:
            raise NotMeasured(f"{probe} at step {step}")
        return np.asarray(values[key], dtype=np.float64)

    def curve(self, value: VariedValue, network: str) -> Curve:
        """Return a network's curve in a comparison's run; raise NotMeasured if it has not ended."""
        if self.compared is None:
            raise NotMeasured(f"{value}")
        try:
            return self.compared.curve(value, network)
        except KeyError:
            raise NotMeasured(f"{value}") from None

    def knob(self, name: str, step: int) -> Any:
        """Return the value of a knob for the update after `step`."""
        return _knobs_at({name: getattr(self.config, name)}, self.changes, step)[name]

    def changed_knobs(
        self, config: RunConfig, changes: Sequence[Change], until: int, free: Sequence[str] = ()
    ) -> dict[str, tuple[Any, Any]]:
        """Return the knobs that differ from another run, as (other run's value, value here) by
        name.

        If a knob differs at several steps, the last difference counts. For an action that differs,
        the values are the numbers of times it is applied. Seed, device and `free` are ignored.

        Args:
            config: initial settings of the other run.
            until: knobs set from this step on do not count, but actions at this step do.
        """
        theirs, ours = config.model_dump(), self.config.model_dump()
        counted = [name for name in theirs if name not in ("seed", "device", *free)]
        changed: dict[str, tuple[Any, Any]] = {}
        steps = {change.step for change in (*changes, *self.changes) if change.step < until}
        for step in (BEFORE_ALL, *sorted(steps)):
            there = _knobs_at(theirs, changes, step)
            here = _knobs_at(ours, self.changes, step)
            changed |= {n: (there[n], here[n]) for n in counted if there[n] != here[n]}
        for name in (each for each in ACTIONS if each not in free):
            wanted, done = (_done(name, log, until) for log in (changes, self.changes))
            if wanted != done:
                changed[name] = (len(wanted), len(done))
        return changed


def _knobs_at(start: Mapping[str, Any], changes: Sequence[Change], step: int) -> dict[str, Any]:
    knobs = dict(start)
    for change in changes:
        if change.step <= step:
            knobs |= knobs_in(change.values)
    return knobs


def _done(action: str, changes: Sequence[Change], until: int) -> list[tuple[int, Any]]:
    """Return the step and value of each use of an action up to step `until`."""
    return [
        (change.step, change.values[action]) for change in changes
        if change.step <= until and action in change.values
    ]  # fmt: skip
