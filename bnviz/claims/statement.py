"""What is claimed, what is expected before anything is measured, and how values are judged.

Nothing here knows what a claim measures: a judgement is a function of the declared expectation and
of one measured value a seed.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

# Two accuracies on the same test images, each with a standard error of about 0.009 where it is
# 0.97, are not told apart below this.
RESOLUTION = 0.02
TEST_IMAGES = 359
# A network of ten classes up to this accuracy has learned nothing that could be compared.
CHANCE = 0.2


class Outcome(StrEnum):
    """What is found of a statement."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "not decided"
    NO_EVIDENCE = "no evidence"


class Kind(StrEnum):
    """Where a statement comes from."""

    PAPER = "paper"
    CALCULATION = "calculation"
    EARLIER = "earlier run"
    FOUND = "found here"


@dataclass(frozen=True)
class Expectation:
    """The interval in which a measured value is expected, bounds included.

    Attributes:
        low: lower bound, or minus infinity.
        high: upper bound, or infinity.
        words: what is expected, as the table prints it.
    """

    low: float
    high: float
    words: str

    def met_by(self, value: float) -> bool:
        """Whether one value lies in the interval; NaN never does."""
        return self.low <= value <= self.high

    def margin(self, value: float) -> float:
        """How far inside of the nearest bound a value lies; negative outside of it."""
        return min(value - self.low, self.high - value)

    @property
    def a_tie(self) -> bool:
        """Whether no difference at all would be as expected, on either side of it."""
        return self.low < 0 < self.high


