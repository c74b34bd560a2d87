"""Comparisons: runs, one after another, that differ in a value or by name, and how each ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bnviz.config import RunConfig
from bnviz.planned_runs.arrival import arrival
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
class Comparison:
    """Runs that are compared.

    Attributes:
        name: of the comparison; one page has each name once.
        settings: the knobs of each run, in the order in which they run, by what is varied: a
            number, or a word that names the setting.
        plan: of every run, measured at the same steps on every machine.
        target_accuracy: test accuracy, 0 to 1; runs are compared by when a network arrives there (`arrival`),
            and go on after it. None: they are not.
        ratios: the measured quantities by which runs are compared; None: by test accuracy alone.
        learned: a network whose last test accuracy, 0 to 1, is at least this has learned; None: it
            does not matter which have.

    Raises:
        ValueError: there are too few or too many runs, they do not train the same networks, or a
            number or a step is out of range.
        ConfigError: a run cannot be planned.
    """

    name: str
    settings: Mapping[Value, RunConfig]
    plan: Plan
    target_accuracy: float | None = None
    ratios: Ratios | None = None
    learned: float | None = None

    def __post_init__(self) -> None:
        count = len(self.settings)
        if not FEWEST_MEMBERS <= count <= MOST_MEMBERS:
            raise ValueError(f"settings: from {FEWEST_MEMBERS} to {MOST_MEMBERS}, got {count}")
        if self.plan.last_step > MOST_STEPS:
            raise ValueError(f"last_step = {self.plan.last_step}: from 1 to {MOST_STEPS}")
        if self.target_accuracy is not None and not 0 < self.target_accuracy <= 1:
            raise ValueError(f"target_accuracy = {self.target_accuracy}: above 0, at most 1")
        for value, config in self.settings.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"value = {value}: a finite number or a word")
            if config.norms != self.norms:
                raise ValueError(f"settings: all of the networks {self.norms}")
            self.plan.check(config)

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
        last_step: int,
        target_accuracy: float | None = None,
        rate: float = FASTEST,
        shown: tuple[int, ...] = (),
        ratios: Ratios | None = None,
        learned: float | None = None,
    ) -> Comparison:
        """One run for each of some settings, which may differ in more than one knob.

        Args:
            name: of the comparison.
            settings: the runs' knobs by value, or by key of the page's words; see `called`.
            last_step: see `Plan`.
            target_accuracy: see `Comparison`.
            rate: steps a second.
            shown: the steps at which runs are measured; none: those of `ratios`, or else so many,
                evenly spread (`POINTS`).
            ratios: see `Comparison`.
            learned: see `Comparison`.
        """
        if ratios is not None:
            shown = tuple(sorted({0, *ratios.steps, last_step}))
        elif not shown:
            shown = tuple(sorted({round(last_step * at / POINTS) for at in range(POINTS + 1)}))
        plan = Plan(
            rates=((last_step, rate),), last_step=last_step, shown=shown,
            probes=ratios.probes if ratios else (), brief=ratios is None,
        )  # fmt: skip
        return cls(
            name=name,
            settings=settings,
            plan=plan,
            target_accuracy=target_accuracy,
            ratios=ratios,
            learned=learned,
        )

    def called(self, names: Mapping[Any, str]) -> Comparison:
        """The same comparison with the names that a page has for its values that are words.

        Args:
            names: by value, no two the same; one that is missing stays as it is.
        """
        settings = {names.get(value, value): each for value, each in self.settings.items()}
        if len(settings) < len(self.settings):
            raise ValueError(f"names: each once, got {names}")
        return replace(self, settings=settings)

    @property
    def first(self) -> RunConfig:
        """The knobs of the first run."""
        return next(iter(self.settings.values()))

    @property
    def norms(self) -> tuple[str, ...]:
        """The networks that every run trains."""
        return self.first.norms

    @property
    def races(self) -> bool:
        """Whether runs are compared by the step at which they reach an accuracy."""
        return self.target_accuracy is not None

    def with_seed(self, seed: int) -> Comparison:
        """The same comparison with other initial weights and mini-batches."""
        settings = {value: each.replace(seed=seed) for value, each in self.settings.items()}
        return replace(self, settings=settings)

    def measured(self, value: Value, snapshots: Sequence[Snapshot]) -> MemberResult:
        """The result of a run: its accuracies at the steps of its plan and where it ended.

        Frames in between, of which a fast machine makes more, are left out: the same run gives the
        same curves.

        Args:
            value: of the run.
            snapshots: of the run, ascending by step; the last one is where it ended.

        Raises:
            ValueError: nothing was measured.
        """
        if not snapshots:
            raise ValueError("snapshots: none")
        steps = {*self.plan.shown, snapshots[-1].step}
        kept = {snapshot.step: snapshot for snapshot in snapshots if snapshot.step in steps}
        curves = {norm: _curve(self.target_accuracy, norm, kept) for norm in self.norms}
        ratios = self.ratios.of(kept) if self.ratios else {}
        return MemberResult(value=value, curves=curves, ratios=ratios)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The test accuracies of one network of one run.

    Attributes:
        steps: at which it was measured, ascending.
        accuracies: test accuracy there, 0 to 1; 0 where outputs are not finite.
        reached: the step at which it arrived at the comparison's `target_accuracy`; None: it never did, or
            there is no `target_accuracy`.
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
    """The measurements of one run of a comparison.

    Attributes:
        value: of the run.
        curves: by network.
        ratios: of its measured quantities, by gauge; None for one that could not be measured.
    """

    value: Value
    curves: Mapping[str, Curve]
    ratios: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ComparisonResult:
    """What a comparison has measured so far.

    Attributes:
        comparison: what runs.
        members: of the runs that have ended, in order.
    """

    comparison: Comparison
    members: tuple[MemberResult, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every run has ended."""
        return len(self.members) == len(self.comparison.settings)

    @property
    def index(self) -> int:
        """Index of the present run, or of the next one; of the last run when all have ended."""
        return min(len(self.members), len(self.comparison.settings) - 1)

    @property
    def value(self) -> Value:
        """The value of that run."""
        return [*self.comparison.settings][self.index]

    @property
    def config(self) -> RunConfig:
        """Its knobs."""
        return self.comparison.settings[self.value]

    def with_next(self, snapshots: Sequence[Snapshot]) -> ComparisonResult:
        """The result when that run has ended; the snapshots are those of `Comparison.measured`."""
        measured = self.comparison.measured(self.value, snapshots)
        return replace(self, members=(*self.members, measured))

    def curve(self, value: Value, norm: str) -> Curve:
        """The curve of one network in the run of a value.

        Raises:
            KeyError: that run has not ended.
        """
        return {each.value: each for each in self.members}[value].curves[norm]

    def ends(self, norm: str) -> tuple[float, ...]:
        """One network's last accuracy in each run that has ended."""
        return tuple(each.curves[norm].last for each in self.members)

    def learned(self, norm: str) -> tuple[Value, ...]:
        """The values at which one network has learned; none where `learned` is not set."""
        least = self.comparison.learned
        if least is None:
            return ()
        return tuple(m.value for m in self.members if m.curves[norm].last >= least)


def _curve(target_accuracy: float | None, norm: str, kept: Mapping[int, Snapshot]) -> Curve:
    records = {step: snapshot.networks[norm] for step, snapshot in kept.items()}
    found = {step: reached(record.test_accuracy) for step, record in records.items()}
    first = None if target_accuracy is None else arrival(found, target_accuracy)
    return Curve(
        steps=tuple(found), accuracies=tuple(found.values()), reached=first,
        epochs=tuple(record.epochs for record in records.values()),
        seconds=tuple(record.training_seconds for record in records.values()),
    )  # fmt: skip
