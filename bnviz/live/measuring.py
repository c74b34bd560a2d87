"""When a run is measured, and with which probes: a budget in seconds, costs measured.

Cheap probes go into every frame. A dear one is measured as often as the budget allows, and twice a
second at least; between two measurements its last values travel on, with the step they belong to.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from bnviz.probes import PROBES
from bnviz.records import ProbeValues, Snapshot

if TYPE_CHECKING:
    from bnviz.experiment import Experiment

# Share of a worker's time that goes into measuring: little where it slows the run, much where the
# run waits for its pace anyway.
SHARE_FULL, SHARE_PACED = 0.1, 0.5
FRAMES_PER_SECOND = 15.0
# A frame is due after this long for each run that shares the worker, but at least so often, unless
# most of the run's time would go into frames.
GAP_PER_RUN, LONGEST_GAP = 0.09, 0.36
MOST_FRAMES_SHARE = 0.8
# So old may a dear probe's values get: it is measured before they would be older at the next frame.
LONGEST_AGE = 0.5
# A probe so dear that this share of all time would go into it twice a second is measured less.
DEAREST_SHARE = 0.25
# Weight of the newest cost in the average.
NEWEST = 0.3
BASE = "base"


class Measuring:
    """The budget of one run and the last values of its dear probes."""

    def __init__(self) -> None:
        self.cheap = tuple(name for name, probe in PROBES.items() if probe.default and probe.cheap)
        self.dear = tuple(
            name for name, probe in PROBES.items() if probe.default and not probe.cheap
        )
        self.costs: dict[str, float] = {}
        self._credit = 0.0
        self._runs = 1
        self._last_frame = -math.inf
        self._last_time = {name: -math.inf for name in self.dear}
        self._kept: dict[str, dict[str, tuple[int, ProbeValues]]] = {}

    def accrue(self, seconds: float, runs: int) -> None:
        """Earn seconds of measuring, being one of `runs`; what is not used is not hoarded."""
        self._credit = min(self._credit + seconds, 0.2)
        self._runs = runs

    def frame_due(self, now: float) -> bool:
        """Whether a run that steps faster than it is shown is due for a frame."""
        since = now - self._last_frame
        if since >= self._gap():
            return True
        return since >= 1 / FRAMES_PER_SECOND and self._credit >= self._cheap_cost()

    def measure(self, experiment: Experiment, now: float, *, everything: bool = False) -> Snapshot:
        """Measure what is due; dear probes that are not are filled in from before.

        Args:
            experiment: between two steps.
            now: seconds of a monotonic clock.
            everything: measure all default probes, whatever they cost.
        """
        names = self.cheap + (self.dear if everything else self._due(now))
        seconds: dict[str, float] = {}
        snapshot = experiment.snapshot(names, seconds=seconds)
        for name, spent in seconds.items():
            known = self.costs.get(name, spent)
            self.costs[name] = known + NEWEST * (spent - known)
        self._credit = max(self._credit - sum(seconds.values()), -0.2)
        self._last_frame = now
        for name in names:
            if name in self._last_time:
                self._last_time[name] = now
        return self._merged(snapshot)

    def _gap(self) -> float:
        """Seconds after which a frame is due whatever the budget says."""
        enough = min(LONGEST_GAP, GAP_PER_RUN * self._runs)
        return max(enough, self._cheap_cost() * self._runs / MOST_FRAMES_SHARE)

    def _cheap_cost(self) -> float:
        return sum(self.costs.get(name, 0.0) for name in (BASE, *self.cheap))

    def _due(self, now: float) -> tuple[str, ...]:
        """Dear probes to measure now, the longest unmeasured first."""
        credit = self._credit - self._cheap_cost()
        due = []
        for name in sorted(self.dear, key=self._last_time.__getitem__):
            cost, age = self.costs.get(name, 0.0), now - self._last_time[name]
            too_old = age + self._gap() >= LONGEST_AGE and age >= cost / DEAREST_SHARE
            if too_old or credit >= cost:
                due.append(name)
                credit -= cost
        return tuple(due)

    def _merged(self, snapshot: Snapshot) -> Snapshot:
        networks = {}
        for norm, record in snapshot.networks.items():
            kept = self._kept.setdefault(norm, {})
            for probe, values in record.probes.items():
                kept[probe] = (record.measured_at.get(probe, snapshot.step), values)
            networks[norm] = dataclasses.replace(
                record,
                probes={probe: values for probe, (_, values) in kept.items()},
                measured_at={probe: step for probe, (step, _) in kept.items()},
            )
        return dataclasses.replace(snapshot, networks=networks)
