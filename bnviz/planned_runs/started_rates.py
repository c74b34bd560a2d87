"""What becomes of the usual run when it is *started* at a learning rate: home's painted track.

It comes with the app, as `assets/data/started_rates.json`; `python -m bnviz rates` makes it anew.
"""

from __future__ import annotations

import functools
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

PATH = Path(__file__).resolve().parents[2] / "assets" / "data" / "started_rates.json"
STEPS, SEEDS = 200, 5
# Home's own rungs: six a decade from 0.001 to 10.
RUNGS = (
    *(float(f"{digit}e{power}") for power in range(-3, 1) for digit in (1, 1.5, 2, 3, 5, 7)),
    10.0,
)


class RateSpan(NamedTuple):
    """Neighbouring rungs at which the networks do alike.

    Attributes:
        first, last: places of the rungs.
        learn: the networks of which every seed learned; None: seeds of one do not do alike.
        broke: whether a seed of the others broke; else they only learn too slowly.
    """

    first: int
    last: int
    learn: tuple[str, ...] | None
    broke: bool


@functools.cache
def started_rates() -> dict[str, Any]:
    """What comes with the app, as `bnviz.commands.rates.measure` returns it."""
    found: dict[str, Any] = orjson.loads(PATH.read_bytes())
    return found


def rate_spans(found: dict[str, Any]) -> list[RateSpan]:
    """The rungs as stretches in which the networks do alike, the smallest rate first."""
    kinds = found["kinds"]
    said = [
        _said({norm: kinds[norm][place] for norm in kinds}) for place in range(len(found["rates"]))
    ]
    made, place = list[RateSpan](), 0
    for (learn, broke), group in groupby(said):
        last = place + len(list(group)) - 1
        made.append(RateSpan(place, last, learn, broke))
        place = last + 1
    return made


def _said(kinds: dict[str, list[str]]) -> tuple[tuple[str, ...] | None, bool]:
    """Which networks learned at one rate, and whether the others broke."""
    learned = {norm: sum(kind == "learned" for kind in seeds) for norm, seeds in kinds.items()}
    if any(0 < learned[norm] < len(seeds) for norm, seeds in kinds.items()):
        return None, False
    others = [kind for norm, seeds in kinds.items() if not learned[norm] for kind in seeds]
    return tuple(norm for norm in kinds if learned[norm]), "broken" in others
