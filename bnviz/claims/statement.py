"""What is claimed, what is expected before anything is measured, and how values are judged.

Nothing here knows what a claim measures: a judgement is a function of the declared expectation and
of one measured value a seed.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Expectation:
    """The interval in which a measured value is expected, bounds included.

    Attributes:
        low: lower bound, or minus infinity.
        high: upper bound, or infinity.
        words: what is expected, as the table prints it.
        every_seed: whether each seed's value must lie in it, or only their median.
    """

    low: float
    high: float
    words: str
    every_seed: bool

    def met_by(self, value: float) -> bool:
        """Whether one value lies in the interval; NaN never does."""
        return self.low <= value <= self.high

    def holds(self, values: tuple[float, ...]) -> bool:
        """The judgement over all seeds' values; without a value nothing holds."""
        if not values or any(math.isnan(value) for value in values):
            return False
        if self.every_seed:
            return all(self.met_by(value) for value in values)
        return self.met_by(statistics.median(values))


def at_least(low: float) -> Expectation:
    """A sign or an order of magnitude: every seed must show it."""
    return Expectation(low, math.inf, f"≥ {_written(low)} in every seed", every_seed=True)


def at_most(high: float) -> Expectation:
    """A sign or an order of magnitude: every seed must show it."""
    return Expectation(-math.inf, high, f"≤ {_written(high)} in every seed", every_seed=True)


def between(low: float, high: float) -> Expectation:
    """A range that was reported: the median must lie in it."""
    return Expectation(low, high, f"{_written(low, 3)} to {_written(high, 3)}", every_seed=False)


def about(value: float, share: float) -> Expectation:
    """A number that was reported or derived: the median must be as near as this share of it."""
    margin = abs(value) * share
    words = f"{_written(value, 4)} ± {100 * share:g} %"
    return Expectation(value - margin, value + margin, words, every_seed=False)


def _written(value: float, digits: int = 6) -> str:
    """A number with a minus sign that is one, and exponents without zeros (1e-8)."""
    text = re.sub(r"e-0(\d)", r"e-\1", f"{value:.{digits}g}")
    return text.replace("-", "−", 1) if text.startswith("-") else text


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One sentence that can be false.

    Attributes:
        key: its name among the statements of its experiment; `measure` gives its value under it.
        text: the sentence.
        setting: under which conditions, in full.
        quantity: what is measured.
        expected: declared before measuring.
        source: the paper, "calculation", "earlier run" (one seed or few), or "found here".
        instead_of: key of a statement that fails, where this one says under which setting it holds.
    """

    key: str
    text: str
    setting: str
    quantity: str
    expected: Expectation
    source: str
    instead_of: str | None = None


Measure = Callable[[int], Mapping[str, float]]


@dataclass(frozen=True)
class Claim:
    """An experiment.

    Attributes:
        statements: all that it is held to.
        measure: seed -> one value for every statement, by key.
        note: what a reader should know of how it is measured; may be empty.
    """

    statements: tuple[Statement, ...]
    measure: Measure
    note: str = ""


@dataclass(frozen=True)
class Judgement:
    """A statement with its measured values.

    Attributes:
        claim: the experiment's name ("E6").
        statement: what was claimed.
        seeds: the seeds, in order.
        values: the measured values, one a seed.
    """

    claim: str
    statement: Statement
    seeds: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether the statement holds."""
        return self.statement.expected.holds(self.values)

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
    def seeds_met(self) -> int:
        """In how many seeds the value was as expected."""
        return sum(self.statement.expected.met_by(value) for value in self.values)


def judge(
    claim: str, statements: tuple[Statement, ...], measured: Mapping[int, Mapping[str, float]]
) -> list[Judgement]:
    """Put measured values beside what was expected.

    Args:
        claim: the experiment's name.
        statements: what is claimed.
        measured: seed -> key -> value.

    Raises:
        KeyError: a statement was not measured, or something was that nobody stated.
    """
    keys = {statement.key for statement in statements}
    for seed, values in measured.items():
        if set(values) != keys:
            odd = ", ".join(sorted(keys ^ set(values)))
            raise KeyError(f"{claim}, seed {seed}: stated or measured, but not both: {odd}")
    seeds = tuple(sorted(measured))
    return [
        Judgement(
            claim, statement, seeds, tuple(float(measured[seed][statement.key]) for seed in seeds)
        )
        for statement in statements
    ]
