"""Recorded comparison of nine learning rates: final accuracy and weight growth per seed.

The data is in `assets/data/compared_rates.json`. `python -m bnviz rates` measures it again.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import orjson

from bnviz.locations import locations

PATH = locations().assets / "data" / "compared_rates.json"
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
STEPS, SEEDS = 300, 10
# Minimum test accuracy at which a network counts as having learned.
LEARNED = 0.9

# Results by network: one row per rate, and one number per seed in each row.
Measured = Mapping[str, Sequence[Sequence[Any]]]


@dataclass(frozen=True, kw_only=True)
class ComparedRates:
    """Results of all runs.

    Attributes:
        accuracies: final test accuracy, 0 to 1; 0 if outputs are not finite.
        lengths: final weight norm ÷ initial weight norm, median of the hidden layers; None if not
            finite.
    """

    rates: Sequence[float]
    steps: int
    seeds: int
    accuracies: Measured
    lengths: Measured

    def middle(self, norm: str) -> list[float]:
        """Return the median accuracy over the seeds, at each rate."""
        return [median(row) for row in self.accuracies[norm]]

    def learned(self, norm: str) -> list[float]:
        """Return the rates at which the median accuracy reaches `LEARNED`."""
        pairs = zip(self.rates, self.middle(norm), strict=True)
        return [rate for rate, accuracy in pairs if accuracy >= LEARNED]

    def grown(self, norm: str) -> list[float | None]:
        """Return the median weight growth at each rate, or None if a seed has no finite value."""
        return [None if None in row else median(row) for row in self.lengths[norm]]

    def to_json(self) -> bytes:
        return orjson.dumps(asdict(self)) + b"\n"


@functools.cache
def compared_rates() -> ComparedRates:
    return ComparedRates(**orjson.loads(PATH.read_bytes()))
