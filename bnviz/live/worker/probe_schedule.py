"""When a run is measured, and with which probes: a budget in seconds, costs measured.

Cheap probes are measured for every frame. An expensive probe is measured as often as the budget
allows, and at least twice a second unless it takes long; between two measurements every frame
repeats its last values, with the step at which they were measured. Slow probes, and those that were
never measured on such a network, are measured in another process. Probes that not every page draws
are measured while they are wanted, that is, while somebody has a chart open that draws them.
"""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from bnviz.config import RunConfig
from bnviz.frozen_run import BASE
from bnviz.probes import PROBES
from bnviz.recent import RecentlyUsed
from bnviz.records import ProbeValues, Snapshot

# Share of a worker's time that goes into measuring: little where it slows the run, much where the
# run waits for its pace anyway.
SHARE_FULL, SHARE_PACED = 0.1, 0.5
FRAMES_PER_SECOND = 15.0
# Seconds between two frames: this many for each run that shares the worker, at most so many in all,
# and more where frames would otherwise take more than this share of the run's time.
GAP_PER_RUN, LONGEST_GAP = 0.09, 0.7
MOST_FRAMES_SHARE = 0.8
# An expensive probe is measured before its values are this many seconds old, as long as it takes no
# more than this share of the time of all runs.
LONGEST_AGE = 0.5
EXPENSIVE_SHARE_PACED, EXPENSIVE_SHARE_FULL = 0.15, 0.1
# A probe that takes more seconds than this is slow: it is measured in another process. Of that
# process's time the slow probes that open charts draw take the first share together, and each other
# one takes the second.
LONG_SECONDS = 0.03
OPEN_SHARE, LONG_SHARE = 0.5, 0.2
# The slow probes of one request take this many seconds together at most, unless it is one alone.
REQUEST_SECONDS = 0.1
# The credit for measuring, or the debt, is never more seconds than this.
MOST_CREDIT = 0.2
# Weight of the newest cost in the average.
NEWEST = 0.3
# The name under which costs have a whole frame of cheap probes, encoded.
FRAME = "frame"
# Structures of networks whose costs are remembered.
MOST_STRUCTURES = 200
# When and at which step a probe was measured that never was.
NEVER = (-math.inf, -1)

# What a frame measures: "missing", where a run stands still, what has no values of this step;
# "due" what is due; "full" every probe of the page that is not slow.
FrameScope = Literal["missing", "due", "full"]
FRAME_SCOPES: tuple[FrameScope, ...] = ("missing", "due", "full")

Costs = dict[str, float]


