"""E22: a learning rate per group of parameters, and weights of fixed norm (Arora et al. 2018)."""

from __future__ import annotations

import numpy as np

from bnviz.claims.e12_largest_rate import largest_that_works
from bnviz.claims.runs import accuracies, accuracies_after, accuracy, begin, snapshots
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
    at_least,
    at_most,
    between,
    earlier,
    in_lab,
    quoted,
)
from bnviz.records import NetworkRecord

STEPS = 600
WORKS = 0.9
BASE, ONE, TEN, HUNDRED, THOUSAND = 0.1, 1, 10, 100, 1000
RAISED_AT, RAISED_TO, RAISED_STEPS = 100, 1, 300
HIGH, ALONE = 3, 0.3
# Learning rates between which to search for the largest rate that works.
LADDER = (0.1, 0.3, 1.0, 3.0, 10.0)

NETWORKS: dict[str, KnobValues] = {"tanh": {}, "relu": {"activation": "relu", "init": "he"}}

# `rate_factors` multiplies the learning rate of hidden weights, of γ and β, and of the output
# layer.
WEIGHTS_ZERO: KnobValues = {"rate_factors": (0.0, 1.0, 1.0)}
WEIGHTS_ONE: KnobValues = {"rate_factors": (ONE / BASE, 1.0, 1.0)}
WEIGHTS_TEN: KnobValues = {"rate_factors": (TEN / BASE, 1.0, 1.0)}
WEIGHTS_HUNDRED: KnobValues = {"rate_factors": (HUNDRED / BASE, 1.0, 1.0)}
WEIGHTS_THOUSAND: KnobValues = {"learning_rate": 1.0, "rate_factors": (THOUSAND, BASE, BASE)}
NORMS_TEN: KnobValues = {"rate_factors": (1.0, TEN / BASE, 1.0)}
OUTPUT_TEN: KnobValues = {"rate_factors": (1.0, 1.0, TEN / BASE)}
BOTH_TEN: KnobValues = {"rate_factors": (1.0, TEN / BASE, TEN / BASE)}
ONLY_NORMS: KnobValues = {"learning_rate": ALONE, "rate_factors": (0.0, 1.0, 0.0)}
ONLY_OUTPUT: KnobValues = {"learning_rate": ALONE, "rate_factors": (0.0, 0.0, 1.0)}
ONLY_BOTH: KnobValues = {"learning_rate": ALONE, "rate_factors": (0.0, 1.0, 1.0)}


def _knobs(network: str, knobs: KnobValues, norm: str = "batch") -> KnobValues:
    return {**NETWORKS[network], **knobs, "norms": (norm,)}


def _end(network: str, knobs: KnobValues, *, norm: str = "batch", chart: str = "") -> LabLink:
    return in_lab(_knobs(network, knobs, norm), chart, STEPS)


