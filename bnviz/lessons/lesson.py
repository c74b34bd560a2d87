"""A lesson: its run, charts and knobs, three answers, and a rule that judges its claim by the run.

A lesson has no sentence: its words are in `assets/texts/<language>/lessons/<name>.toml`, and the
numbers in them come from the run that was watched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.lessons.drawing import Drawing, read_points
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.planned_runs.comparison import Comparison
from bnviz.planned_runs.plan import Plan

Outcome = Literal["held", "did_not_hold", "not_in_this_run"]
Size = Literal["half", "full"]
Value = float | int | str | None
# Measured numbers, by the names that a lesson's words have for them.
Numbers = dict[str, Value]

# The result of a rule: whether the claim held, the measured numbers, and the run's own answer.
Found = tuple[bool, Numbers, str | None]
Rule = Callable[[Watched], Found]
Tell = Callable[[Watched], Numbers]
Compares = Callable[[RunConfig], Comparison]

# Accuracies this close are about level.
LEVEL = 0.02
# Activations, each with the initial weights made for it.
RELU: Mapping[str, Any] = {"activation": "relu", "init": "he"}
TANH: Mapping[str, Any] = {"activation": "tanh", "init": "glorot"}


def schedule(*rates: tuple[int, float], shown: Sequence[int] = (), **more: Any) -> Plan:
    """A plan up to the step of its last rate; its first and its last step are shown.

    Args:
        *rates: (until this step, steps per second).
        shown: steps between them that its rule needs, ascending.
        **more: of `Plan`.
    """
    last = rates[-1][0]
    between = (step for step in shown if step not in (0, last))
    return Plan(rates=rates, last_step=last, shown=(0, *between, last), **more)


@dataclass(frozen=True, kw_only=True)
class KnobChange:
    """A knob that was set otherwise, so that a condition of the claim is missing.

    Attributes:
        knob: its name, a key of `bnviz.config.KNOBS`; or that of an action.
        needed: its value in the lesson's run; of an action how often it is done there.
        found: its value in this run; of an action how often it was done.
    """

    knob: str
    needed: Any
    found: Any


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The result of a run for a lesson's claim. It does not say whether a guess was right.

    Attributes:
        outcome: "held", "did_not_hold", or "not_in_this_run" where a condition was missing.
        missing: the knob by which a condition was missing, or None.
        ended_at: the step at which the run ended, where that was before the claim could be judged.
        ends: how each network ended, where the claim could not be judged.
        numbers: measured values, by the names that the lesson's words have for them.
        answer: the answer that this run gives, a key of the lesson's; None: none of them.
    """

    outcome: Outcome
    missing: KnobChange | None = None
    ended_at: int | None = None
    ends: Mapping[str, End] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)
    answer: str | None = None


def cases(*names: str, found: str | None) -> Numbers:
    """The numbers that tell which of some cases a run is.

    A sentence with `{if:name}` is kept where the run is the case of that name.
    """
    return {name: name == found for name in names}


def either(yes: str, no: str, holds: bool) -> Numbers:
    """The numbers that tell which of two cases a run is: `yes` where something holds."""
    return {yes: bool(holds), no: not holds}


def compared(norm: str, other: str) -> Tell:
    """Compares the last test accuracies of two networks: the cases "ahead", "level", "behind"."""

    def tell(watched: Watched) -> Numbers:
        one, two = (watched.last_accuracy(each) for each in (norm, other))
        found = "level" if abs(one - two) <= LEVEL else "ahead" if one > two else "behind"
        return cases("ahead", "level", "behind", found=found)

    return tell


@dataclass(frozen=True, kw_only=True)
class End:
    """How a network ended.

    Attributes:
        accuracy: test accuracy at the last step, 0 to 1; None for one that has stopped.
        stopped: the step at which its numbers became infinite, or None.
    """

    accuracy: float | None
    stopped: int | None


def ends(watched: Watched) -> dict[str, End]:
    """How each network ended, by name; empty where nothing was measured at the last step."""
    found: dict[str, End] = {}
    for norm in watched.config.norms:
        try:
            record = watched.at(watched.last_step, norm)
        except NotMeasured:
            return {}
        accuracy = None if record.stopped is not None else watched.last_accuracy(norm)
        found[norm] = End(accuracy=accuracy, stopped=record.stopped)
    return found


@dataclass(frozen=True, kw_only=True)
class BatchLoses:
    """That BN loses in a break, and by which measure (`bnviz.lessons.losses`).

    Attributes:
        to: the network that it loses to.
        by: "end": test accuracy at the last step; "lowest": the lowest since the last change;
            "steps": how many it takes to the accuracy `until` of the break.
    """

    to: str = "none"
    by: Literal["end", "lowest", "steps"] = "end"


