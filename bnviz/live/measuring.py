"""When a run is measured, and with which probes: a budget in seconds, costs measured.

Cheap probes go into every frame. A dear one is measured as often as the budget allows, and twice a
second at least unless it takes long; between two measurements its last values travel on, with the
step they belong to. Probes that not every page needs are measured while they are
wanted: while somebody has a chart open that draws them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

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
# A probe that takes longer holds everything up: it is measured for the sake of its age alone. Such
# ones take no more than these shares of what all runs of the worker may take for measuring: those
# that open charts draw all together, each other one by itself; more of it at full pace, where the
# whole is small and nobody sees a step come late.
LONG_SECONDS = 0.03
OPEN_SHARE, LONG_SHARE = 0.5, 0.2
OPEN_SHARE_FULL, LONG_SHARE_FULL = 1.0, 0.5
# Where a run stands still its dear probes are measured so many seconds at a time, at least one.
SLICE_SECONDS = 0.1
# Weight of the newest cost in the average.
NEWEST = 0.3
BASE = "base"

# What a frame measures: what is still of another step, at a run that stands still; what is due;
# every probe of the page that does not take long.
How = Literal["missing", "due", "full"]
HOW: tuple[How, ...] = ("missing", "due", "full")


class Measuring:
    """The budget of one run and the last values of its dear probes.

    Args:
        wanted: see `want`.
        typical: what probes cost in the runs of this process; read at first, added to.

    Attributes:
        wanted: those of them that not every page needs.
        costs: seconds that each probe takes, an average in favour of the newest.
    """

    def __init__(self, wanted: Iterable[str] = (), typical: dict[str, float] | None = None) -> None:
        self.wanted: tuple[str, ...] = ()
        self._asked: set[str] = set()
        self.cheap: tuple[str, ...] = ()
        self.dear: tuple[str, ...] = ()
        self._typical = {} if typical is None else typical
        self.costs = dict(self._typical)
        self._credit = 0.0
        self._share = SHARE_FULL
        self._runs = 1
        self._last_frame = -math.inf
        # When and at which step a probe was last measured.
        self._last: dict[str, tuple[float, int]] = {}
        self._kept: dict[str, dict[str, tuple[int, ProbeValues]]] = {}
        self.want(wanted)

    def want(self, probes: Iterable[str]) -> None:
        """Open charts draw these probes: measure them from now on, and those of every page."""
        self._asked = asked = set(probes)
        self.wanted = tuple(n for n, entry in PROBES.items() if n in asked and not entry.page)
        names = [n for n, entry in PROBES.items() if entry.page or n in self.wanted]
        self.cheap = tuple(name for name in names if PROBES[name].cheap)
        self.dear = tuple(name for name in names if not PROBES[name].cheap)
        # What nobody looks at any more would only grow old in every frame.
        self._last = {name: last for name, last in self._last.items() if name in names}
        for kept in self._kept.values():
            for gone in kept.keys() - set(names):
                del kept[gone]

    def accrue(self, seconds: float, share: float, runs: int) -> None:
        """Earn time for measuring; what is not used is not hoarded.

        Args:
            seconds: that have passed.
            share: of them that may go into measuring all runs of the worker.
            runs: how many there are that work.
        """
        self._credit = min(self._credit + seconds * share / runs, 0.2)
        self._share, self._runs = share, runs

    def frame_due(self, now: float) -> bool:
        """Whether a run that steps faster than it is shown is due for a frame."""
        since = now - self._last_frame
        if since >= self._gap():
            return True
        return since >= 1 / FRAMES_PER_SECOND and self._credit >= self._cheap_cost()

    def missing(self, step: int) -> tuple[str, ...]:
        """The probes whose values, if there are any, are of another step."""
        return tuple(n for n in (*self.cheap, *self.dear) if self._last.get(n, (0, -1))[1] != step)

    def measure(self, experiment: Experiment, now: float, how: How = "due") -> Snapshot:
        """Measure; dear probes that are not are filled in from before.

        Args:
            experiment: between two steps.
            now: seconds of a monotonic clock.
            how: what to measure.
        """
        names = self._chosen(experiment.step_number, now, how)
        seconds: dict[str, float] = {}
        snapshot = experiment.snapshot(names, seconds=seconds)
        for name, spent in seconds.items():
            known = self.costs.get(name, spent)
            self.costs[name] = known + NEWEST * (spent - known)
        self._typical.update(self.costs)
        self._credit = max(self._credit - sum(seconds.values()), -0.2)
        self._last_frame = now
        self._last.update(dict.fromkeys(names, (now, snapshot.step)))
        return self._merged(snapshot)

    def _chosen(self, step: int, now: float, how: How) -> tuple[str, ...]:
        if how == "due":
            return self.cheap + self._due(now)
        if how == "missing":
            return self._slice(self.missing(step))
        short = (n for n in self.dear if self.costs.get(n, 0.0) <= SLICE_SECONDS)
        return self.cheap + tuple(name for name in short if name not in self.wanted)

    def _slice(self, names: Iterable[str]) -> tuple[str, ...]:
        """As many of the probes as take a slice of time together; the first one in any case."""
        chosen: list[str] = []
        seconds = 0.0
        for name in names:
            # What a probe costs that was never measured only its measurement can tell.
            seconds += self.costs.get(name, 0.0 if PROBES[name].cheap else SLICE_SECONDS)
            if chosen and seconds > SLICE_SECONDS:
                break
            chosen.append(name)
        return tuple(chosen)

    def _gap(self) -> float:
        """Seconds after which a frame is due whatever the budget says."""
        enough = min(LONGEST_GAP, GAP_PER_RUN * self._runs)
        return max(enough, self._cheap_cost() * self._runs / MOST_FRAMES_SHARE)

    def _cheap_cost(self) -> float:
        return sum(self.costs.get(name, 0.0) for name in (BASE, *self.cheap))

    def _due(self, now: float) -> tuple[str, ...]:
        """Dear probes to measure now, the longest unmeasured first."""
        credit = self._credit - self._cheap_cost()
        ages = {name: now - self._last.get(name, (-math.inf, -1))[0] for name in self.dear}
        asked = [n for n in self.dear if n in self._asked and self.costs.get(n, 0.0) > LONG_SECONDS]
        full = self._share == SHARE_FULL
        opened = (OPEN_SHARE_FULL if full else OPEN_SHARE) / max(1, len(asked))
        other = LONG_SHARE_FULL if full else LONG_SHARE
        due = []
        for name in sorted(self.dear, key=ages.__getitem__, reverse=True):
            cost = self.costs.get(name, 0.0)
            too_old = ages[name] + self._gap() >= LONGEST_AGE
            if cost > LONG_SECONDS:
                share = self._share * (opened if name in asked else other)
                wanted = too_old and ages[name] >= cost * self._runs / share
            else:
                wanted = too_old or credit >= cost
            if wanted:
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
