"""E7: without normalization the values of a deep linear network become one direction."""

from __future__ import annotations

import math
from typing import Any

from bnviz.claims.runs import play
from bnviz.claims.statement import Claim, Statement, Watch, about, at_most, between
from bnviz.config import RunConfig

DEPTH, WIDTH, NARROW = 50, 32, 16
HALF = 25
WIDE, WIDER = 64, 256
WIDTHS = (64, 128, 256)
ROOT = math.sqrt(WIDTH)

PAPER = "Daneshmand et al. 2020"
FOUND = "found here"
RATIO = "(Σs²)² ÷ Σs⁴"
WIDE_PART = "wide"


def _knobs(width: int) -> dict[str, Any]:
    return {"activation": "linear", "depth": DEPTH, "width": width}


def _setting(width: int) -> str:
    return f"linear, Glorot, width {width}, layer {DEPTH} at step 0, 256 test digits"


def _watch(width: int) -> Watch:
    return Watch(_knobs(width), ("rank",), 0)


STATEMENTS = (
    Statement(
        key="none",
        text="Without BN the participation ratio of a deep linear network’s values falls to 1.",
        setting=_setting(WIDTH),
        quantity=RATIO,
        expected=at_most(1.5),
        source=PAPER,
        watch=_watch(WIDTH),
    ),
    Statement(
        key="batch",
        text=f"With BN the participation ratio stays of the order of √d = {ROOT:.3g}: within a "
        "factor of √2.",
        setting=_setting(WIDTH),
        quantity=RATIO,
        expected=between(ROOT / math.sqrt(2), ROOT * math.sqrt(2)),
        source=PAPER,
        lead=f"Under BN the values of a deep linear network of {WIDTH} units keep four to five "
        f"directions (√{WIDTH} = {ROOT:.1f}).",
        changed="Declared first within a factor of 3, 1.89 to 17; 4.46 (4.19 to 5.19) was found.",
        watch=_watch(WIDTH),
    ),
    Statement(
        key="batch-root",
        text="With BN the participation ratio grows like √d (four times as wide, twice as much): "
        "more than the bound from below of Daneshmand et al. 2020.",
        setting=f"{_setting(WIDER)}, against width {WIDE}",
        quantity=f"{RATIO}, ratio of the two",
        expected=about(2, 0.15),
        source="calculation",
        changed="Declared first as that of Daneshmand et al. 2020, its bound read as an equality.",
        watch=_watch(WIDER),
    ),
    Statement(
        key="none-narrow",
        text="Without BN the participation ratio falls to 1 where a linear network is three times "
        "as deep as it is wide.",
        setting=_setting(NARROW),
        quantity=RATIO,
        expected=at_most(1.5),
        source=FOUND,
        part="narrow",
        instead_of="none",
        watch=_watch(NARROW),
    ),
    Statement(
        key="root",
        text="With BN the participation ratio is √d itself, not only of its order.",
        setting=f"linear, Glorot, widths {', '.join(map(str, WIDTHS))}, layer {DEPTH} at step 0, "
        "256 test digits",
        quantity=f"largest |{RATIO} ÷ √d − 1| of the widths",
        expected=at_most(0.12),
        source=FOUND,
        part=WIDE_PART,
        watch=_watch(WIDER),
    ),
    Statement(
        key="depth",
        text=f"With BN the participation ratio no longer falls between the layers {HALF} and "
        f"{DEPTH}.",
        setting=f"linear, Glorot, width {WIDER}, step 0, 256 test digits",
        quantity=f"{RATIO}, layer {DEPTH} ÷ layer {HALF}",
        expected=about(1, 0.1),
        source=FOUND,
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


CLAIM = Claim(STATEMENTS, measure, parts={"narrow": measure_narrow, WIDE_PART: measure_wide})
