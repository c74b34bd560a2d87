"""The usual networks at nine learning rates: how well each seed learned, and how its weights grew.

It was measured beforehand, `assets/data/compared_rates.json`; `python -m bnviz rates` measures it
again.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import orjson

PATH = Path(__file__).resolve().parents[2] / "assets" / "data" / "compared_rates.json"
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
STEPS, SEEDS = 300, 10
# Test accuracy from which a network has learned.
LEARNED = 0.9

# By network, a row for each rate with a number for each seed.
Measured = Mapping[str, Sequence[Sequence[Any]]]


@dataclass(frozen=True, kw_only=True)
class ComparedRates:
    """What was measured.

    Attributes:
        rates: learning rates, the lowest first.
        steps: of every run.
        seeds: how many runs there are at each rate, with seeds from 0.
        accuracies: last test accuracy, 0 to 1; 0 where outputs are not finite.
        lengths: length of a hidden layer's weights at the end ÷ at the start, the median over the
            hidden layers; None where it is not finite.
    """

    rates: Sequence[float]
    steps: int
    seeds: int
    accuracies: Measured
    lengths: Measured

    def middle(self, norm: str) -> list[float]:
        """One network's median accuracy over the seeds, at each rate."""
        return [median(row) for row in self.accuracies[norm]]

    def learned(self, norm: str) -> list[float]:
        """The rates at which one network learned: its median accuracy is `LEARNED` or more."""
        pairs = zip(self.rates, self.middle(norm), strict=True)
        return [rate for rate, accuracy in pairs if accuracy >= LEARNED]

    def grown(self, norm: str) -> list[float | None]:
        """How many times as long one network's weights became, at each rate: median over seeds.

        None where a seed's weights are not finite.
        """
        return [None if None in row else median(row) for row in self.lengths[norm]]

    def to_json(self) -> bytes:
        """Encode it as its file has it."""
        return orjson.dumps(asdict(self)) + b"\n"


@functools.cache
def compared_rates() -> ComparedRates:
    """Return what was measured."""
    return ComparedRates(**orjson.loads(PATH.read_bytes()))
