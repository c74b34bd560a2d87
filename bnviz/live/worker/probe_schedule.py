"""Measurement schedule of a run: when to measure which probes, within a time budget.

Cheap probes are measured for every frame. An expensive probe is measured as often as the budget
allows, and at least twice per second unless it takes long. In between, each frame repeats the last
values of the probe, with their step. Another process measures slow probes, and probes whose cost is
unknown. Probes that are not shown by default are measured while an open chart draws them.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from bnviz.config import RunConfig
from bnviz.frozen_run import BASE
from bnviz.live.protocol.frames import FRAMES_PER_SECOND
from bnviz.probes import PROBES
from bnviz.recently_used import RecentlyUsed
from bnviz.records import ProbeValues, Snapshot

# Share of a worker's time spent on measuring. It is small at full pace, where measuring slows the
# run down, and large at a set pace, where the run would wait anyway.
SHARE_FULL, SHARE_PACED = 0.1, 0.5
# Seconds between two frames: `GAP_PER_RUN` for each run on the worker, up to `LONGEST_GAP`. The gap
# is longer if frames would otherwise take more than `MOST_FRAMES_SHARE` of the run's time.
GAP_PER_RUN, LONGEST_GAP = 0.09, 0.7
MOST_FRAMES_SHARE = 0.8
# Maximum seconds between two measurements of an expensive probe. The interval may be longer if the
# probe would otherwise take more than a certain share of the time of all runs. One share applies at
# a set pace, the other at full pace.
LONGEST_AGE = 0.5
EXPENSIVE_SHARE_PACED, EXPENSIVE_SHARE_FULL = 0.15, 0.1
# Minimum seconds per measurement that make a probe slow, so that another process measures it. Slow
# probes of open charts share `OPEN_SHARE` of that process's time. Each other slow probe gets
# `LONG_SHARE`.
LONG_SECONDS = 0.03
OPEN_SHARE, LONG_SHARE = 0.5, 0.2
# Maximum total seconds of the slow probes in one request. A single probe may take longer.
REQUEST_SECONDS = 0.1
# Maximum credit and maximum debt for measuring, in seconds.
MOST_CREDIT = 0.2
# Weight of the newest cost in the running average of costs.
NEWEST = 0.3
# Key for the cost of a whole frame, which includes its cheap probes and its encoding.
FRAME = "frame"
# Maximum number of network structures whose probe costs are stored.
MOST_STRUCTURES = 200
# Stand-in for the time and step of the last measurement of a probe that was never measured.
NEVER = (-math.inf, -1)

# Which probes to measure for a frame. "missing": probes without values of the current step, for a
# run that is not stepping. "due": probes that are due. "full": all default probes that are not
# slow.
FrameScope = Literal["missing", "due", "full"]
FRAME_SCOPES: tuple[FrameScope, ...] = ("missing", "due", "full")

Costs = dict[str, float]


class ProbeSchedule:
    """Measuring budget of one run, and the last values of its probes.

    Attributes:
        wanted: probes that open charts draw and that are not default probes.
        cheap: probes that are measured for every frame.
        costs: average seconds per probe and per frame (`FRAME`). Newer costs have larger weights.
        credit: seconds of measuring that the run may still use; negative if it has used too many.
        under_way: slow probes that are being measured.
    """

    def __init__(self, wanted: Iterable[str] = (), typical: Costs | None = None) -> None:
        """Start without values. `typical` has the costs in similar runs; this run updates it."""
        self._typical = {} if typical is None else typical
        self.costs = dict(self._typical)
        self.credit = 0.0
        self.runs = 1.0
        self._full_pace = True
        self._last_frame = -math.inf
        # The first dict contains the time and step of the last measurement of each probe. The
        # second contains the step and values, by network and probe.
        self._last: dict[str, tuple[float, int]] = {}
        self._values: dict[str, dict[str, tuple[int, ProbeValues]]] = {}
        self.under_way: tuple[str, ...] = ()
        # Slow probes that are no longer requested, because their measurement failed.
        self._given_up: set[str] = set()
        self.want(wanted)

    def want(self, probes: Iterable[str]) -> None:
        """Set the probes of open charts, to be measured in addition to the default probes."""
        self._drawn = drawn = set(probes)
        names = [n for n, entry in PROBES.items() if entry.default_view or n in drawn]
        self.wanted = tuple(name for name in names if not PROBES[name].default_view)
        self.cheap = tuple(name for name in names if PROBES[name].cheap)
        self.expensive = tuple(name for name in names if not PROBES[name].cheap)
        self._measured = self.cheap + self.expensive
        # Drop the values of probes that no chart draws any more. Otherwise every frame would repeat
        # these values.
        self._last = {name: last for name, last in self._last.items() if name in names}
        self._values = {
            norm: {name: last for name, last in known.items() if name in names}
            for norm, known in self._values.items()
        }

    # The budget.

    def accrue(self, seconds: float, runs: float, *, full_pace: bool) -> None:
        """Add this run's part of `seconds` to its budget, if `runs` working runs share the time."""
        share = SHARE_FULL if full_pace else SHARE_PACED
        self.credit = min(self.credit + seconds * share / runs, MOST_CREDIT)
        self.runs, self._full_pace = runs, full_pace

    def charge(self, seconds: float) -> None:
        self.credit = max(self.credit - seconds, -MOST_CREDIT)

    def frame_due(self, now: float) -> bool:
        """Return whether a frame is due, at a pace that is too fast for a frame of every step."""
        since = now - self._last_frame
        if since >= self.gap():
            return True
        return since >= 1 / FRAMES_PER_SECOND and self.credit >= self._frame_cost()

    def keeps_up(self, now: float) -> bool:
        """Return whether there is time for a frame of the current step."""
        return self.credit >= 0 or now - self._last_frame >= self.gap()

    def gap(self) -> float:
        """Return the seconds after the last frame at which a frame is due even without credit."""
        enough = min(LONGEST_GAP, GAP_PER_RUN * self.runs)
        return max(enough, self._frame_cost() * self.runs / MOST_FRAMES_SHARE)

    def _frame_cost(self) -> float:
        parts = (self.costs.get(name, 0.0) for name in (BASE, *self.cheap))
        return max(self.costs.get(FRAME, 0.0), sum(parts))

    # Choice of probes.

    def unmeasured(self, step: int, *, slow: bool | None = None) -> tuple[str, ...]:
        """Return the probes without values of this step. Skip probes whose measurement has failed.

        `slow` selects slow probes (True), other probes (False) or all probes (None).
        """
        missing = [
            name for name in self._measured
            if self._last.get(name, NEVER)[1] != step and name not in self._given_up
        ]  # fmt: skip
        return tuple(name for name in missing if slow in (None, self._is_slow(name)))

    def choose(self, step: int, now: float, scope: FrameScope, *, urgent: bool) -> tuple[str, ...]:
        """Return the probes to measure for a frame. An urgent "due" frame has only cheap probes."""
        if scope == "due":
            return self.cheap if urgent else self.cheap + self._due(now)
        if scope == "missing":
            return self.unmeasured(step, slow=False)
        short = (name for name in self.expensive if not self._is_slow(name))
        return self.cheap + tuple(name for name in short if name not in self.wanted)

    def slow_due(self, step: int, now: float, *, standing: bool) -> tuple[str, ...]:
        """Return the slow probes of the next request, from oldest to newest values.

        If the run is not stepping (`standing`), each slow probe is due once at the current step.
        """
        if self.under_way:
            return ()
        candidates = [
            name for name in self.unmeasured(step, slow=True)
            if standing or self._age(name, now) >= self._period(name)
        ]  # fmt: skip
        chosen: list[str] = []
        seconds = 0.0
        for name in sorted(candidates, key=lambda name: self._last.get(name, NEVER)[0]):
            seconds += self.costs.get(name, REQUEST_SECONDS)
            if chosen and seconds > REQUEST_SECONDS:
                break
            chosen.append(name)
        return tuple(chosen)

    def next_slow_due(self, now: float) -> float:
        """Return when the next slow probe of a stepping run is due, on the clock of `now`."""
        if self.under_way:
            return math.inf
        names = [n for n in self.expensive if self._is_slow(n) and n not in self._given_up]
        waits = (self._period(n) - self._age(n, now) for n in names)
        return now + max(0.0, min(waits, default=math.inf))

    def _is_slow(self, name: str) -> bool:
        """Return whether a probe is slow. A probe that was never measured counts as slow."""
        return not PROBES[name].cheap and self.costs.get(name, math.inf) > LONG_SECONDS

    def _age(self, name: str, now: float) -> float:
        return now - self._last.get(name, NEVER)[0]

    def _period(self, name: str) -> float:
        """Return the seconds between two measurements of a slow probe while the run steps."""
        drawn = [n for n in self.expensive if n in self._drawn and self._is_slow(n)]
        share = OPEN_SHARE / len(drawn) if name in drawn else LONG_SHARE
        return max(LONGEST_AGE, self.costs.get(name, 0.0) * self.runs / share)

    def _due(self, now: float) -> tuple[str, ...]:
        """Return the expensive probes that are due in a frame, from oldest to newest values."""
        credit = self.credit - self._frame_cost()
        share = EXPENSIVE_SHARE_FULL if self._full_pace else EXPENSIVE_SHARE_PACED
        next_frame = min(self.gap(), LONGEST_AGE)
        due = []
        names = [name for name in self.expensive if not self._is_slow(name)]
        for name in sorted(names, key=lambda name: self._age(name, now), reverse=True):
            cost, age = self.costs[name], self._age(name, now)
            too_old = age + next_frame >= LONGEST_AGE and age >= cost * self.runs / share
            if too_old or credit >= cost:
                due.append(name)
                credit -= cost
        return tuple(due)

    # Measured values.

    def frame_began(self, now: float) -> None:
        self._last_frame = now

    def complete(self, snapshot: Snapshot, seconds: Mapping[str, float], now: float) -> Snapshot:
        """Store a frame's values. Return its snapshot, with older values of unmeasured probes."""
        self.learn_costs(seconds)
        # Some of the measured probes may no longer be wanted.
        for name in seconds.keys() & self._measured:
            self._last[name] = (now, snapshot.step)
        self._add_values(
            snapshot.step, {norm: record.probes for norm, record in snapshot.networks.items()}
        )
        networks = {
            norm: dataclasses.replace(
                record,
                probes={probe: values for probe, (_, values) in self._values[norm].items()},
                measured_at={probe: step for probe, (step, _) in self._values[norm].items()},
            )
            for norm, record in snapshot.networks.items()
        }
        return dataclasses.replace(snapshot, networks=networks)

    def take_slow(
        self,
        step: int,
        found: Mapping[str, Mapping[str, ProbeValues]],
        seconds: Mapping[str, float],
        now: float,
    ) -> None:
        """Store the values of slow probes, by norm and probe, for the next frame.

        `now` is the time at which the values were requested.
        """
        self.learn_costs(seconds)
        self.under_way = ()
        for name in seconds.keys() & self._measured:
            if step >= self._last.get(name, NEVER)[1]:
                self._last[name] = (now, step)
        self._add_values(step, found)

    def _add_values(self, step: int, found: Mapping[str, Mapping[str, ProbeValues]]) -> None:
        """Store the wanted values by norm and probe, unless newer values are known."""
        for norm, values in found.items():
            known = self._values.setdefault(norm, {})
            for probe in values.keys() & self._measured:
                if step >= known.get(probe, (-1, {}))[0]:
                    known[probe] = (step, values[probe])

    def give_up(self, names: Iterable[str]) -> None:
        """Stop requesting these slow probes, because their measurement failed."""
        self._given_up.update(names)
        self.under_way = ()

    def learn_costs(self, seconds: Mapping[str, float]) -> None:
        for name, spent in seconds.items():
            known = self.costs.get(name, spent)
            self.costs[name] = self._typical[name] = known + NEWEST * (spent - known)


