"""E8: internal covariate shift as the change of gradients (Santurkar et al. 2018, Def. 2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bnviz.claims.runs import accuracy, geometric_mean, play
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, at_least, at_most
from bnviz.config import RunConfig

WATCHED = (20, 50, 100, 200)
INITS = {"relu": "he", "tanh": "glorot"}

STEPS = f"steps {', '.join(str(step) for step in WATCHED)}"
RELU = f"ReLU 3×100, He, rate 0.1, {STEPS}"
TANH = f"tanh 8×100, rate 0.01, {STEPS}"
CHANGE = "‖G − G′‖₂, BN ÷ plain, geometric mean over layers and steps"
COSINE = "cosine of G and G′, BN less plain, mean over layers and steps"
PAPER = "Santurkar et al. 2018"
EARLIER, FOUND = "earlier run", "found here"
ELSEWHERE = "elsewhere"


def _knobs(activation: str, depth: int, rate: float) -> dict[str, Any]:
    return {
        "activation": activation, "init": INITS[activation], "depth": depth, "learning_rate": rate
    }  # fmt: skip


SHALLOW_RELU, DEEP_TANH = _knobs("relu", 3, 0.1), _knobs("tanh", 8, 0.01)
SLOW_RELU = {depth: _knobs("relu", depth, 0.01) for depth in (3, 8)}
SLOW_TANH = {depth: _knobs("tanh", depth, 0.01) for depth in (3, 8)}
FAST_TANH = _knobs("tanh", 8, 0.1)


def _watch(knobs: dict[str, Any]) -> Watch:
    return Watch(knobs, ("ics",), WATCHED[-1])


def _plain(name: str) -> Comparator:
    """The plain network of a setting, at the last of the steps."""
    return Comparator(f"plain-{name}", "the plain network")


STATEMENTS = (
    Statement(
        key="raises-relu",
        text="BN does not lower the shift of gradients.",
        setting=RELU,
        quantity=CHANGE,
        expected=at_least(1),
        source=PAPER,
        comparator=_plain("relu"),
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="lowers-tanh",
        text="BN lowers the shift of gradients.",
        setting=TANH,
        quantity=CHANGE,
        expected=at_most(1),
        source="calculation",
        changed="Declared first as that of Ioffe & Szegedy 2015, who do not use this definition: "
        "it is their argument read with it.",
        comparator=_plain("tanh"),
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="cosine-tanh",
        text="By their angle too gradients shift very slightly more with BN in this deeper tanh "
        "network.",
        setting=TANH,
        quantity=COSINE,
        expected=at_most(0),
        source=EARLIER,
        comparator=_plain("tanh"),
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="cosine-relu",
        text="By their angle too gradients shift less with BN in this shallow ReLU network.",
        setting=RELU,
        quantity=COSINE,
        expected=at_least(0),
        source=EARLIER,
        comparator=_plain("relu"),
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="raises-tanh",
        text="BN does not lower the shift of gradients in a deeper tanh network at a lower rate.",
        setting=TANH,
        quantity=CHANGE,
        expected=at_least(1),
        source=FOUND,
        lead="Measured by gradients, covariate shift in eight tanh layers is larger with BN (rate "
        "0.01).",
        part=ELSEWHERE,
        instead_of="raises-relu",
        comparator=_plain("tanh"),
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="lowers-relu",
        text="BN lowers the shift of gradients in a shallow ReLU network at a higher rate.",
        setting=RELU,
        quantity=CHANGE,
        expected=at_most(1),
        source=FOUND,
        lead="Measured by gradients, covariate shift in three ReLU layers is smaller with BN (rate "
        "0.1).",
        part=ELSEWHERE,
        instead_of="lowers-tanh",
        comparator=_plain("relu"),
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="slow-relu",
        text="At rate 0.01 the gradients of ReLU layers from He’s weights shift less with BN at "
        "both depths.",
        setting=f"ReLU 3×100 and 8×100, He, rate 0.01, {STEPS}",
        quantity=f"{CHANGE}, higher of the two",
        expected=at_most(1),
        source=FOUND,
        part=ELSEWHERE,
        comparator=_plain("slow-relu"),
        watch=_watch(SLOW_RELU[8]),
    ),
    Statement(
        key="slow-tanh",
        text="At rate 0.01 the gradients of tanh layers from Glorot’s weights shift more with BN "
        "at both depths.",
        setting=f"tanh 3×100 and 8×100, Glorot, rate 0.01, {STEPS}",
        quantity=f"{CHANGE}, lower of the two",
        expected=at_least(1),
        source=FOUND,
        part=ELSEWHERE,
        comparator=_plain("slow-tanh"),
        watch=_watch(SLOW_TANH[3]),
    ),
    Statement(
        key="depth",
        text="Depth decides how large BN’s effect on the shift of gradients is: under tanh it is "
        "larger in the deeper network.",
        setting=f"tanh, rate 0.01, 8×100 against 3×100, {STEPS}",
        quantity=f"{CHANGE}, ratio of the two",
        expected=at_least(1.5),
        source=FOUND,
        part=ELSEWHERE,
        comparator=_plain("slow-tanh"),
        watch=_watch(SLOW_TANH[8]),
    ),
    Statement(
        key="rate",
        text="The rate decides how large BN’s effect on the shift of gradients is: under tanh it "
        "is smaller at ten times the rate.",
        setting=f"tanh 8×100, rate 0.1 against 0.01, {STEPS}",
        quantity=f"{CHANGE}, ratio of the two",
        expected=at_most(0.7),
        source=FOUND,
        part=ELSEWHERE,
        comparator=_plain("rates"),
        watch=_watch(FAST_TANH),
    ),
)  # fmt: skip


class _Effect(NamedTuple):
    """BN's effect on the shift: a ratio, and a difference of cosines; plain accuracy at the end."""

    change: float
    cosine: float
    plain: float


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared, and what it compares with."""
    relu, tanh = _effect(seed, SHALLOW_RELU), _effect(seed, DEEP_TANH)
    return {
        "raises-relu": relu.change,
        "lowers-tanh": tanh.change,
        "cosine-tanh": tanh.cosine,
        "cosine-relu": relu.cosine,
        "plain-relu": relu.plain,
        "plain-tanh": tanh.plain,
    }


def measure_elsewhere(seed: int) -> dict[str, float]:
    """One value a statement that was found."""
    relu, fast = _effect(seed, SHALLOW_RELU), _effect(seed, FAST_TANH)
    slow_relu, slow_tanh = (
        {depth: _effect(seed, knobs) for depth, knobs in settings.items()}
        for settings in (SLOW_RELU, SLOW_TANH)
    )
    deep, shallow = slow_tanh[8], slow_tanh[3]
    return {
        "raises-tanh": deep.change,
        "lowers-relu": relu.change,
        "slow-relu": max(effect.change for effect in slow_relu.values()),
        "slow-tanh": min(effect.change for effect in slow_tanh.values()),
        "depth": deep.change / shallow.change,
        "rate": fast.change / deep.change,
        "plain-relu": relu.plain,
        "plain-tanh": deep.plain,
        "plain-slow-relu": min(effect.plain for effect in slow_relu.values()),
        "plain-slow-tanh": min(effect.plain for effect in slow_tanh.values()),
        "plain-rates": min(deep.plain, fast.plain),
    }


def _effect(seed: int, knobs: dict[str, Any]) -> _Effect:
    shots = play(RunConfig(seed=seed, **knobs), WATCHED, ("ics",))

    def collected(norm: str, value: str) -> np.ndarray:
        # Below the first layer there is nothing that could change its gradient.
        rows = [shot.networks[norm].probes["ics"][value][1:] for shot in shots]
        return np.concatenate(rows).astype(np.float64)

    return _Effect(
        geometric_mean(collected("batch", "change") / collected("none", "change")),
        float((collected("batch", "cosine") - collected("none", "cosine")).mean()),
        accuracy(shots[-1].networks["none"]),
    )


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={ELSEWHERE: measure_elsewhere},
    note="G is a layer’s gradient on a mini-batch, G′ the same after the layers below have taken "
    "their next step. Neither direction is a law: it depends on the network. Two rows that were "
    "declared first (BN’s effect is a lowering in one of eight settings at least, and a raising in "
    "one) held and were dropped: the lowest and the highest of eight hardly fail. Rows at fixed "
    "settings stand in their place.",
)
