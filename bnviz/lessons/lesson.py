"""Definition of a lesson: its run, charts, knobs, answers, and the rule that judges its claim.

Its texts are in `assets/texts/<language>/lessons/<name>.toml`. Numbers from the run are filled in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.lessons.drawing import Drawing, read_points
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.planned_runs.comparison import Comparison
from bnviz.planned_runs.plan import Plan

VerdictOutcome = Literal["held", "did_not_hold", "not_in_this_run"]
Size = Literal["half", "full"]
Value = float | int | str | None
# Measured numbers, by the names that a lesson's texts use.
Numbers = dict[str, Value]

# Result of a rule: whether the claim held, the measured numbers, and the key of the answer that
# matches the run.
Found = tuple[bool, Numbers, str | None]
Rule = Callable[[Observation], Found]
Tell = Callable[[Observation], Numbers]
Compares = Callable[[RunConfig], Comparison]

# Maximum difference at which two test accuracies count as level.
LEVEL = 0.02
# Settings of an activation and of the initialization that suits it.
RELU: Mapping[str, Any] = {"activation": "relu", "init": "he"}
TANH: Mapping[str, Any] = {"activation": "tanh", "init": "glorot"}


def schedule(*rates: tuple[int, float], shown: Sequence[int] = (), **more: Any) -> Plan:
    """Return a plan that ends at the step of its last rate, and always shows the first and the last
    step.

    Args:
        *rates: (last step at this speed, steps per second).
        shown: further steps that the rule needs, ascending.
    """
    last = rates[-1][0]
    between = (step for step in shown if step not in (0, last))
    return Plan(rates=rates, last_step=last, shown=(0, *between, last), **more)


@dataclass(frozen=True, kw_only=True)
class KnobChange:
    """Knob change that removes a condition of the claim.

    For an action, `needed` and `found` count how often the action is applied.
    """

    knob: str
    needed: Any
    found: Any


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Result of a run for a lesson's claim; it does not judge the guess.

    Attributes:
        outcome: "not_in_this_run" if a condition was missing or the run ended too early.
        ended_at: step at which the run ended before the claim could be judged, or None.
        ends: final state of each network if the claim could not be judged.
        answer: key of the answer that this run gives, or None if no answer fits.
    """

    outcome: VerdictOutcome
    missing: KnobChange | None = None
    ended_at: int | None = None
    ends: Mapping[str, End] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)
    answer: str | None = None


def cases(*names: str, found: str | None) -> Numbers:
    """Return one flag per case; texts keep a sentence with `{if:name}` if flag `name` is true."""
    return {name: name == found for name in names}


def either(yes: str, no: str, holds: bool) -> Numbers:
    """Return the flags of two opposite cases: `yes` if `holds`, otherwise `no`."""
    return {yes: bool(holds), no: not holds}


def compared(norm: str, other: str) -> Tell:
    """Return a function that compares two networks' final accuracies: ahead, level or behind."""

    def tell(observed: Observation) -> Numbers:
        one, two = (observed.last_accuracy(each) for each in (norm, other))
        found = "level" if abs(one - two) <= LEVEL else "ahead" if one > two else "behind"
        return cases("ahead", "level", "behind", found=found)

    return tell


@dataclass(frozen=True, kw_only=True)
class End:
    """Final test accuracy, 0 to 1, or the step at which a network became non-finite and stopped."""

    accuracy: float | None
    stopped: int | None


def ends(observed: Observation) -> dict[str, End]:
    """Return the final state of each network; empty if the last step was not measured."""
    found: dict[str, End] = {}
    for norm in observed.config.norms:
        try:
            record = observed.at(observed.last_step, norm)
        except NotMeasured:
            return {}
        accuracy = None if record.stopped is not None else observed.last_accuracy(norm)
        found[norm] = End(accuracy=accuracy, stopped=record.stopped)
    return found


@dataclass(frozen=True, kw_only=True)
class BatchLoses:
    """Criterion by which BN loses in a try-it experiment (`bnviz.lessons.defeats`).

    Attributes:
        to: network that BN loses to.
        by: "end": final test accuracy; "lowest": lowest test accuracy since the last change;
            "steps": number of steps until the experiment's `target_accuracy`.
    """

    to: str = "none"
    by: Literal["end", "lowest", "steps"] = "end"


