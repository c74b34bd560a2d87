"""Comparisons of several runs, trained one after another, that differ in a knob or a setting."""

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
# Maximum number of steps per run. It is limited because the runs train at full speed while somebody
# waits.
MOST_STEPS = 5_000
# Number of evenly spaced steps on a curve, in addition to step 0.
POINTS = 30

VariedValue = float | str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Runs that are compared.

    Attributes:
        name: name that is unique on a page.
        settings: knobs of each run, in order, by the value that varies or by a name.
        target_accuracy: test accuracy, 0 to 1, that runs race to reach (`arrival`), or None.
        ratios: measured quantities to compare, or None to compare only test accuracies.
        learned: minimum final test accuracy, 0 to 1, of a network that has learned, or None.

    Raises:
        ValueError: too few or too many runs, different networks, or a number out of range.
        ConfigError: a run cannot be planned.
    """

    name: str
    settings: Mapping[VariedValue, RunConfig]
    plan: Plan
    target_accuracy: float | None = None
    ratios: Ratios | None = None
    learned: float | None = None

    def __post_init__(self) -> None:
        count = len(self.settings)
        if not FEWEST_MEMBERS <= count <= MOST_MEMBERS:
            raise ValueError(
                f"`settings` must have {FEWEST_MEMBERS} to {MOST_MEMBERS} entries, got {count}."
            )
        if self.plan.last_step > MOST_STEPS:
            raise ValueError(
                f"`last_step` must be between 1 and {MOST_STEPS}, got {self.plan.last_step}."
            )
        if self.target_accuracy is not None and not 0 < self.target_accuracy <= 1:
            raise ValueError(
                f"`target_accuracy` must be above 0 and at most 1, got {self.target_accuracy}."
            )
        for value, config in self.settings.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(
                    f"A key of `settings` must be a finite number or a word, got {value}."
                )
            if config.norms != self.norms:
                raise ValueError(
                    f"All `settings` must have the same norms, got {self.norms} and {config.norms}."
                )
            self.plan.check(config)

    @classmethod
    def over(
        cls, knob: str, values: Sequence[VariedValue], config: RunConfig, **more: Any
    ) -> Comparison:
        """Return a comparison with one run per value of a knob; `more` is passed to `of`."""
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
        """Return a comparison with one run per setting. Settings may differ in several knobs.

        Keys of `settings` are knob values, or names that `called` replaces. By default, runs are
        measured at the steps of `ratios`, or at evenly spaced steps (`POINTS`).
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
        """Return a copy in which `names` replaces values by a page's words, which must differ."""
        settings = {names.get(value, value): each for value, each in self.settings.items()}
        if len(settings) < len(self.settings):
            raise ValueError(f"`names` must give each value a different name, got {names}.")
        return replace(self, settings=settings)

    @property
    def first(self) -> RunConfig:
        return next(iter(self.settings.values()))

    @property
    def norms(self) -> tuple[str, ...]:
        return self.first.norms

    @property
    def races(self) -> bool:
        """Return whether runs are compared by the step at which they reach `target_accuracy`."""
        return self.target_accuracy is not None

    def with_seed(self, seed: int) -> Comparison:
        settings = {value: each.replace(seed=seed) for value, each in self.settings.items()}
        return replace(self, settings=settings)

    def measured(self, value: VariedValue, snapshots: Sequence[Snapshot]) -> MemberResult:
        """Return the result of a run from its snapshots, in ascending order of steps.

        Snapshots between the planned steps are left out, because their number depends on the
        machine.
        """
        if not snapshots:
            raise ValueError("`snapshots` must not be empty.")
        steps = {*self.plan.shown, snapshots[-1].step}
        kept = {snapshot.step: snapshot for snapshot in snapshots if snapshot.step in steps}
        curves = {norm: _curve(self.target_accuracy, norm, kept) for norm in self.norms}
        ratios = self.ratios.of(kept) if self.ratios else {}
        return MemberResult(value=value, curves=curves, ratios=ratios)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Test accuracies of one network in one run.

    Attributes:
        accuracies: test accuracy, 0 to 1, at each step; 0 if outputs are not finite.
        reached: step at which the network reached `target_accuracy`, or None.
        seconds: training time up to each step, without measuring. It varies, so == ignores it.
    """

    steps: tuple[int, ...]
    accuracies: tuple[float, ...]
    reached: int | None = None
    epochs: tuple[float, ...] = ()
    seconds: tuple[float, ...] = field(default=(), compare=False)

    @property
    def last(self) -> float:
        return self.accuracies[-1]


@dataclass(frozen=True, kw_only=True)
class MemberResult:
    """Results of one run: curves by network, and ratios by gauge (None if a ratio is unknown)."""

    value: VariedValue
    curves: Mapping[str, Curve]
    ratios: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ComparisonResult:
    """Results of a comparison so far: one entry of `members` per run that has ended."""

    comparison: Comparison
    members: tuple[MemberResult, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.members) == len(self.comparison.settings)

    @property
    def index(self) -> int:
        """Index of the current or next run, or of the last run if all have ended."""
        return min(len(self.members), len(self.comparison.settings) - 1)

    @property
    def value(self) -> VariedValue:
        return [*self.comparison.settings][self.index]

    @property
    def config(self) -> RunConfig:
        return self.comparison.settings[self.value]

    def with_next(self, snapshots: Sequence[Snapshot]) -> ComparisonResult:
        """Return a copy that includes the run that has just ended, given its snapshots."""
        measured = self.comparison.measured(self.value, snapshots)
        return replace(self, members=(*self.members, measured))

    def curve(self, value: VariedValue, norm: str) -> Curve:
        """Return a network's curve in one run, or raise KeyError if this run has not ended."""
        return {each.value: each for each in self.members}[value].curves[norm]

    def ends(self, norm: str) -> tuple[float, ...]:
        """Return a network's final accuracy in each run that has ended."""
        return tuple(each.curves[norm].last for each in self.members)

    def learned(self, norm: str) -> tuple[VariedValue, ...]:
        """Return the values at which a network has learned, or () if `learned` is not set."""
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