STATEMENTS = (
    quoted("tanh-ten", at_least(WORKS), PERCENT, _end("tanh", WEIGHTS_TEN)),
    quoted("tanh-hundred", at_least(WORKS), PERCENT, _end("tanh", WEIGHTS_HUNDRED)),
    quoted("tanh-thousand", at_least(WORKS), PERCENT, _end("tanh", WEIGHTS_THOUSAND)),
    quoted("relu-ten", at_least(WORKS), PERCENT, _end("relu", WEIGHTS_TEN)),
    quoted("relu-hundred", at_least(WORKS), PERCENT, _end("relu", WEIGHTS_HUNDRED)),
    quoted("relu-thousand", at_least(WORKS), PERCENT, _end("relu", WEIGHTS_THOUSAND)),
    earlier("tanh-grow", between(150, 350), TIMES,
            _end("tanh", WEIGHTS_THOUSAND, chart="weights")),
    earlier("relu-grow", between(80, 180), TIMES, _end("relu", WEIGHTS_THOUSAND, chart="weights")),
    earlier("tanh-plain-one", at_least(WORKS), PERCENT, _end("tanh", WEIGHTS_ONE, norm="none")),
    earlier("relu-plain-one", at_most(0.5), PERCENT, _end("relu", WEIGHTS_ONE, norm="none")),
    earlier("tanh-plain", at_most(0.5), PERCENT, _end("tanh", WEIGHTS_TEN, norm="none")),
    earlier("relu-plain", at_most(0.5), PERCENT, _end("relu", WEIGHTS_TEN, norm="none")),
    earlier("tanh-norms-ten", at_least(WORKS), PERCENT, _end("tanh", NORMS_TEN)),
    earlier("tanh-output-ten", at_least(WORKS), PERCENT, _end("tanh", OUTPUT_TEN)),
    earlier("tanh-both-ten", at_most(0.5), PERCENT, _end("tanh", BOTH_TEN)),
    earlier("relu-norms-ten", at_least(WORKS), PERCENT, _end("relu", NORMS_TEN)),
    earlier("relu-output-ten", at_least(WORKS), PERCENT, _end("relu", OUTPUT_TEN)),
    earlier("relu-both-ten", at_most(0.5), PERCENT, _end("relu", BOTH_TEN)),
    earlier("tanh-raised-free", at_least(WORKS), PERCENT),
    earlier("tanh-raised-held", at_least(WORKS), PERCENT),
    earlier("relu-raised-held", at_least(WORKS), PERCENT),
    earlier("relu-raised-level", between(-0.03, 0.03), POINTS,
            difference=True, comparator="relu-raised-free"),
    earlier("tanh-high-free", at_least(0.85), PERCENT, _end("tanh", {"learning_rate": HIGH})),
    earlier("relu-high-free", at_least(0.85), PERCENT, _end("relu", {"learning_rate": HIGH})),
    earlier("tanh-high-held", at_most(0.5), PERCENT),
    earlier("relu-high-held", at_least(0.8), PERCENT),
    earlier("relu-norms", between(0.86, 0.93), PERCENT, _end("relu", ONLY_NORMS)),
    earlier("relu-output", between(0.7, 0.8), PERCENT, _end("relu", ONLY_OUTPUT)),
    earlier("relu-norms-more", at_least(0.05), POINTS, _end("relu", ONLY_NORMS),
            difference=True, comparator="relu-output"),
    earlier("relu-both", between(0.88, 0.95), PERCENT, _end("relu", ONLY_BOTH)),
    earlier("tanh-norms", between(0.86, 0.94), PERCENT, _end("tanh", ONLY_NORMS)),
    earlier("tanh-output", between(0.86, 0.93), PERCENT, _end("tanh", ONLY_OUTPUT)),
    earlier("tanh-both", between(0.91, 0.96), PERCENT, _end("tanh", ONLY_BOTH)),
    # Observed on seeds 100 to 104.
    earlier("tanh-held-limit", between(3, 8), TIMES),
    earlier("tanh-growth-gain", between(1, 2.2), TIMES),
    earlier("tanh-hundred-held", at_most(0.5), PERCENT),
    earlier("relu-hundred-held", at_most(0.5), PERCENT),
    earlier("tanh-raised-plain", at_most(0.5), PERCENT),
    earlier("tanh-thousand-gain", at_least(0.02), POINTS, _end("tanh", WEIGHTS_ZERO),
            difference=True, comparator="tanh-zero"),
    earlier("relu-thousand-gain", at_least(0.02), POINTS, _end("relu", WEIGHTS_ZERO),
            difference=True, comparator="relu-zero"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    found: dict[str, float] = {}
    for network in NETWORKS:
        for measured in (_weights_alone, _others_at_ten, _held, _few_learn):
            found |= {f"{network}-{key}": value for key, value in measured(seed, network).items()}
    found |= _limits(seed)
    found["tanh-raised-plain"] = _raised(seed, "tanh", norm="none")
    found["relu-raised-level"] = found["relu-raised-held"] - found["relu-raised-free"]
    found["relu-norms-more"] = found["relu-norms"] - found["relu-output"]
    return found


def _accuracy(seed: int, network: str, knobs: KnobValues, norm: str = "batch") -> float:
    return accuracies_after(seed, _knobs(network, knobs, norm), STEPS)[norm]


def _weights_alone(seed: int, network: str) -> ClaimValues:
    """Measure high learning rates for the hidden weights alone."""
    start, end = (
        shot.networks["batch"]
        for shot in snapshots(seed, _knobs(network, WEIGHTS_THOUSAND), (0, STEPS), "weights")
    )
    zero, thousand = _accuracy(seed, network, WEIGHTS_ZERO), accuracy(end)
    return {
        "ten": _accuracy(seed, network, WEIGHTS_TEN),
        "hundred": _accuracy(seed, network, WEIGHTS_HUNDRED),
        "thousand": thousand,
        "zero": zero,
        "thousand-gain": thousand - zero,
        "grow": _size(end) / _size(start),
        "plain-one": _accuracy(seed, network, WEIGHTS_ONE, "none"),
        "plain": _accuracy(seed, network, WEIGHTS_TEN, "none"),
    }


def _size(record: NetworkRecord) -> float:
    """‖W‖ of all hidden weights together."""
    return float(np.linalg.norm(record.probes["weights"]["norm"][:-1]))


def _others_at_ten(seed: int, network: str) -> ClaimValues:
    return {
        "norms-ten": _accuracy(seed, network, NORMS_TEN),
        "output-ten": _accuracy(seed, network, OUTPUT_TEN),
        "both-ten": _accuracy(seed, network, BOTH_TEN),
    }


def _held(seed: int, network: str) -> ClaimValues:
    return {
        "raised-free": _raised(seed, network),
        "raised-held": _raised(seed, network, held=True),
        "high-free": _accuracy(seed, network, {"learning_rate": HIGH}),
        "high-held": _trained(seed, network, {"learning_rate": HIGH}, held=True),
        "hundred-held": _trained(seed, network, WEIGHTS_HUNDRED, held=True),
    }


def _limits(seed: int) -> ClaimValues:
    plain, held, free = _limit(seed, norm="none"), _limit(seed, held=True), _limit(seed)
    return {"tanh-held-limit": held / plain, "tanh-growth-gain": free / held}


def _limit(seed: int, *, norm: str = "batch", held: bool = False) -> float:
    """Largest learning rate for all parameters at which a tanh network reaches `WORKS`."""

    def works(rate: float) -> bool:
        return _trained(seed, "tanh", {"learning_rate": rate}, norm=norm, held=held) >= WORKS

    return largest_that_works({rate: works(rate) for rate in LADDER}, works)


def _raised(seed: int, network: str, *, norm: str = "batch", held: bool = False) -> float:
    return _trained(seed, network, {"learning_rate": BASE}, norm=norm, held=held, raised=True)


def _trained(
    seed: int,
    network: str,
    knobs: KnobValues,
    *,
    norm: str = "batch",
    held: bool = False,
    raised: bool = False,
) -> float:
    """Test accuracy after training.

    Args:
        held: reset each hidden layer's weights to their initial Frobenius norm after every step.
        raised: raise the learning rate to `RAISED_TO` after `RAISED_AT` of `RAISED_STEPS` steps.
    """
    experiment = begin(seed, _knobs(network, knobs, norm))
    weights = experiment.networks[norm].hidden_weights()
    sizes = [float(weight.norm()) for weight in weights]
    for step in range(RAISED_STEPS if raised else STEPS):
        if raised and step == RAISED_AT:
            experiment.update(learning_rate=RAISED_TO)
        experiment.step()
        if held:
            for weight, size in zip(weights, sizes, strict=True):
                weight.mul_(size / float(weight.norm()))
    return accuracies(experiment.snapshot(()).networks)[norm]


def _few_learn(seed: int, network: str) -> ClaimValues:
    return {
        "norms": _accuracy(seed, network, ONLY_NORMS),
        "output": _accuracy(seed, network, ONLY_OUTPUT),
        "both": _accuracy(seed, network, ONLY_BOTH),
    }


CLAIM = Claim(STATEMENTS, measure)
