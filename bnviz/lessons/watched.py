"""A run as a verdict reads it: what was measured at which step, and what was changed."""

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
from bnviz.planned_runs.comparison import ComparisonResult, Curve, Value
from bnviz.records import Change, NetworkRecord, Snapshot, reached

# A step before the first change.
BEFORE_ALL = -1


class NotMeasured(LookupError):
    """A verdict needs what was not measured at the step at which it needs it."""


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A run that was watched.

    Attributes:
        snapshots: what was measured, ascending by step.
        config: the knobs with which it began.
        changes: the live changes that took effect, in order, planned ones included.
        ended: whether the run goes no further, wherever it stands.
        compared: what was measured so far where the run is several, one after another; None: it is
            one. `snapshots` are those of the last one then, `config` is that of the first.
    """

    snapshots: Sequence[Snapshot]
    config: RunConfig
    changes: Sequence[Change] = ()
    ended: bool = False
    compared: ComparisonResult | None = None

    @functools.cached_property
    def _steps(self) -> list[int]:
        # Records of a live run know their steps without being read.
        known: list[int] | None = getattr(self.snapshots, "steps", None)
        return [snapshot.step for snapshot in self.snapshots] if known is None else known

    @property
    def last_step(self) -> int:
        """The last step that was measured; -1 where nothing was."""
        return self._steps[-1] if self._steps else -1

    @property
    def stands_still(self) -> bool:
        """Whether a network takes no steps at the end: its norm needs a larger mini-batch."""
        if not self._steps:
            return False
        return any(record.undefined_norm for record in self.snapshots[-1].networks.values())

    def snapshot(self, step: int) -> Snapshot:
        """Return the snapshot of one step; if there are several, the last.

        A run that waits is measured again, which may bring probes that came late.

        Raises:
            NotMeasured: there is no snapshot of that step.
        """
        index = bisect_right(self._steps, step) - 1
        if index < 0 or self._steps[index] != step:
            raise NotMeasured(f"step {step}")
        return self.snapshots[index]

    def at(self, step: int, network: str) -> NetworkRecord:
        """One network at one step.

        Raises:
            NotMeasured: there is no snapshot of that step, or none of that network.
        """
        try:
            return self.snapshot(step).networks[network]
        except KeyError:
            raise NotMeasured(network) from None

    def accuracy(self, step: int, network: str) -> float:
        """Test accuracy, 0 to 1; 0 for a network whose outputs are not finite."""
        return reached(self.at(step, network).test_accuracy)

    def mean_accuracy(self, steps: Sequence[int], network: str) -> float:
        """The mean of the test accuracies at some steps: single ones jump up and down."""
        return fmean(self.accuracy(step, network) for step in steps)

    def last_accuracy(self, network: str) -> float:
        """Test accuracy at the last step."""
        return self.accuracy(self.last_step, network)

    def accuracies_at(self, step: int) -> dict[str, float]:
        """Test accuracy of each network at one step."""
        return {norm: self.accuracy(step, norm) for norm in self.config.norms}

    def accuracies(self, network: str, first: int, last: int) -> dict[int, float]:
        """Test accuracy by step, of every measured one from `first` to `last`."""
        found = range(bisect_left(self._steps, first), bisect_left(self._steps, last + 1))
        return {
            self._steps[index]: reached(self.snapshots[index].networks[network].test_accuracy)
            for index in found
            if network in self.snapshots[index].networks
        }

    def value(self, step: int, network: str, probe: str, key: str) -> np.ndarray:
        """One value of a probe, measured at that very step.

        Raises:
            NotMeasured: it was not, or at another step.
        """
        values = self.at(step, network).measured(probe, step) or {}
        if key not in values:
            raise NotMeasured(f"{probe} at step {step}")
        return np.asarray(values[key], dtype=np.float64)

    def curve(self, value: Value, network: str) -> Curve:
        """One network's curve in one of several runs, by the name of its setting.

        Raises:
            NotMeasured: that run has not ended.
        """
        if self.compared is None:
            raise NotMeasured(f"{value}")
        try:
            return self.compared.curve(value, network)
        except KeyError:
            raise NotMeasured(f"{value}") from None

    def knob(self, name: str, step: int) -> Any:
        """What a knob is when the step after so many updates is taken."""
        return _knobs_at({name: getattr(self.config, name)}, self.changes, step)[name]

    def changed_knobs(
        self, config: RunConfig, changes: Sequence[Change], until: int, free: Sequence[str] = ()
    ) -> dict[str, tuple[Any, Any]]:
        """The knobs that were not, before step `until`, as another run has them.

        Args:
            config: with which that run begins; its seed and device do not matter.
            changes: its live changes.
            until: knobs set at this step or later act on nothing that counts; what was done to
                the networks there is in what was measured there.
            free: knobs that do not matter either.

        Returns:
            By knob: what it is there, and what it was here; where it differs at several steps, at
            the last of them. By action that was done at other steps or otherwise: how often it is
            done there, and was here.
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
    """The knobs with which the step after `step` updates is taken."""
    knobs = dict(start)
    for change in changes:
        if change.step <= step:
            knobs |= knobs_in(change.values)
    return knobs


def _done(action: str, changes: Sequence[Change], until: int) -> list[tuple[int, Any]]:
    """When an action was done up to a step, and with what."""
    return [
        (change.step, change.values[action]) for change in changes
        if change.step <= until and action in change.values
    ]  # fmt: skip
