"""What becomes of the default run when it is *started* at a learning rate: the painted track.

It was measured beforehand for several batch sizes, `assets/data/started_rates.json`;
`python -m bnviz rates` measures it again.
"""

from __future__ import annotations

import functools
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

PATH = Path(__file__).resolve().parents[2] / "assets" / "data" / "started_rates.json"
STEPS, SEEDS = 200, 5
BATCH_SIZES = (4, 8, 16, 32, 60, 128, 256)
# The rungs of every slider of the learning rate: six per decade from 0.001 to 10.
RUNGS = (
    *(float(f"{digit}e{power}") for power in range(-3, 1) for digit in (1, 1.5, 2, 3, 5, 7)),
    10.0,
)
# How the file writes what became of a network.
LEARNED, STUCK, BROKEN = "l", "s", "b"


class RateSpan(NamedTuple):
    """Neighbouring rates at which the same networks learn.

    Attributes:
        first, last: indices of the rates.
        learn: the networks of which every seed learned; None: of one network some seeds did.
        broke: whether a seed of the other networks broke; if not, they only learn too slowly.
    """

    first: int
    last: int
    learn: tuple[str, ...] | None
    broke: bool


@functools.cache
def started_rates() -> dict[str, Any]:
    """Return what was measured, as `bnviz.commands.rates.measure` returns it."""
    found: dict[str, Any] = orjson.loads(PATH.read_bytes())
    return found


def rate_spans(found: dict[str, Any], batch_size: int) -> list[RateSpan]:
    """The spans of rates at which the same networks learn, the smallest rate first.

    Args:
        found: from `started_rates`.
        batch_size: one of `BATCH_SIZES`.
    """
    kinds = {norm: rows[str(batch_size)] for norm, rows in found["kinds"].items()}
    outcomes = [
        _outcome({norm: kinds[norm][index] for norm in kinds})
        for index in range(len(found["rates"]))
    ]
    spans, first = list[RateSpan](), 0
    for (learn, broke), group in groupby(outcomes):
        last = first + len(list(group)) - 1
        spans.append(RateSpan(first, last, learn, broke))
        first = last + 1
    return spans


def _outcome(kinds: dict[str, str]) -> tuple[tuple[str, ...] | None, bool]:
    """Which networks learned at one rate, and whether one of the others broke."""
    learned = {norm: seeds.count(LEARNED) for norm, seeds in kinds.items()}
    if any(0 < learned[norm] < len(seeds) for norm, seeds in kinds.items()):
        return None, False
    others = "".join(seeds for norm, seeds in kinds.items() if not learned[norm])
    return tuple(norm for norm in kinds if learned[norm]), BROKEN in others
