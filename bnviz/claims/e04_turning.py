"""E4, continued: how fast the weights before batch normalization turn, with decay and with Adam."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.statement import Statement, Watch, about, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered

PART = "turning"
RATE, DECAY = 0.5, 0.01
SETTLED, WATCHED = 600, 200
SIZES: dict[str, Any] = {"depth": 3, "width": 32, "norms": ("batch",), "norm_eps": 0.0}
DECAYING = {**SIZES, "learning_rate": RATE, "weight_decay": DECAY}
ADAM = {**SIZES, "optimizer": "adam", "learning_rate": 0.001}
NETWORK = "tanh 3×32, ε = 0, float64"

STATEMENTS = (
    Statement(
        key="decay-law",
        part=PART,
        text="With weight decay λ a step takes ‖w‖² to (1 − ηλ)²‖w‖² + η²‖g‖².",
        setting=f"{NETWORK}; {SETTLED} steps at {RATE:g}, weight decay {DECAY:g}, no momentum",
        quantity="largest deviation of a layer in a step ÷ η²‖g‖²",
        expected=at_most(1e-8),
        source="calculation",
        watch=Watch(DECAYING, ("weights",)),
    ),
    Statement(
        key="decay-angle",
        part=PART,
        text="With weight decay λ growth and decay come to balance where a step turns the "
        "weights by about √(2ηλ).",
        lead="With weight decay and ε = 0 the weights before BN settle where a step turns them by "
        "about √(2ηλ).",
        setting=f"{NETWORK}; rate {RATE:g}, weight decay {DECAY:g}, steps {SETTLED} to "
        f"{SETTLED + WATCHED}",
        quantity="angle turned in a step, mean of steps and hidden layers, ÷ √(2ηλ)",
        expected=about(1.0, 0.1),
        source="calculation",
        changed="Declared first as that of van Laarhoven 2017; an earlier run’s 0.0959 for 0.100 "
        "was known when the bound was set.",
        watch=Watch(DECAYING, ("weights",), SETTLED),
    ),
    Statement(
        key="adam-angle",
        part=PART,
        text="Under Adam the size acts differently: weights twice as large turn half as far.",
        setting=f"{NETWORK}; Adam, rate 0.001, first step, all hidden weights doubled",
        quantity="angle turned by the second layer ÷ that of the weights as they were",
        expected=about(0.5, 0.01),
        source="calculation",
        watch=Watch(ADAM, ("weights",)),
    ),
    Statement(
        key="sgd-angle",
        part=PART,
        text="Under gradient descent they turn a quarter as far.",
        setting=f"{NETWORK}; rate 0.001, first step, all hidden weights doubled",
        quantity="angle turned by the second layer ÷ that of the weights as they were",
        expected=about(0.25, 0.01),
        source="calculation",
        watch=Watch({**SIZES, "learning_rate": 0.001}, ("weights",)),
    ),
)  # fmt: skip


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    return {
        **_balance(seed),
        "adam-angle": _doubled(seed, ADAM),
        "sgd-angle": _doubled(seed, {**SIZES, "learning_rate": 0.001}),
    }


def _experiment(seed: int, knobs: dict[str, Any]) -> Experiment:
    return Experiment(RunConfig(seed=seed, **knobs), dtype=torch.float64)


def _weights(experiment: Experiment) -> list[Tensor]:
    network = experiment.networks["batch"]
    assert isinstance(network, Layered)
    return [layer.weight for layer in network.layers]


def _angles(before: list[Tensor], after: list[Tensor]) -> list[float]:
    """By how much each layer's weights turned, in radians."""
    cosines = [
        torch.cosine_similarity(old.flatten(), new.flatten(), dim=0)
        for old, new in zip(before, after, strict=True)
    ]
    return [math.acos(min(1.0, float(cosine))) for cosine in cosines]


def _balance(seed: int) -> dict[str, float]:
    """The worst deviation from the law of a step, and the angle turned once settled."""
    experiment = _experiment(seed, DECAYING)
    worst, turned = 0.0, []
    keep = (1 - RATE * DECAY) ** 2
    for step in range(SETTLED + WATCHED):
        before = [weight.clone() for weight in _weights(experiment)]
        experiment.step()
        after = _weights(experiment)
        if step >= SETTLED:
            turned += _angles(before, after)
            continue
        for old, new in zip(before, after, strict=True):
            grown = float((new - (1 - RATE * DECAY) * old).square().sum())  # η²‖g‖²
            expected = keep * float(old.square().sum()) + grown
            worst = max(worst, abs(float(new.square().sum()) - expected) / grown)
    angle = sum(turned) / len(turned)
    return {"decay-law": worst, "decay-angle": angle / math.sqrt(2 * RATE * DECAY)}


def _doubled(seed: int, knobs: dict[str, Any]) -> float:
    """The angle of a first step from doubled weights ÷ that from the weights as they are."""
    angles = []
    for factor in (1.0, 2.0):
        experiment = _experiment(seed, knobs)
        for weight in _weights(experiment):
            weight.mul_(factor)
        before = [weight.clone() for weight in _weights(experiment)]
        experiment.step()
        angles.append(_angles(before, _weights(experiment))[1])
    return angles[1] / angles[0]
