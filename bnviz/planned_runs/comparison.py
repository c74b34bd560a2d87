"""Comparisons: runs, one after another, that differ in a value or by name, and how each ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bnviz.config import RunConfig
from bnviz.planned_runs.gauges import Ratios
from bnviz.planned_runs.plan import FASTEST, Plan
from bnviz.records import Snapshot, reached

FEWEST_MEMBERS, MOST_MEMBERS = 2, 10
# Each member runs at full pace while somebody waits for it.
MOST_STEPS = 5_000
# A curve has a point at so many steps, evenly spread, besides step 0.
POINTS = 30

Value = float | str


@dataclass(frozen=True, kw_only=True)
class Member:
    """One run of a comparison.

    Attributes:
        value: of what is varied: a number, or a word that names the setting.
        config: the run's knobs.
        last_step: the step at which it ends.
        until: test accuracy, 0 to 1; the run ends as soon as every network has it, and at
            `last_step` at the latest. None: at `last_step`.
        rate: steps a second.
        shown: the steps at which it is measured; none: so many, evenly spread (`POINTS`).
        ratios: the measured quantities by which it is compared; None: by test accuracy alone.

    Raises:
        ValueError: a step or an accuracy is out of range.
        ConfigError: the run cannot be planned.
    """

    value: Value
    config: RunConfig
    last_step: int
    until: float | None = None
    rate: float = FASTEST
    shown: tuple[int, ...] = ()
    ratios: Ratios | None = None

    def __post_init__(self) -> None:
        if not 0 < self.last_step <= MOST_STEPS:
            raise ValueError(f"last_step = {self.last_step}: from 1 to {MOST_STEPS}")
        if isinstance(self.value, float) and not math.isfinite(self.value):
            raise ValueError(f"value = {self.value}: a finite number or a word")
        self.plan.check(self.config)

    @property
    def plan(self) -> Plan:
        """The run's plan, measured at the same steps on every machine."""
        last, shown, ratios = self.last_step, self.shown, self.ratios
        if ratios is not None:
            shown = tuple(sorted({0, *ratios.steps, last}))
        elif not shown:
            points = min(POINTS, last)
            shown = tuple(round(last * at / points) for at in range(points + 1))
        return Plan(
            rates=((last, self.rate),), last_step=last, until=self.until, shown=shown,
            probes=ratios.probes if ratios else (), brief=ratios is None,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs that are compared.

    Attributes:
        name: of the comparison; one page has each name once.
        members: in the order in which they run.
        learned: a network whose last test accuracy, 0 to 1, is at least this has learned; None: it
            does not matter which have.

    Raises:
        ValueError: there are too few or too many, two have the same value, or they do not train the
            same networks or are not measured alike.
    """

    name: str
    members: tuple[Member, ...]
    learned: float | None = None

    def __post_init__(self) -> None:
        values = [member.value for member in self.members]
        if not FEWEST_MEMBERS <= len(values) <= MOST_MEMBERS:
            raise ValueError(f"members: from {FEWEST_MEMBERS} to {MOST_MEMBERS}, got {len(values)}")
        if len(set(values)) < len(values):
            raise ValueError(f"members: each value once, got {values}")
        for one, other in itertools.pairwise(self.members):
            if one.config.norms != other.config.norms:
                raise ValueError(f"members: all of the networks {one.config.norms}")
            if one.ratios != other.ratios:
                raise ValueError(f"members: all with the ratios {one.ratios}")

    @classmethod
    def over(cls, knob: str, values: Sequence[Value], config: RunConfig, **more: Any) -> Comparison:
        """One run for each value of a knob, everything else the same; `more` as `of` has it.

        Raises:
            ConfigError: there is no such knob, or it does not take one of the values.
        """
        return cls.of(knob, {value: config.replace(**{knob: value}) for value in values}, **more)

    @classmethod
    def of(
        cls,
        name: str,
        settings: Mapping[Any, RunConfig],
        *,
        learned: float | None = None,
        **member: Any,
    ) -> Comparison:
        """One run for each of some settings, which may differ in more than one knob.

        Args:
            name: of the comparison.
            settings: the runs' knobs by value, or by key of the page's words; see `called`.
            learned: see `Comparison`.
            **member: fields that every `Member` has.
        """
        members = (Member(value=key, config=each, **member) for key, each in settings.items())
        return cls(name=name, members=tuple(members), learned=learned)

    def called(self, names: Mapping[Any, str]) -> Comparison:
        """The same comparison with the names that a page has for its values that are words.

        Args:
            names: by value; one that is missing stays as it is.
        """
        members = (replace(each, value=names.get(each.value, each.value)) for each in self.members)
        return replace(self, members=tuple(members))

    @property
    def norms(self) -> tuple[str, ...]:
        """The networks that every member trains."""
        return self.members[0].config.norms

    @property
    def ratios(self) -> Ratios | None:
        """The measured quantities by which members are compared, or None."""
        return self.members[0].ratios

    @property
    def races(self) -> bool:
        """Whether members are compared by the step at which they reach an accuracy."""
        return any(member.until is not None for member in self.members)

    def with_seed(self, seed: int) -> Comparison:
        """The same comparison with other initial weights and mini-batches."""
        members = (replace(each, config=each.config.replace(seed=seed)) for each in self.members)
        return replace(self, members=tuple(members))


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The test accuracies of one network of one member.

    Attributes:
        steps: at which it was measured, ascending.
        accuracies: test accuracy there, 0 to 1; 0 where outputs are not finite.
        reached: the first of these steps at which it had the member's `until`; None: it never had,
            or there is no `until`.
        epochs: how many it had taken at each of these steps.
        seconds: of training until each of them, without measuring; of a clock, so that another run
            has others.
    """

    steps: tuple[int, ...]
    accuracies: tuple[float, ...]
    reached: int | None = None
    epochs: tuple[float, ...] = ()
    seconds: tuple[float, ...] = field(default=(), compare=False)

    @property
    def last(self) -> float:
        """The last accuracy."""
        return self.accuracies[-1]


@dataclass(frozen=True, kw_only=True)
class MemberResult:
    """What one member has measured.

    Attributes:
        member: that has run.
        curves: by network.
        ratios: of its measured quantities, by gauge; None for one that could not be measured.
    """

    member: Member
    curves: Mapping[str, Curve]
    ratios: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ComparisonResult:
    """What a comparison has measured so far.

    Attributes:
        comparison: whose members run.
        members: those that have run, in order.
    """

    comparison: Comparison
    members: tuple[MemberResult, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every member has run."""
        return len(self.members) == len(self.comparison.members)

    @property
    def index(self) -> int:
        """The index of the member that runs, or is next; of the last one when all have run."""
        return min(len(self.members), len(self.comparison.members) - 1)

    @property
    def member(self) -> Member:
        """The member of that index."""
        return self.comparison.members[self.index]

    def with_next(self, measured: MemberResult) -> ComparisonResult:
        """The result when one more member has run."""
        return replace(self, members=(*self.members, measured))

    def curve(self, value: Value, norm: str) -> Curve:
        """The curve of one network in the member of a value.

        Raises:
            KeyError: that member has not run.
        """
        return {each.member.value: each for each in self.members}[value].curves[norm]

    def ends(self, norm: str) -> tuple[float, ...]:
        """One network's last accuracy in each member that has run."""
        return tuple(each.curves[norm].last for each in self.members)

    def learned(self, norm: str) -> tuple[Value, ...]:
        """The values at which one network has learned; none where `learned` is not set."""
        least = self.comparison.learned
        if least is None:
            return ()
        return tuple(m.member.value for m in self.members if m.curves[norm].last >= least)


def member_result(member: Member, snapshots: Sequence[Snapshot]) -> MemberResult:
    """The result of a member's run: its accuracies at the steps of its plan and where it ended.

    Frames in between, of which a fast machine makes more, are left out: the same run gives the same
    curves.

    Args:
        member: that has run.
        snapshots: of its run, ascending by step; the last one is where it ended.

    Raises:
        ValueError: nothing was measured.
    """
    if not snapshots:
        raise ValueError("snapshots: none")
    steps = {*member.plan.shown, snapshots[-1].step}
    kept = {snapshot.step: snapshot for snapshot in snapshots if snapshot.step in steps}
    curves = {norm: _curve(member, norm, kept) for norm in member.config.norms}
    ratios = member.ratios.of(kept) if member.ratios else {}
    return MemberResult(member=member, curves=curves, ratios=ratios)


def _curve(member: Member, norm: str, kept: Mapping[int, Snapshot]) -> Curve:
    records = {step: snapshot.networks[norm] for step, snapshot in kept.items()}
    found = {step: reached(record.test_accuracy) for step, record in records.items()}
    until = member.until
    first = None if until is None else next((s for s, a in found.items() if a >= until), None)
    return Curve(
        steps=tuple(found), accuracies=tuple(found.values()), reached=first,
        epochs=tuple(record.epochs for record in records.values()),
        seconds=tuple(record.training_seconds for record in records.values()),
    )  # fmt: skip