def at_least(low: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(low, math.inf, f"≥ {_written(low)}")


def at_most(high: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(-math.inf, high, f"≤ {_written(high)}")


def between(low: float, high: float) -> Expectation:
    """A range that was reported."""
    return Expectation(low, high, f"{_written(low, 3)} to {_written(high, 3)}")


def about(value: float, share: float) -> Expectation:
    """A number that was reported or derived, within this share of it."""
    margin = abs(value) * share
    words = f"{_written(value, 4)} ± {100 * share:g} %"
    return Expectation(value - margin, value + margin, words)


def _written(value: float, digits: int = 6) -> str:
    """A number with a minus sign that is one, and exponents without zeros (1e-8)."""
    text = re.sub(r"e-0(\d)", r"e-\1", f"{value:.{digits}g}")
    return text.replace("-", "−", 1) if text.startswith("-") else text


@dataclass(frozen=True)
class Watch:
    """How the lab shows a statement.

    Attributes:
        knobs: of `RunConfig`, what differs from its defaults.
        charts: those in which it is seen, the telling one first; none: those that always stand.
        step: at which it is seen, or None.
    """

    knobs: Mapping[str, Any] = field(default_factory=dict)
    charts: tuple[str, ...] = ()
    step: int | None = None


@dataclass(frozen=True)
class Comparator:
    """What a statement compares with: where it has learned nothing, the comparison says nothing.

    Attributes:
        key: under which `measure` gives its accuracy.
        name: what it is, as a sentence calls it ("the plain network").
    """

    key: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One sentence that can be false.

    Attributes:
        key: its name among the statements of its experiment; a measurement gives its value under
            it.
        text: the sentence.
        setting: under which conditions, in full.
        quantity: what is measured.
        expected: declared before measuring.
        source: the paper, "calculation", "earlier run" (one seed or few), or "found here".
        lead: the sentence by itself, without its neighbours, where it belongs to what a reader
            should know first; else empty.
        part: which of its experiment's measurements gives its value; empty: the main one.
        instead_of: key of a statement that fails, where this one says under which setting it holds.
        difference: whether the value is a difference of two accuracies on the same test images.
        comparator: what it compares with, where that may have learned nothing.
        changed: where setting, window or bound were changed after a measurement: what was declared
            first, and what had been found; where a bound was set knowing an earlier measurement:
            what that was. Empty: neither.
        watch: how the lab shows it; or a sentence that says why it cannot.
    """

    key: str
    text: str
    setting: str
    quantity: str
    expected: Expectation
    source: str
    lead: str = ""
    part: str = ""
    instead_of: str | None = None
    difference: bool = False
    comparator: Comparator | None = None
    changed: str = ""
    watch: Watch | str = ""

    @property
    def kind(self) -> Kind:
        """Where it comes from; whatever is no other kind is a paper."""
        return Kind(self.source) if self.source in set(Kind) else Kind.PAPER

    @property
    def found(self) -> bool:
        """Whether it was stated after it had been seen."""
        return self.kind is Kind.FOUND


Measure = Callable[[int], Mapping[str, float]]


@dataclass(frozen=True)
class Claim:
    """An experiment.

    Attributes:
        statements: all that it is held to.
        measure: seed -> one value for every statement of the main part, by key.
        note: what a reader should know of how it is measured; may be empty.
        parts: further measurements, by the name that their statements give as `part`. Each runs
            on the seeds of its own statements only.
    """

    statements: tuple[Statement, ...]
    measure: Measure
    note: str = ""
    parts: Mapping[str, Measure] = field(default_factory=dict)

    def measurement(self, part: str) -> Measure:
        """The measurement of a part."""
        return self.parts[part] if part else self.measure


@dataclass(frozen=True)
class Judgement:
    """A statement with its measured values.

    Attributes:
        claim: the experiment's name ("E6").
        statement: what was claimed.
        seeds: the seeds, in order.
        values: the measured values, one a seed.
        compared: the comparator's accuracies, one a seed; none where there is no comparator.
    """

    claim: str
    statement: Statement
    seeds: tuple[int, ...]
    values: tuple[float, ...]
    compared: tuple[float, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """What is found.

        The range of the seeds is an interval for the median over all seeds: of five it misses
        that once in sixteen times. Where it lies wholly as expected the statement holds; where
        it lies wholly to one side of that, it does not; where it straddles a bound, nothing is
        decided. A seed without a number is never as expected.
        """
        if self.against_nothing:
            return Outcome.NO_EVIDENCE
        if self.seeds_met == len(self.values) > 0:
            return Outcome.HOLDS
        low, high = self.statement.expected.low, self.statement.expected.high
        lost = len(self.values) - len(self.known)
        below = sum(value < low for value in self.known) + lost
        above = sum(value > high for value in self.known) + lost
        apart = self.tied_seeds == 0 and len(self.values) > 0
        if apart and len(self.values) in (below, above):
            return Outcome.FAILS
        return Outcome.UNDECIDED

    @property
    def against_nothing(self) -> bool:
        """Whether what it compares with was at chance in the median seed."""
        return bool(self.compared) and self.compared_median <= CHANCE

    @property
    def compared_median(self) -> float:
        """The comparator's median accuracy; NaN where there is no comparator."""
        return statistics.median(self.compared) if self.compared else math.nan

    @property
    def known(self) -> tuple[float, ...]:
        """The values that are numbers."""
        return tuple(value for value in self.values if not math.isnan(value))

    @property
    def median(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return statistics.median(self.known) if self.known else math.nan

    @property
    def lowest(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return min(self.known, default=math.nan)

    @property
    def highest(self) -> float:
        """Of the values that are numbers; NaN where none is."""
        return max(self.known, default=math.nan)

    @property
    def margin(self) -> float:
        """How far inside of its bounds the worst seed lies; negative outside.

        NaN where a seed has no number: that is worse than any.
        """
        if len(self.known) < len(self.values):
            return math.nan
        return min(map(self.statement.expected.margin, self.known), default=math.nan)

    @property
    def seeds_met(self) -> int:
        """In how many seeds the value was as expected, and told apart from none at all."""
        met = map(self.statement.expected.met_by, self.values)
        return sum(here and not tied for here, tied in zip(met, self._tied(), strict=True))

    @property
    def tied_seeds(self) -> int:
        """In how many seeds a difference is claimed between accuracies that are not told apart."""
        return sum(self._tied())

    def _tied(self) -> list[bool]:
        """Of each seed whether its difference is too small to be told from none.

        That is one below the resolution where a difference as small would be as expected.
        """
        expected = self.statement.expected
        if not self.statement.difference or expected.a_tie:
            return [False] * len(self.values)
        smallest = min(abs(expected.low), abs(expected.high))
        return [
            max(abs(value), smallest) < resolution
            for value, resolution in zip(self.values, self._resolutions(), strict=True)
        ]

    def _resolutions(self) -> list[float]:
        """Below which two accuracies are not told apart, a seed each.

        Two standard errors of the comparator's accuracy, which is larger the nearer that is to ½.
        """
        errors = [2 * math.sqrt(a * (1 - a) / TEST_IMAGES) for a in self.compared]
        return [max(RESOLUTION, error) for error in errors] or [RESOLUTION] * len(self.values)


def judge(
    claim: str, statement: Statement, measured: Mapping[int, Mapping[str, float]]
) -> Judgement:
    """Put measured values beside what was expected.

    Args:
        claim: the experiment's name.
        statement: what is claimed.
        measured: seed -> key -> value, of the statement's comparator as well.

    Raises:
        KeyError: the statement or its comparator was not measured.
    """
    seeds = tuple(sorted(measured))
    keys = (statement.key,) if statement.comparator is None else (
        statement.key, statement.comparator.key,
    )  # fmt: skip
    values, *compared = (tuple(float(measured[seed][key]) for seed in seeds) for key in keys)
    return Judgement(claim, statement, seeds, values, *compared)
