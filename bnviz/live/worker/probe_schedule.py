"""When a run is measured, and with which probes: a budget in seconds, costs measured.

Cheap probes go into every frame. An expensive one is measured as often as the budget allows, and
twice a second at least unless it takes long; between two measurements its last values travel on,
with the step they belong to. Slow probes, and those that were never measured on such a network, are
measured in a process of their own. Probes that not every page needs are measured while they are
wanted: while somebody has a chart open that draws them.

The last values of a run's probes: between two measurements they travel on in its frames.

What probes cost, by the structure of the networks that they were measured on.
"""

from __future__ import annotations

import dataclasses
import math
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Literal

from bnviz.config import RunConfig
from bnviz.moment import BASE
from bnviz.probes import PROBES
from bnviz.records import ProbeValues, Snapshot

# Share of a worker's time that goes into measuring: little where it slows the run, much where the
# run waits for its pace anyway.
SHARE_FULL, SHARE_PACED = 0.1, 0.5
FRAMES_PER_SECOND = 15.0
# A frame is due after this long for each run that shares the worker, but at least so often, unless
# most of the run's time would go into frames.
GAP_PER_RUN, LONGEST_GAP = 0.09, 0.7
MOST_FRAMES_SHARE = 0.8
# An expensive probe's values may get this old: it is measured before they would be older at the
# next frame, if it takes no more than a share of the time of all runs.
LONGEST_AGE = 0.5
EXPENSIVE_SHARE_PACED, EXPENSIVE_SHARE_FULL = 0.15, 0.1
# A probe that takes longer is slow: it is measured in a process of its own. Slow probes take no
# more than these shares of that process's time: those that open charts draw all together, each
# other one by itself.
LONG_SECONDS = 0.03
OPEN_SHARE, LONG_SHARE = 0.5, 0.2
# What is asked for together takes this long at most, unless one alone takes longer.
ASKED_SECONDS = 0.1
# The credit for measuring is never more than this, nor a debt.
MOST_CREDIT = 0.2
# Weight of the newest cost in the average.
NEWEST = 0.3
FRAME = "frame"

# What a frame measures: what is still of another step, at a run that stands still; what is due;
# every probe of the page that does not take long.
FrameScope = Literal["missing", "due", "full"]
FRAME_SCOPES: tuple[FrameScope, ...] = ("missing", "due", "full")

Costs = dict[str, float]