class ProbeSchedule:
    """The measuring budget of one run, and the last values of its probes.

    Attributes:
        wanted: the probes that open charts draw and that not every page draws.
        cheap: the probes of every frame.
        expensive: the others.
        costs: seconds that each probe takes, an average in favour of the newest; also those of a
            whole frame, under `FRAME`.
        runs: how many working runs share this one's worker.
        credit: seconds of measuring that the run has earned and not used; below 0 a debt.
        under_way: slow probes that are being measured.
    """

    def __init__(self, wanted: Iterable[str] = (), typical: Costs | None = None) -> None:
        """Begin with nothing measured.

        Args:
            wanted: the probes that open charts draw.
            typical: what probes cost in runs of the same structure; read at first, updated later.
        """
        self._typical = {} if typical is None else typical
        self.costs = dict(self._typical)
        self.credit = 0.0
        self.runs = 1.0
        self._full_pace = True
        self._last_frame = -math.inf
        # When and at which step a probe was last measured; by network, its step and its values.
        self._last: dict[str, tuple[float, int]] = {}
        self._values: dict[str, dict[str, tuple[int, ProbeValues]]] = {}
        self.under_way: tuple[str, ...] = ()
        # Slow probes whose measurement failed.
        self._given_up: set[str] = set()
        self.want(wanted)

    def want(self, probes: Iterable[str]) -> None:
        """Measure from now on the probes that open charts draw, and those of every page."""
        self._drawn = drawn = set(probes)
        names = [n for n, entry in PROBES.items() if entry.default_view or n in drawn]
        self.wanted = tuple(name for name in names if not PROBES[name].default_view)
        self.cheap = tuple(name for name in names if PROBES[name].cheap)
        self.expensive = tuple(name for name in names if not PROBES[name].cheap)
        self._measured = self.cheap + self.expensive
        # Drop values that no chart draws any more: every frame would repeat them, ever older.
        self._last = {name: last for name, last in self._last.items() if name in names}
        self._values = {
            norm: {name: last for name, last in known.items() if name in names}
            for norm, known in self._values.items()
        }

    # The budget.

    def accrue(self, seconds: float, runs: float, *, full_pace: bool) -> None:
        """Earn time for measuring.

        Args:
            seconds: that the worker had for its runs.
            runs: how many of them work; all maps together count as less than one.
            full_pace: whether the run steps as fast as it can.
        """
        share = SHARE_FULL if full_pace else SHARE_PACED
        self.credit = min(self.credit + seconds * share / runs, MOST_CREDIT)
        self.runs, self._full_pace = runs, full_pace

    def charge(self, seconds: float) -> None:
        self.credit = max(self.credit - seconds, -MOST_CREDIT)

    def frame_due(self, now: float) -> bool:
        """Whether a frame is due at a pace at which not every step has one."""
        since = now - self._last_frame
        if since >= self.gap():
            return True
        return since >= 1 / FRAMES_PER_SECOND and self.credit >= self._frame_cost()

    def keeps_up(self, now: float) -> bool:
        """Whether there is time for a frame of the present step."""
        return self.credit >= 0 or now - self._last_frame >= self.gap()

    def gap(self) -> float:
        """Seconds after the last frame at which the next one is due, whatever the credit is."""
        enough = min(LONGEST_GAP, GAP_PER_RUN * self.runs)
        return max(enough, self._frame_cost() * self.runs / MOST_FRAMES_SHARE)

    def _frame_cost(self) -> float:
        parts = (self.costs.get(name, 0.0) for name in (BASE, *self.cheap))
        return max(self.costs.get(FRAME, 0.0), sum(parts))

    # What to measure.

    def unmeasured(self, step: int, *, slow: bool | None = None) -> tuple[str, ...]:
        """The probes without values of this step, if measuring them has not failed.

        Args:
            step: that the run is at.
            slow: only the slow ones, or only the others; None: all.
        """
        missing = [
            name for name in self._measured
            if self._last.get(name, NEVER)[1] != step and name not in self._given_up
        ]  # fmt: skip
        return tuple(name for name in missing if slow in (None, self._is_slow(name)))

    def choose(self, step: int, now: float, scope: FrameScope, *, urgent: bool) -> tuple[str, ...]:
        """The probes to measure for a frame.

        Args:
            step: that the run is at.
            now: seconds of the monotonic clock.
            scope: see `FrameScope`.
            urgent: somebody waits for the frame: of the probes that are due the cheap ones alone.
        """
        if scope == "due":
            return self.cheap if urgent else self.cheap + self._due(now)
        if scope == "missing":
            return self.unmeasured(step, slow=False)
        short = (name for name in self.expensive if not self._is_slow(name))
        return self.cheap + tuple(name for name in short if name not in self.wanted)

    def slow_due(self, step: int, now: float, *, standing: bool) -> tuple[str, ...]:
        """The slow probes of the next request, the longest unmeasured first; empty if none is due.

        Args:
            step: that the run is at.
            now: seconds of the monotonic clock.
            standing: whether the run stands still: each probe is then due once at this step.
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
        """When the next slow probe is due while the run steps, by the clock of `now`."""
        if self.under_way:
            return math.inf
        names = [n for n in self.expensive if self._is_slow(n) and n not in self._given_up]
        waits = (self._period(n) - self._age(n, now) for n in names)
        return now + max(0.0, min(waits, default=math.inf))

    def _is_slow(self, name: str) -> bool:
        """Whether a probe is slow, or may be, since it was never measured."""
        return not PROBES[name].cheap and self.costs.get(name, math.inf) > LONG_SECONDS

    def _age(self, name: str, now: float) -> float:
        return now - self._last.get(name, NEVER)[0]

    def _period(self, name: str) -> float:
        """Seconds between two measurements of a slow probe while the run steps."""
        drawn = [n for n in self.expensive if n in self._drawn and self._is_slow(n)]
        share = OPEN_SHARE / len(drawn) if name in drawn else LONG_SHARE
        return max(LONGEST_AGE, self.costs.get(name, 0.0) * self.runs / share)

    def _due(self, now: float) -> tuple[str, ...]:
        """The expensive probes that are due in a frame, the longest unmeasured first."""
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

    # What was measured.

    def frame_began(self, now: float) -> None:
        self._last_frame = now

    def complete(self, snapshot: Snapshot, seconds: Mapping[str, float], now: float) -> Snapshot:
        """Note what was measured for a frame, and add the last values of the other probes to it.

        Args:
            snapshot: with the probes of `choose`.
            seconds: what each cost.
            now: when it was begun.

        Returns:
            The snapshot with the last values of all probes that are measured here.
        """
        self.learn_costs(seconds)
        # Some of those measured may not be wanted any more by now.
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
        """Note values of slow probes; the next frame has them.

        Args:
            step: at which they were measured.
            found: by norm and probe.
            seconds: what each probe cost.
            now: when they were requested.
        """
        self.learn_costs(seconds)
        self.under_way = ()
        for name in seconds.keys() & self._measured:
            if step >= self._last.get(name, NEVER)[1]:
                self._last[name] = (now, step)
        self._add_values(step, found)

    def _add_values(self, step: int, found: Mapping[str, Mapping[str, ProbeValues]]) -> None:
        """Note the values by norm and probe that are wanted, as far as there are no newer ones."""
        for norm, values in found.items():
            known = self._values.setdefault(norm, {})
            for probe in values.keys() & self._measured:
                if step >= known.get(probe, (-1, {}))[0]:
                    known[probe] = (step, values[probe])

    def give_up(self, names: Iterable[str]) -> None:
        """Note that measuring these slow probes failed: they are not requested again."""
        self._given_up.update(names)
        self.under_way = ()

    def learn_costs(self, seconds: Mapping[str, float]) -> None:
        for name, spent in seconds.items():
            known = self.costs.get(name, spent)
            self.costs[name] = self._typical[name] = known + NEWEST * (spent - known)


class Structure(NamedTuple):
    """What decides how long probes take: the kind of the networks, and how large they are."""

    kind: tuple[object, ...]
    activation: str
    norms: frozenset[str]
    sizes: tuple[int, ...]

    def covers(self, other: Structure) -> bool:
        """Whether the other networks are of the same kind and nowhere larger."""
        smaller = all(map(operator.le, other.sizes, self.sizes))
        return self.kind == other.kind and other.norms <= self.norms and smaller


class TypicalCosts:
    """What probes cost, by the structure of the networks, for runs that begin."""

    def __init__(self) -> None:
        self._costs: RecentlyUsed[Structure, Costs] = RecentlyUsed(MOST_STRUCTURES)

    def of(self, config: RunConfig) -> Costs:
        """The costs in runs of this structure, to be read and updated by each of them."""
        key = Structure(
            (config.network, config.dataset, config.sequence), config.activation,
            frozenset(config.norms), (config.depth, config.width, config.batch_size),
        )  # fmt: skip
        costs = self._costs.use(key)
        if costs is None:
            # A network costs no more than a larger one of its kind.
            larger = next((known for known in self._costs if known.covers(key)), None)
            costs = {} if larger is None else dict(self._costs.get(larger) or {})
            self._costs.put(key, costs)
        return costs