@dataclass(frozen=True, kw_only=True)
class BreakIt:
    """A break: another setting of a lesson's run, in which its claim may fail.

    Attributes:
        name: key of its words.
        knobs: of `RunConfig`, which replace the lesson's.
        plan: its schedule; None: the lesson's without its changes, at `break_rates`.
        tell: makes the numbers that its sentences print.
        said_at: as a lesson has it.
        ends: whether sentences say how each network ended.
        charts: those of its run, as a lesson has them; none: the lesson's.
        target_accuracy: test accuracy, 0 to 1; its sentences say when each network arrives there; or None.
        batch_loses: that it is one of those that the page `when-it-loses` collects, or None.
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
    """A lesson.

    Attributes:
        name: its key in `bnviz.lessons.LESSONS`, and of its words.
        minutes: about how long it takes.
        setting: knobs of `RunConfig` with which its run begins, where they are not the defaults.
        plan: the run's schedule: pace, changes, last step, and the steps that its rule needs.
        charts: in order.
        covered: those of them that would answer the question: they show no values until the guess.
        half: those of them that have half of the view's width.
        ranges: by what is measured (a field without its network, such as "fit.gap"), the lowest
            and the highest value that axes show from the start of the lesson's own run, so that
            they stay the same while it plays; they grow where it goes beyond.
        knobs: those that its page offers.
        answers: keys of the three answers; of fewer where there is nothing to predict.
        rule: judges the claim; None: the lesson makes none.
        said_at: the step of which the verdict speaks first, and which charts show once the run has
            ended; None: the last.
        starts: makes the numbers measured at step 0 that the beat *watch* says first, or None.
        guess_on: the chart whose heading notes the guess; "": the first.
        stops: of a lesson without a claim, the parts of the page that its tour lights one by one.
        check: of a lesson without a claim, makes the numbers that answer its one question.
        free: knobs that may be set without taking away a condition of the claim.
        breaks: settings in which the claim may fail.
        widgets: names of its widgets (`bnviz.ui.lessons.widgets`), by beat, by "figure", by
            "more": those folded with the formulas of the beat *why*; or by "beside_why": those in
            the figure's place in that beat.
        tried_first: the widget that the reader must have used before the run says anything, or "".
        drawing: where the answer is a curve, what the reader draws instead of choosing.
        values: numbers that the words may name, beside those of config and plan.
        series: runs that are compared with each other in the beat *why*, or None.
        sets_up: runs that are compared in the beat *question*, before anything is guessed, or None.
        series_first: whether they stand before what is folded there.
        compares: where the lesson's run is several, one after another: makes them from the config
            with which it begins, which is that of the first, as `plan` is its plan. None: it is
            one.
        guessed_bars: of such a lesson, by answer, the bar of the ladder that it means: the setting,
            the network, and how many steps; None: it never arrives.
        break_rates: the pace of its breaks; none: that of its own run.
        accounts: keys of the explanations of which the reader holds one at the end, and says why;
            none of them is marked right. None: the lesson does not end so.
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
    breaks: tuple[BreakIt, ...] = ()
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
        """The config with which the lesson's run begins."""
        return RunConfig(**{**self.setting, "seed": seed})

    def break_config(self, name: str, seed: int = 0) -> RunConfig:
        """The config of one of the lesson's breaks."""
        return RunConfig(**{**self.setting, **self.break_named(name).knobs, "seed": seed})

    def break_plan(self, name: str) -> Plan:
        """The schedule of one of the lesson's breaks."""
        chosen = self.break_named(name).plan
        if chosen is not None:
            return chosen
        return replace(self.plan, changes=(), rates=self.break_rates or self.plan.rates)

    def charts_of(self, broken: str | None) -> tuple[tuple[str, Size], ...]:
        """The charts of the lesson's own run, or of one of its breaks, each with its size."""
        charts = (self.break_named(broken).charts if broken else ()) or self.charts
        return tuple((name, "half" if name in self.half else "full") for name in charts)

    def break_named(self, name: str) -> BreakIt:
        """One of the lesson's breaks.

        Raises:
            KeyError: there is none of that name.
        """
        return {each.name: each for each in self.breaks}[name]

    def answer_of(self, guess: str) -> str | None:
        """The answer that a guess means: itself, or that of the drawn curve; None: none of them."""
        points = read_points(guess, len(self.drawing.curves)) if self.drawing else None
        if points is None or self.drawing is None:
            return guess if guess in self.answers else None
        return self.drawing.answer(*self.drawing.drawn(points))

    def verdict(self, watched: Watched) -> Verdict | None:
        """Judge the claim by a run.

        Returns:
            The verdict; None before the run has reached its last step or ended, before the last of
            several has, or without a claim.

        Raises:
            NotMeasured: what the rule needs was not measured in this run.
        """
        if self.compares is not None:
            over = watched.compared is not None and watched.compared.complete
            return self._judged(watched) if over else None
        early = watched.last_step < self.plan.last_step
        if self.rule is None or (early and not watched.ended):
            return None
        # In a run that ended early the later changes of the plan are not missing.
        until = watched.last_step if early else self.plan.last_step
        changed = watched.changed_knobs(self.config(), self.plan.changes, until, self.free)
        if not changed and watched.stands_still:
            # A mini-batch is too small for a norm, of which nothing is measured.
            size = watched.knob("batch_size", self.plan.last_step)
            changed = {"batch_size": (self.config().batch_size, size)}
        if changed:
            knob, (needed, found) = next(iter(changed.items()))
            missing = KnobChange(knob=knob, needed=needed, found=found)
            return Verdict(outcome="not_in_this_run", missing=missing, ends=ends(watched))
        if early:
            return Verdict(
                outcome="not_in_this_run", ended_at=watched.last_step, ends=ends(watched)
            )
        return self._judged(watched)

    def _judged(self, watched: Watched) -> Verdict | None:
        """What the rule says; None without one."""
        if self.rule is None:
            return None
        held, measured, answer = self.rule(watched)
        # Pages send them to browsers, which know no NumPy.
        numbers = {k: v.item() if isinstance(v, np.generic) else v for k, v in measured.items()}
        return Verdict(outcome="held" if held else "did_not_hold", numbers=numbers, answer=answer)

    def named_values(self) -> Numbers:
        """The values for `{setting:…}`: the lesson's knobs, its schedule, and its own values."""
        knobs: Numbers = {
            name: value if isinstance(value, int | float | str) else None
            for name, value in self.config().model_dump().items()
        }
        chance = 1 / DATASETS[self.config().dataset].classes
        return {**knobs, "last_step": self.plan.last_step, "chance": chance, **self.values}
