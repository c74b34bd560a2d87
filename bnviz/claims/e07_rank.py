"""E7: without normalization the values of a deep linear network become one direction."""

from __future__ import annotations

import math
from typing import Any

from bnviz.claims.runs import play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    about,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig

DEPTH, WIDTH, NARROW = 50, 32, 16
HALF = 25
WIDE, WIDER = 64, 256
WIDTHS = (64, 128, 256)
ROOT = math.sqrt(WIDTH)

WIDE_PART = "wide"


def _knobs(width: int) -> dict[str, Any]:
    return {"activation": "linear", "depth": DEPTH, "width": width}


def _watch(width: int) -> Watch:
    return in_lab(_knobs(width), ("rank",), 0)


STATEMENTS = (
    Statement(
        key="none",
        expected=at_most(1.5),
        kind=Kind.PAPER,
        unit=Unit.DIRECTIONS,
        watch=_watch(WIDTH),
    ),
    Statement(
        key="batch",
        expected=between(ROOT / math.sqrt(2), ROOT * math.sqrt(2)),
        kind=Kind.PAPER,
        unit=Unit.DIRECTIONS,
        watch=_watch(WIDTH),
    ),
    Statement(
        key="batch-root",
        expected=about(2, 0.15),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=_watch(WIDER),
    ),
    Statement(
        key="none-narrow",
        expected=at_most(1.5),
        kind=Kind.FOUND,
        unit=Unit.DIRECTIONS,
        part="narrow",
        instead_of="none",
        watch=_watch(NARROW),
    ),
    Statement(
        key="root",
        expected=at_most(0.12),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=WIDE_PART,
        watch=_watch(WIDER),
    ),
    Statement(
        key="depth",
        expected=about(1, 0.1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=WIDE_PART,
        watch=_watch(WIDER),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    wide, wider = (_ratios(seed, width)["batch"][-1] for width in (WIDE, WIDER))
    found = {norm: ratios[-1] for norm, ratios in _ratios(seed, WIDTH).items()}
    return {**found, "batch-root": wider / wide}


def measure_narrow(seed: int) -> dict[str, float]:
    """Where the network is narrow for its depth."""
    return {"none-narrow": _ratios(seed, NARROW)["none"][-1]}


def measure_wide(seed: int) -> dict[str, float]:
    """How near to √d it comes in wide networks."""
    found = {width: _ratios(seed, width)["batch"] for width in WIDTHS}
    off = [abs(ratios[-1] / math.sqrt(width) - 1) for width, ratios in found.items()]
    return {"root": max(off), "depth": found[WIDER][-1] / found[WIDER][HALF - 1]}


def _ratios(seed: int, width: int) -> dict[str, list[float]]:
    """The participation ratio of each layer, by norm."""
    (shot,) = play(RunConfig(seed=seed, **_knobs(width)), (0,), ("rank",))
    return {
        norm: [float(value) for value in record.probes["rank"]["participation"]]
        for norm, record in shot.networks.items()
    }


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"narrow": measure_narrow, WIDE_PART: measure_wide},
    numbers={
        "depth": DEPTH,
        "half": HALF,
        "narrow": NARROW,
        "width": WIDTH,
        "root": ROOT,
        "wide": WIDE,
        "wider": WIDER,
        "widths": ", ".join(map(str, WIDTHS)),
    },
)
