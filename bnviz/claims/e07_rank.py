"""E7: without normalization, all outputs of a deep linear network end up in one direction."""

from __future__ import annotations

import math

from bnviz.claims.runs import networks_after
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    Unit,
    about,
    at_most,
    between,
    calculated,
    found_here,
    in_lab,
    quoted,
)

DEPTH, HALF = 50, 25
NARROW, WIDTH, WIDE, WIDER = 16, 32, 64, 256
WIDTHS = (64, 128, 256)
ROOT = math.sqrt(WIDTH)


def _knobs(width: int) -> KnobValues:
    return {"activation": "linear", "depth": DEPTH, "width": width}


AT_NARROW, AT_WIDTH, AT_WIDER = (
    in_lab(_knobs(width), "rank", 0) for width in (NARROW, WIDTH, WIDER)
)  # fmt: skip

STATEMENTS = (
    quoted("none", at_most(1.5), Unit.DIRECTIONS, AT_WIDTH),
    quoted("batch", between(ROOT / math.sqrt(2), ROOT * math.sqrt(2)), Unit.DIRECTIONS, AT_WIDTH),
    calculated("batch-root", about(2, 0.15), TIMES, AT_WIDER),
    found_here("none-narrow", at_most(1.5), Unit.DIRECTIONS, AT_NARROW,
               part="narrow", instead_of="none"),
    found_here("root", at_most(0.12), TIMES, AT_WIDER, part="wide"),
    found_here("depth", about(1, 0.1), TIMES, AT_WIDER, part="wide"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    wide, wider = (_directions(seed, width, "batch")[-1] for width in (WIDE, WIDER))
    none, batch = (_directions(seed, WIDTH, norm)[-1] for norm in ("none", "batch"))
    return {"none": none, "batch": batch, "batch-root": wider / wide}


def measure_narrow(seed: int) -> ClaimValues:
    return {"none-narrow": _directions(seed, NARROW, "none")[-1]}


def measure_wide(seed: int) -> ClaimValues:
    """Measure how close the number of directions is to √d in networks of large width d."""
    by_width = {width: _directions(seed, width, "batch") for width in WIDTHS}
    off = [abs(found[-1] / math.sqrt(width) - 1) for width, found in by_width.items()]
    return {"root": max(off), "depth": by_width[WIDER][-1] / by_width[WIDER][HALF - 1]}


def _directions(seed: int, width: int, norm: str) -> list[float]:
    networks = networks_after(seed, _knobs(width), 0, "rank")
    return list(map(float, networks[norm].probes["rank"]["participation"]))


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"narrow": measure_narrow, "wide": measure_wide},
    other_numbers={"widths": ", ".join(map(str, WIDTHS))},
)
