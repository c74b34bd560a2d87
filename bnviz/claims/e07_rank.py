"""E7: without normalization the values of a deep linear network become one direction."""

from __future__ import annotations

import math

from bnviz.claims.runs import play
from bnviz.claims.statement import Claim, Statement, about, at_most, between
from bnviz.config import RunConfig

DEPTH, WIDTH, NARROW = 50, 32, 16
WIDE, WIDER = 64, 256
ROOT = math.sqrt(WIDTH)

PAPER = "Daneshmand et al. 2020"
RATIO = "(Σs²)² ÷ Σs⁴"


def _setting(width: int) -> str:
    return f"linear, Glorot, width {width}, layer {DEPTH} at step 0, 256 test digits"


STATEMENTS = (
    Statement(
        key="none",
        text="Without BN the participation ratio falls to 1.",
        setting=_setting(WIDTH),
        quantity=RATIO,
        expected=at_most(1.5),
        source=PAPER,
    ),
    Statement(
        key="none-narrow",
        text="It does where the network is three times as deep as it is wide.",
        setting=_setting(NARROW),
        quantity=RATIO,
        expected=at_most(1.5),
        source="found here",
        instead_of="none",
    ),
    Statement(
        key="batch",
        text=f"With BN it stays of the order of √d = {ROOT:.3g}.",
        setting=_setting(WIDTH),
        quantity=RATIO,
        expected=between(ROOT / 3, 3 * ROOT),
        source=PAPER,
    ),
    Statement(
        key="batch-root",
        text="With BN it grows like √d: four times as wide, twice as much.",
        setting=f"{_setting(WIDER)}, against width {WIDE}",
        quantity=f"{RATIO}, ratio of the two",
        expected=about(2, 0.15),
        source=PAPER,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    wide, wider = (_by_norm(seed, width)["batch"] for width in (WIDE, WIDER))
    return {
        **_by_norm(seed, WIDTH),
        "none-narrow": _by_norm(seed, NARROW)["none"],
        "batch-root": wider / wide,
    }


def _by_norm(seed: int, width: int) -> dict[str, float]:
    config = RunConfig(activation="linear", depth=DEPTH, width=width, seed=seed)
    (shot,) = play(config, (0,), ("rank",))
    return {
        norm: float(record.probes["rank"]["participation"][-1])
        for norm, record in shot.networks.items()
    }


CLAIM = Claim(STATEMENTS, measure)