@dataclass(frozen=True, kw_only=True)
class TryIt:
    """Try-it experiment: other settings of a lesson's run, with which the lesson's claim may fail.

    Attributes:
        plan: schedule; None for the lesson's schedule at `break_rates`, without planned changes.
        tell: function that returns the numbers for the experiment's sentences.
        ends: whether sentences report how each network ended.
        target_accuracy: test accuracy, 0 to 1; sentences report when each network reaches it.
        batch_loses: set if the page `when-it-loses` lists the experiment.
    """

    name: str
    knobs: Mapping[str, Any] = field(default_factory=dict)
    plan: Plan | None = None
    tell: Tell
    said_at: int | None = None
    ends: bool = True
    charts: tuple[str, ...] = ()
    target_accuracy: float | None = None
    batch_loses: BatchLoses | None = None


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """Lesson with a run, and usually with a claim.

    Attributes:
        setting: values of the knobs that differ from the defaults of `RunConfig`.
        covered: charts that show no values before the guess, because they would show the answer.
        half: charts that have half the width of the view.
        ranges: initial axis limits by measured field, such as "fit.gap"; axes grow if necessary.
        rule: function that judges the claim; None if the lesson has no claim.
        said_at: step that the verdict describes first and charts show at the end; None for the
            last step.
        starts: function that returns the numbers of step 0 for the section `watch`, or None.
        guess_on: chart whose heading shows the guess; "" for the first chart.
        stops: in a lesson without a claim, the parts of the page that a tour highlights in turn.
        check: in a lesson without a claim, returns the numbers that answer its question.
        free: knobs that readers may set without removing a condition of the claim.
        widgets: widget names (`bnviz.ui.lessons.widgets`) by section, or by place: "figure";
            "more", with the folded formulas of the section `why`; or "beside_why", instead of the
            figure of that section.
        tried_first: widget that readers must use before the page reports results, or "".
        drawing: drawing that replaces the choice of an answer, or None.
        series: comparison in the section `why`, or None.
        sets_up: comparison in the section `question`, before the guess, or None.
        series_first: whether `series` comes before the folded parts of its section.
        compares: makes a comparison that replaces the single run, from the config of its first run.
        guessed_bars: with `compares`, bar of each answer: (setting, network, number of steps).
        break_rates: rates of the try-it experiments; if empty, the lesson's rates.
        accounts: keys of explanations from which readers choose at the end; no explanation is
            marked as right.
    """

    name: str
    minutes: int
    plan: Plan
    setting: Mapping[str, Any] = field(default_factory=dict)
    charts: tuple[str, ...]
    covered: tuple[str, ...] = ()
    half: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    knobs: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    rule: Rule | None = None
    said_at: int | None = None
    starts: Tell | None = None
    guess_on: str = ""
    stops: tuple[str, ...] = ()
    check: Tell | None = None
    free: tuple[str, ...] = ()
    breaks: tuple[TryIt, ...] = ()
    widgets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tried_first: str = ""
    drawing: Drawing | None = None
    values: Numbers = field(default_factory=dict)
    series: Comparison | None = None
    sets_up: Comparison | None = None
    series_first: bool = False
    compares: Compares | None = None
    guessed_bars: Mapping[str, tuple[str, str, int | None]] = field(default_factory=dict)
    break_rates: tuple[tuple[int, float], ...] = ()
    accounts: tuple[str, ...] = ()

    def config(self, seed: int = 0) -> RunConfig:
        return RunConfig(**{**self.setting, "seed": seed})

    def config_of_try(self, name: str, seed: int = 0) -> RunConfig:
        return RunConfig(**{**self.setting, **self.try_named(name).knobs, "seed": seed})

    def plan_of_try(self, name: str) -> Plan:
        chosen = self.try_named(name).plan
        if chosen is not None:
            return chosen
        return replace(self.plan, changes=(), rates=self.break_rates or self.plan.rates)

    def charts_of(self, broken: str | None) -> tuple[tuple[str, Size], ...]:
        """Return charts and their sizes, for the experiment `broken` or for the lesson's run."""
        charts = (self.try_named(broken).charts if broken else ()) or self.charts
        return tuple((name, "half" if name in self.half else "full") for name in charts)

    def try_named(self, name: str) -> TryIt:
        return {each.name: each for each in self.breaks}[name]

    def answer_of(self, guess: str) -> str | None:
        """Return the answer that matches a chosen or drawn guess; None if no answer does."""
        points = read_points(guess, len(self.drawing.curves)) if self.drawing else None
        if points is None or self.drawing is None:
            return guess if guess in self.answers else None
        return self.drawing.answer(*self.drawing.drawn(points))

    def verdict(self, observed: Observation) -> Verdict | None:
        """Judge the claim, or return None if there is no claim or the run has not ended.

        Raises:
            NotMeasured: a value that the rule needs was not measured in this run.
        """
        if self.compares is not None:
            over = observed.compared is not None and observed.compared.complete
            return self._judged(observed) if over else None
        early = observed.last_step < self.plan.last_step
        if self.rule is None or (early and not observed.ended):
            return None
        # If the run ended early, the later changes of the plan do not count as missing.
        until = observed.last_step if early else self.plan.last_step
        changed = observed.changed_knobs(self.config(), self.plan.changes, until, self.free)
        if not changed and observed.stands_still:
            # The mini-batch is too small for a norm, so its size is the missing condition.
            size = observed.knob("batch_size", self.plan.last_step)
            changed = {"batch_size": (self.config().batch_size, size)}
        if changed:
            knob, (needed, found) = next(iter(changed.items()))
            missing = KnobChange(knob=knob, needed=needed, found=found)
            return Verdict(outcome="not_in_this_run", missing=missing, ends=ends(observed))
        if early:
            return Verdict(
                outcome="not_in_this_run", ended_at=observed.last_step, ends=ends(observed)
            )
        return self._judged(observed)

    def _judged(self, observed: Observation) -> Verdict | None:
        if self.rule is None:
            return None
        held, measured, answer = self.rule(observed)
        # Convert NumPy scalars, because pages send the numbers to browsers.
        numbers = {k: v.item() if isinstance(v, np.generic) else v for k, v in measured.items()}
        return Verdict(outcome="held" if held else "did_not_hold", numbers=numbers, answer=answer)

    def named_values(self) -> Numbers:
        """Return the values for the placeholders `{setting:…}`: knobs, last step, chance level, and
        the lesson's own values.
        """
        knobs: Numbers = {
            name: value if isinstance(value, int | float | str) else None
            for name, value in self.config().model_dump().items()
        }
        chance = 1 / DATASETS[self.config().dataset].classes
        return {**knobs, "last_step": self.plan.last_step, "chance": chance, **self.values}
