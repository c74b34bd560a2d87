"""E20: growth of small weight changes with depth, with BN (Ioffe & Szegedy 2015, section 3.3)."""

from __future__ import annotations

from bnviz.claims.e06_gradient_growth import growth_of
from bnviz.claims.runs import snapshots
from bnviz.claims.statement import (
    TIMES,
    TIMES_A_LAYER,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_least,
    at_most,
    calculated,
    found_here,
    in_lab,
    quoted,
)
from bnviz.records import Snapshot

TANH_DEPTH, RELU_DEPTH, DEEP = 6, 20, 50
TRAINED = 100
RELU_GROWTH = growth_of("relu")

TANH: KnobValues = {"depth": TANH_DEPTH, "activation": "tanh"}
RELU: KnobValues = {"depth": RELU_DEPTH, "activation": "relu", "init": "he"}
FIFTY: KnobValues = {**RELU, "depth": DEEP, "width": 50}

AT_TANH, AT_RELU, AT_FIFTY = (in_lab(knobs, "amplify", 0) for knobs in (TANH, RELU, FIFTY))
AT_TRAINED = in_lab(TANH, "amplify", TRAINED)

STATEMENTS = (
    quoted("tanh", at_most(1), TIMES, AT_TANH),
    quoted("relu", at_most(1), TIMES, AT_RELU),
    quoted("trained", at_most(1), TIMES, AT_TRAINED),
    calculated("by-layer", about(RELU_GROWTH, 0.03), TIMES_A_LAYER, AT_RELU),
    found_here("tanh-more", at_least(1.2), TIMES, AT_TANH, part="fresh", instead_of="tanh"),
    found_here("relu-more", at_least(3), TIMES, AT_RELU, part="fresh", instead_of="relu"),
    found_here("trained-more", at_least(1.3), TIMES, AT_TRAINED,
               part="fresh", instead_of="trained"),
    found_here("fifty-more", at_least(5), TIMES, AT_FIFTY, part="fresh"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    start, trained = snapshots(seed, TANH, (0, TRAINED), "amplify")
    (relu,) = snapshots(seed, RELU, (0,), "amplify")
    return {
        "tanh": _amplified(start, "batch"),
        "relu": _amplified(relu, "batch"),
        "trained": _amplified(trained, "batch"),
        "by-layer": _amplified(relu, "batch") ** (1 / (RELU_DEPTH - 1)),
    }


def measure_fresh(seed: int) -> ClaimValues:
    start, trained = snapshots(seed, TANH, (0, TRAINED), "amplify")
    (relu,), (fifty,) = (snapshots(seed, knobs, (0,), "amplify") for knobs in (RELU, FIFTY))
    shots = {"tanh": start, "relu": relu, "trained": trained, "fifty": fifty}
    return {
        f"{name}-more": _amplified(shot, "batch") / _amplified(shot, "none")
        for name, shot in shots.items()
    }


def _amplified(shot: Snapshot, norm: str) -> float:
    """Change of the last hidden layer ÷ change of layer 1."""
    return float(shot.networks[norm].probes["amplify"]["amplified"][-1])


CLAIM = Claim(
    STATEMENTS, measure, parts={"fresh": measure_fresh}, other_numbers={"growth": RELU_GROWTH}
)