class ProbeSchedule:
    """The budget of one run and the last values of its probes.

    Attributes:
        wanted: those of `want` that not every page needs.
        cheap: probes of every frame.
        expensive: the others.
        costs: seconds that each probe takes, an average in favour of the newest; those of a whole
            frame of cheap probes, encoded, under "frame".
        runs: how many runs that work share this one's worker.
        credit: seconds of measuring that the run has earned and not used; below 0: a debt.
    """

    def __init__(self, wanted: Iterable[str] = (), typical: Costs | None = None) -> None:
        """Begin with nothing measured.

        Args:
            wanted: see `want`.
            typical: what probes cost in runs of the same structure; read at first, added to.
        """
        self.wanted: tuple[str, ...] = ()
        self.cheap: tuple[str, ...] = ()
        self.expensive: tuple[str, ...] = ()
        self._drawn: set[str] = set()
        self._typical = {} if typical is None else typical
        self.costs = dict(self._typical)
        self.credit = 0.0
        self.runs = 1.0
        self._full_pace = True
        self._last_frame = -math.inf
        # When and at which step a probe was last measured.
        self._last: dict[str, tuple[float, int]] = {}
        self._values = LastValues()
        # Slow probes that are being measured, and those whose measurement failed.
        self.under_way: tuple[str, ...] = ()
        self._given_up: set[str] = set()
        self.want(wanted)

    def want(self, probes: Iterable[str]) -> None:
        """Open charts draw these probes: measure them from now on, and those of every page."""
        self._drawn = drawn = set(probes)
        self.wanted = tuple(n for n, entry in PROBES.items() if n in drawn and not entry.page)
        names = [n for n, entry in PROBES.items() if entry.page or n in self.wanted]
        self.cheap = tuple(name for name in names if PROBES[name].cheap)
        self.expensive = tuple(name for name in names if not PROBES[name].cheap)
        # Forget values that no chart draws any more: they would stay in every frame, ever older.
        self._last = {name: last for name, last in self._last.items() if name in names}
        self._values.keep_only(names)

    # The budget.

    def accrue(self, seconds: float, runs: float, *, full_pace: bool) -> None:
        """Earn time for measuring.

        Args:
            seconds: that the worker had for its runs.
            runs: how many there are that work; all maps together count as not quite one.
            full_pace: whether the run steps as fast as it can.
        """
        share = SHARE_FULL if full_pace else SHARE_PACED
        self.credit = min(self.credit + seconds * share / runs, MOST_CREDIT)
        self.runs, self._full_pace = runs, full_pace

    def charge(self, seconds: float) -> None:
        """Time went into measuring."""
        self.credit = max(self.credit - seconds, -MOST_CREDIT)

    def frame_due(self, now: float) -> bool:
        """Whether a run that steps faster than it is shown is due for a frame."""
        since = now - self._last_frame
        if since >= self.gap():
            return True
        return since >= 1 / FRAMES_PER_SECOND and self.credit >= self._frame_cost()

    def keeps_up(self, now: float) -> bool:
        """Whether there is time for a frame of this very step."""
        return self.credit >= 0 or now - self._last_frame >= self.gap()

    def gap(self) -> float:
        """Seconds after which a frame is due whatever the budget says."""
        enough = min(LONGEST_GAP, GAP_PER_RUN * self.runs)
        return max(enough, self._frame_cost() * self.runs / MOST_FRAMES_SHARE)

    def _frame_cost(self) -> float:
        parts = (self.costs.get(name, 0.0) for name in (BASE, *self.cheap))
        return max(self.costs.get(FRAME, 0.0), sum(parts))

    # What to measure.

    def missing(self, step: int) -> tuple[str, ...]:
        """The probes whose values, if there are any, are of another step and are measured here."""
        return tuple(n for n in self._other(step) if not self._is_slow(n))

    def slow_missing(self, step: int) -> tuple[str, ...]:
        """Likewise the slow ones."""
        return tuple(n for n in self._other(step) if self._is_slow(n) and n not in self._given_up)

    def unmeasured(self, step: int) -> tuple[str, ...]:
        """The probes that have no values of this step, and may get some."""
        return tuple(n for n in self._other(step) if n not in self._given_up)

    def chosen(self, step: int, now: float, scope: FrameScope, *, urgent: bool) -> tuple[str, ...]:
        """The probes of a frame; of an urgent one the cheap ones, so that nobody waits for more."""
        if scope == "due":
            return self.cheap if urgent else self.cheap + self._due(now)
        if scope == "missing":
            return self.missing(step)
        short = (name for name in self.expensive if not self._is_slow(name))
        return self.cheap + tuple(name for name in short if name not in self.wanted)

    def slow_due(self, step: int, now: float, *, standing: bool) -> tuple[str, ...]:
        """The probes to ask for, the longest unmeasured first; at most for some time together.

        Args:
            step: the run's.
            now: seconds of a monotonic clock.
            standing: the run stands still: everything is measured, once.
        """
        if self.under_way:
            return ()
        candidates = self.slow_missing(step)
        if not standing:
            candidates = tuple(name for name in candidates if self._old_enough(name, now))
        chosen: list[str] = []
        seconds = 0.0
        for name in sorted(candidates, key=lambda name: self._last.get(name, (-math.inf, -1))[0]):
            seconds += self.costs.get(name, ASKED_SECONDS)
            if chosen and seconds > ASKED_SECONDS:
                break
            chosen.append(name)
        return tuple(chosen)

    def next_slow_due(self, now: float) -> float:
        """When the next probe is to be asked for, by the clock of `now`."""
        if self.under_way:
            return math.inf
        names = [n for n in self.expensive if self._is_slow(n) and n not in self._given_up]
        waits = (self._period(n) - self._age(n, now) for n in names)
        return now + max(0.0, min(waits, default=math.inf))

    def _other(self, step: int) -> list[str]:
        names = (*self.cheap, *self.expensive)
        return [n for n in names if self._last.get(n, (0, -1))[1] != step]

    def _is_slow(self, name: str) -> bool:
        """Whether a probe takes long, or may: it was not measured yet."""
        return not PROBES[name].cheap and self.costs.get(name, math.inf) > LONG_SECONDS

    def _age(self, name: str, now: float) -> float:
        return now - self._last.get(name, (-math.inf, -1))[0]

    def _old_enough(self, name: str, now: float) -> bool:
        return self._age(name, now) >= self._period(name)

    def _period(self, name: str) -> float:
        """Seconds between two measurements of a slow probe."""
        drawn = [n for n in self.expensive if n in self._drawn and self._is_slow(n)]
        share = OPEN_SHARE / len(drawn) if name in drawn else LONG_SHARE
        return max(LONGEST_AGE, self.costs.get(name, 0.0) * self.runs / share)

    def _due(self, now: float) -> tuple[str, ...]:
        """Expensive probes for a frame, the longest unmeasured first."""
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
        """A frame was begun."""
        self._last_frame = now

    def take(self, snapshot: Snapshot, seconds: Mapping[str, float], now: float) -> Snapshot:
        """A frame was measured: the same with what was measured before filled in.

        Args:
            snapshot: with the probes that were chosen.
            seconds: what they cost, by name.
            now: when it began.
        """
        self._learn(seconds)
        # Some may not be wanted any more by now.
        wanted = {*self.cheap, *self.expensive}
        self._last.update(dict.fromkeys(wanted & seconds.keys(), (now, snapshot.step)))
        return self._values.fill_in(snapshot, wanted)

    def take_slow(
        self,
        step: int,
        found: Mapping[str, Mapping[str, ProbeValues]],
        seconds: Mapping[str, float],
        now: float,
    ) -> None:
        """Values of slow probes have come; they go into the next frame.

        Args:
            step: at which they were measured.
            found: by norm and probe.
            seconds: what each probe cost.
            now: when it was asked for.
        """
        self._learn(seconds)
        self.under_way = ()
        wanted = {*self.cheap, *self.expensive}
        for name in wanted & seconds.keys():
            if step >= self._last.get(name, (0.0, -1))[1]:
                self._last[name] = (now, step)
        self._values.add(step, found, wanted)

    def give_up(self, names: Iterable[str]) -> None:
        """Measuring these slow probes failed: they are not asked for again."""
        self._given_up.update(names)
        self.under_way = ()

    def learn_cost(self, name: str, seconds: float) -> None:
        """Learn what something cost."""
        self._learn({name: seconds})

    def _learn(self, seconds: Mapping[str, float]) -> None:
        for name, spent in seconds.items():
            known = self.costs.get(name, spent)
            self.costs[name] = self._typical[name] = known + NEWEST * (spent - known)


