"""How measured values are judged.

Nothing here knows what a claim measures: a judgement is a function of the declared expectation and
of one measured value a seed.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bnviz.claims.statement import Statement

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
