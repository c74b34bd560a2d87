"""E8: internal covariate shift as the change of gradients (Santurkar et al. 2018, Def. 2.1)."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bnviz.claims.runs import geometric_mean, play
from bnviz.claims.statement import Claim, Statement, at_least, at_most
from bnviz.config import RunConfig

WATCHED = (20, 50, 100, 200)
INITS = {"relu": "he", "tanh": "glorot"}
GRID = tuple(product(("relu", "tanh"), (3, 8), (0.01, 0.1)))
SHALLOW_RELU, DEEP_TANH = ("relu", 3, 0.1), ("tanh", 8, 0.01)

STEPS = f"steps {', '.join(str(step) for step in WATCHED)}"
RELU = f"ReLU 3×100, He, rate 0.1, {STEPS}"
TANH = f"tanh 8×100, rate 0.01, {STEPS}"
EVERYWHERE = f"ReLU (He) and tanh, 3×100 and 8×100, rates 0.01 and 0.1, {STEPS}"
CHANGE = "‖G − G′‖₂, BN ÷ plain, geometric mean over layers and steps"
COSINE = "cosine of G and G′, BN less plain, mean over layers and steps"
PAPER = "Santurkar et al. 2018"
SUGGESTED = "Ioffe & Szegedy 2015, read with this definition"

STATEMENTS = (
    Statement(
        key="raises-relu",
        text="BN does not lower the shift of gradients.",
        setting=RELU,
        quantity=CHANGE,
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="raises-tanh",
        text="It does not in a deeper tanh network at a lower rate.",
        setting=TANH,
        quantity=CHANGE,
        expected=at_least(1),
        source="found here",
        instead_of="raises-relu",
    ),
    Statement(
        key="lowers-tanh",
        text="BN lowers the shift of gradients.",
        setting=TANH,
        quantity=CHANGE,
        expected=at_most(1),
        source=SUGGESTED,
    ),
    Statement(
        key="lowers-relu",
        text="It does in a shallow ReLU network at a higher rate.",
        setting=RELU,
        quantity=CHANGE,
        expected=at_most(1),
        source="found here",
        instead_of="lowers-tanh",
    ),
    Statement(
        key="lowest",
        text="The sign of BN's effect depends on activation, depth and rate: somewhere it is "
        "lower.",
        setting=EVERYWHERE,
        quantity=f"{CHANGE}, lowest of the settings",
        expected=at_most(1),
        source="earlier run",
    ),
    Statement(
        key="highest",
        text="The sign of BN's effect depends on activation, depth and rate: somewhere it is "
        "higher.",
        setting=EVERYWHERE,
        quantity=f"{CHANGE}, highest of the settings",
        expected=at_least(1),
        source="earlier run",
    ),
    Statement(
        key="cosine-tanh",
        text="The angle says so too: with BN gradients turn more …",
        setting=TANH,
        quantity=COSINE,
        expected=at_most(0),
        source="earlier run",
    ),
    Statement(
        key="cosine-relu",
        text="… or less.",
        setting=RELU,
        quantity=COSINE,
        expected=at_least(0),
        source="earlier run",
    ),
)


class _Effect(NamedTuple):
    """BN's effect on the shift: a ratio, and a difference of cosines."""

    change: float
    cosine: float


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    found = {setting: _effect(seed, *setting) for setting in GRID}
    relu, tanh = found[SHALLOW_RELU], found[DEEP_TANH]
    changes = [effect.change for effect in found.values()]
    return {
        "raises-relu": relu.change,
        "raises-tanh": tanh.change,
        "lowers-tanh": tanh.change,
        "lowers-relu": relu.change,
        "lowest": min(changes),
        "highest": max(changes),
        "cosine-tanh": tanh.cosine,
        "cosine-relu": relu.cosine,
    }


def _effect(seed: int, activation: str, depth: int, rate: float) -> _Effect:
    knobs: dict[str, Any] = {"activation": activation, "init": INITS[activation], "depth": depth}
    shots = play(RunConfig(learning_rate=rate, seed=seed, **knobs), WATCHED, ("ics",))

    def collected(norm: str, value: str) -> np.ndarray:
        # Below the first layer there is nothing that could change its gradient.
        rows = [shot.networks[norm].probes["ics"][value][1:] for shot in shots]
        return np.concatenate(rows).astype(np.float64)

    change = geometric_mean(collected("batch", "change") / collected("none", "change"))
    return _Effect(
        change, float((collected("batch", "cosine") - collected("none", "cosine")).mean())
    )


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="G is a layer's gradient on a mini-batch, G′ the same after the layers below have taken "
    "their next step. Neither direction is a law; the app shows the gauge.",
)