class LastValues:
    """By network and probe, the last values and the step at which they were measured."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, tuple[int, ProbeValues]]] = {}

    def keep_only(self, probes: Collection[str]) -> None:
        """Forget the values of all other probes."""
        for known in self._values.values():
            for gone in known.keys() - set(probes):
                del known[gone]

    def fill_in(self, snapshot: Snapshot, probes: Set[str]) -> Snapshot:
        """Note what a snapshot has of these probes; the same with all that is known filled in."""
        networks = {}
        for norm, record in snapshot.networks.items():
            known = self._values.setdefault(norm, {})
            for probe in probes & record.probes.keys():
                known[probe] = (snapshot.step, record.probes[probe])
            networks[norm] = dataclasses.replace(
                record,
                probes={probe: values for probe, (_, values) in known.items()},
                measured_at={probe: step for probe, (step, _) in known.items()},
            )
        return dataclasses.replace(snapshot, networks=networks)

    def add(
        self, step: int, found: Mapping[str, Mapping[str, ProbeValues]], probes: Set[str]
    ) -> None:
        """Note what was found of these probes at a step, where nothing newer is known."""
        for norm, values in found.items():
            known = self._values.setdefault(norm, {})
            for probe in probes & values.keys():
                if step >= known.get(probe, (-1, {}))[0]:
                    known[probe] = (step, values[probe])


MOST_STRUCTURES = 200
# What the cost of a measurement depends on.
_KNOBS = ("network", "dataset", "sequence", "norms", "depth", "width", "activation", "batch_size")


class TypicalCosts:
    """Costs that runs of one structure share, so that one that begins knows them."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], Costs] = OrderedDict()

    def of(self, config: RunConfig) -> Costs:
        """The costs for such a run; to be read and added to."""
        key = tuple(getattr(config, knob) for knob in _KNOBS)
        if key not in self._known:
            # A network costs no more than a larger one of its kind.
            larger = (costs for known, costs in self._known.items() if _covers(known, key))
            self._known[key] = dict(next(larger, {}))
        costs = self._known[key]
        self._known.move_to_end(key)
        while len(self._known) > MOST_STRUCTURES:
            self._known.popitem(last=False)
        return costs


def _covers(known: tuple[object, ...], key: tuple[object, ...]) -> bool:
    """Whether networks of one structure are of the other's kind and nowhere smaller."""
    large, small = dict(zip(_KNOBS, known, strict=True)), dict(zip(_KNOBS, key, strict=True))
    alike = all(large[knob] == small[knob] for knob in ("network", "dataset", "sequence"))
    sizes = ("depth", "width", "batch_size")
    return (
        alike
        and set(small["norms"]) <= set(large["norms"])  # type: ignore[call-overload]
        and all(small[knob] <= large[knob] for knob in sizes)  # type: ignore[operator]
    )
