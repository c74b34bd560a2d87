"""How measured values are judged.

Nothing here knows what a claim measures: a judgement is a function of the declared expectation and
of one measured value a seed.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from bnviz.claims.statement import RecordedName, Statement

# Two accuracies on the same test images, each with a standard error of about 0.009 where it is
# 0.97, are not told apart below this.
RESOLUTION = 0.02
TEST_IMAGES = 359
# A network of ten classes up to this accuracy has learned nothing that could be compared.
CHANCE = 0.2


class Outcome(RecordedName):
    """What measured values say of a statement."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "not decided"
    NO_EVIDENCE = "no evidence"


@dataclass(frozen=True)
class StatementJudgement:
    """A statement beside its measured values.

    Attributes:
        claim: the experiment's name ("E6").
        statement: what is claimed.
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
        lost = sum(map(math.isnan, self.values))
        below = sum(value < low for value in self.values) + lost
        above = sum(value > high for value in self.values) + lost
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
    def seeds_met(self) -> int:
        """In how many seeds the value was as expected, and large enough to be told from none."""
        met = map(self.statement.expected.met_by, self.values)
        return sum(here and not tied for here, tied in zip(met, self._tied(), strict=True))

    @property
    def tied_seeds(self) -> int:
        """In how many seeds a difference is claimed between accuracies that are not told apart."""
        return sum(self._tied())

    def _tied(self) -> list[bool]:
        """Whether the difference of each seed is too small to be told from none.

        It is, where it lies below the resolution and so does the smallest one that is expected.
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
        """The smallest difference of two accuracies that is told from none, one a seed.

        At least `RESOLUTION`, and two standard errors of the comparator's accuracy.
        """
        errors = [2 * math.sqrt(a * (1 - a) / TEST_IMAGES) for a in self.compared]
        return [max(RESOLUTION, error) for error in errors] or [RESOLUTION] * len(self.values)


def judge(
    claim: str, statement: Statement, measured: Mapping[int, Mapping[str, float]]
) -> StatementJudgement:
    """A statement beside its measured values, in order of their seeds.

    Args:
        claim: the experiment's name.
        statement: what is claimed.
        measured: seed -> key -> value, of the statement's comparator as well.

    Raises:
        KeyError: the statement or its comparator was not measured.
    """
    seeds = tuple(sorted(measured))
    keys = (statement.key, *([statement.comparator] if statement.comparator else []))
    values, *compared = (tuple(float(measured[seed][key]) for seed in seeds) for key in keys)
    return StatementJudgement(claim, statement, seeds, values, *compared)
