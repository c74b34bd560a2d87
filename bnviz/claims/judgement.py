"""Judgement of statements by their expected intervals and the values measured per seed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from bnviz.claims.statement import RecordedName, Statement

# Smallest difference of two test accuracies that counts. At an accuracy of 0.97, each accuracy has
# a standard error of about 0.009.
RESOLUTION = 0.02
TEST_IMAGES = 359
# Highest accuracy at which a network of ten classes counts as having learned nothing.
CHANCE = 0.2


class StatementOutcome(RecordedName):
    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "not decided"
    NO_EVIDENCE = "no evidence"


@dataclass(frozen=True)
class StatementJudgement:
    """Statement with its measured values and its comparator's accuracies, one per seed."""

    claim: str
    statement: Statement
    seeds: tuple[int, ...]
    values: tuple[float, ...]
    compared: tuple[float, ...] = ()

    @property
    def outcome(self) -> StatementOutcome:
        """Judge the statement by the range of its values over the seeds.

        The range is a confidence interval for the median over all seeds. With five seeds it misses
        the median once in 16 times. The statement holds if the whole range is as expected, and
        fails if the whole range is on one side of the expected interval. Otherwise it is undecided.
        NaN is never as expected.
        """
        if self.against_nothing:
            return StatementOutcome.NO_EVIDENCE
        if self.seeds_met == len(self.values) > 0:
            return StatementOutcome.HOLDS
        low, high = self.statement.expected.low, self.statement.expected.high
        lost = sum(map(math.isnan, self.values))
        below = sum(value < low for value in self.values) + lost
        above = sum(value > high for value in self.values) + lost
        apart = self.tied_seeds == 0 and len(self.values) > 0
        if apart and len(self.values) in (below, above):
            return StatementOutcome.FAILS
        return StatementOutcome.UNDECIDED

    @property
    def against_nothing(self) -> bool:
        """Return whether the comparator's median accuracy is at chance level."""
        return bool(self.compared) and self.compared_median <= CHANCE

    @property
    def compared_median(self) -> float:
        """Median accuracy of the comparator, or NaN without a comparator."""
        return statistics.median(self.compared) if self.compared else math.nan

    @property
    def seeds_met(self) -> int:
        """Number of seeds whose value is as expected and large enough to count."""
        met = map(self.statement.expected.met_by, self.values)
        return sum(here and not tied for here, tied in zip(met, self._tied(), strict=True))

    @property
    def tied_seeds(self) -> int:
        """Number of seeds whose difference of accuracies is too small to count."""
        return sum(self._tied())

    def _tied(self) -> list[bool]:
        """Return for each seed whether its difference is too small to count.

        A difference is too small if both it and the smallest expected difference are below the
        resolution.
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
        """Smallest difference that counts: `RESOLUTION`, or two standard errors if larger."""
        errors = [2 * math.sqrt(a * (1 - a) / TEST_IMAGES) for a in self.compared]
        return [max(RESOLUTION, error) for error in errors] or [RESOLUTION] * len(self.values)


def judge(
    claim: str, statement: Statement, measured: Mapping[int, Mapping[str, float]]
) -> StatementJudgement:
    """Build a judgement from {seed: {key: value}}. Raise KeyError if a value is missing."""
    seeds = tuple(sorted(measured))
    keys = (statement.key, *([statement.comparator] if statement.comparator else []))
    values, *compared = (tuple(float(measured[seed][key]) for seed in seeds) for key in keys)
    return StatementJudgement(claim, statement, seeds, values, *compared)