class ProbedStructure(NamedTuple):
    """Properties of networks that determine how long a probe takes: their kind and their size."""

    kind: tuple[object, ...]
    activation: str
    norms: frozenset[str]
    sizes: tuple[int, ...]

    def covers(self, other: ProbedStructure) -> bool:
        """Return whether `other` has the same kind, no additional norms and no larger sizes."""
        smaller = all(map(operator.le, other.sizes, self.sizes))
        return self.kind == other.kind and other.norms <= self.norms and smaller


class TypicalCosts:
    """Costs of probes by the structure of the networks, as a first estimate for new runs."""

    def __init__(self) -> None:
        self._costs: RecentlyUsed[ProbedStructure, Costs] = RecentlyUsed(MOST_STRUCTURES)

    def of(self, config: RunConfig) -> Costs:
        """Return the costs in runs with this structure. Such runs share and update one dict."""
        key = ProbedStructure(
            (config.network, config.dataset, config.sequence), config.activation,
            frozenset(config.norms), (config.depth, config.width, config.batch_size),
        )  # fmt: skip
        costs = self._costs.use(key)
        if costs is None:
            # Measuring a network takes at most as long as measuring a larger network of the same
            # kind.
            larger = next((known for known in self._costs if known.covers(key)), None)
            costs = {} if larger is None else dict(self._costs.get(larger) or {})
            self._costs.put(key, costs)
        return costs
