"""Recorded outcomes of the default run at each initial learning rate and batch size.

The track of the rate slider shows these outcomes. The data is in `assets/data/started_rates.json`.
`python -m bnviz rates` measures it again.
"""

from __future__ import annotations

import functools
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from bnviz.locations import locations

PATH = locations().assets / "data" / "started_rates.json"
STEPS, SEEDS = 200, 5
BATCH_SIZES = (4, 8, 16, 32, 60, 128, 256)
# Positions of every slider for the learning rate: six per decade from 0.001 to 10.
RUNGS = (
    *(float(f"{digit}e{power}") for power in range(-3, 1) for digit in (1, 1.5, 2, 3, 5, 7)),
    10.0,
)
# Codes in the file for the outcome of a network with one seed.
LEARNED, STUCK, BROKEN = "l", "s", "b"


class RateSpan(NamedTuple):
    """Neighbouring rates at which the same networks learn.

    Attributes:
        first, last: indices of the rates.
        learn: networks that learned with every seed; None if the seeds of one network disagree.
        broke: whether a network that did not learn broke with some seed. If False, every such
            network learned too slowly.
    """

    first: int
    last: int
    learn: tuple[str, ...] | None
    broke: bool


@functools.cache
def started_rates() -> dict[str, Any]:
    """Return the recorded outcomes, as `bnviz.commands.rates.measure` returned them."""
    found: dict[str, Any] = orjson.loads(PATH.read_bytes())
    return found


def rate_spans(found: dict[str, Any], batch_size: int) -> list[RateSpan]:
    """Return the spans of rates at which the same networks learn, from low to high rates."""
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
    """Return which networks learned at one rate, and whether any other network broke."""
    learned = {norm: seeds.count(LEARNED) for norm, seeds in kinds.items()}
    if any(0 < learned[norm] < len(seeds) for norm, seeds in kinds.items()):
        return None, False
    others = "".join(seeds for norm, seeds in kinds.items() if not learned[norm])
    return tuple(norm for norm in kinds if learned[norm]), BROKEN in others
