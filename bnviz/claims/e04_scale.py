"""E4: a layer before batch normalization does not know how large its weights are.

What their size decides is how far a step turns them; with weight decay, and with Adam, that is
measured apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    about,
    at_least,
    at_most,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.networks.trace import Gradients

STEPS, PAIRED_STEPS = 100, 20
LAYER = 1  # the middle one of three
FACTORS, ORDERS = 30, 6
RATE, PAIRED_FACTOR = 0.3, 3.0

KNOBS: dict[str, Any] = {"depth": 3, "width": 32, "norm_eps": 0.0, "learning_rate": RATE}
MOMENTUM_KNOBS = {**KNOBS, "momentum": 0.5}
DECAY_KNOBS = {**KNOBS, "weight_decay": 0.01}

TURNING = "turning"
TURNING_RATE, TURNING_DECAY = 0.5, 0.01
SETTLED, WATCHED = 600, 200
SIZES: dict[str, Any] = {"depth": 3, "width": 32, "norms": ("batch",), "norm_eps": 0.0}
DECAYING = {**SIZES, "learning_rate": TURNING_RATE, "weight_decay": TURNING_DECAY}
ADAM = {**SIZES, "optimizer": "adam", "learning_rate": 0.001}


def _watch(knobs: dict[str, Any]) -> Watch:
    return in_lab(knobs, ("weights",), STEPS)


STATEMENTS = (
    Statement(key="loss", expected=at_most(1e-10), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="below", expected=at_most(1e-10), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="weight", expected=at_most(1e-10), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="negative", expected=at_most(1e-10), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(key="orthogonal", expected=at_most(1e-10), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(
        key="not-orthogonal", expected=at_least(0.01), kind=Kind.CALCULATION, unit=Unit.TIMES
    ),
    Statement(
        key="growth", expected=at_most(1e-8), kind=Kind.PAPER, unit=Unit.TIMES, watch=_watch(KNOBS)
    ),
    Statement(
        key="growth-momentum",
        expected=at_least(0.1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=_watch(MOMENTUM_KNOBS),
    ),
    Statement(
        key="growth-decay",
        expected=at_least(0.1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=_watch(DECAY_KNOBS),
    ),
    Statement(key="effective-rate", expected=at_most(1e-8), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="same-rate", expected=at_most(1), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(
        key="decay-law",
        expected=at_most(1e-8),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=TURNING,
        watch=in_lab(DECAYING, ("weights",)),
    ),
    Statement(
        key="decay-angle",
        expected=about(1.0, 0.1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=TURNING,
        watch=in_lab(DECAYING, ("weights",), SETTLED),
    ),
    Statement(
        key="adam-angle",
        expected=about(0.5, 0.01),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=TURNING,
        watch=in_lab(ADAM, ("weights",)),
    ),
    Statement(
        key="sgd-angle",
        expected=about(0.25, 0.01),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=TURNING,
        watch=in_lab({**SIZES, "learning_rate": 0.001}, ("weights",)),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    experiment = _experiment(seed, KNOBS)
    network, plain = _network(experiment, "batch"), _network(experiment, "none")
    inputs, labels = _batch(experiment)
    factors = 10.0 ** random_numbers(seed, 4).uniform(-ORDERS, ORDERS, FACTORS)
    each = [_scaled(network, inputs, labels, factor) for factor in factors]
    values = {key: max(found[key] for found in each) for key in each[0]}
    values["orthogonal"] = float(_cosines(network, inputs, labels).max())
    values["not-orthogonal"] = float(_cosines(plain, inputs, labels).median())
    values |= _paired(network, inputs, labels)
    values["growth"] = float(_growth_errors(_experiment(seed, KNOBS)).max())
    values["growth-momentum"] = float(_growth_errors(_experiment(seed, MOMENTUM_KNOBS)).min())
    values["growth-decay"] = float(_growth_errors(_experiment(seed, DECAY_KNOBS)).min())
    return values


def _experiment(seed: int, knobs: dict[str, Any]) -> Experiment:
    return Experiment(RunConfig(seed=seed, **knobs), dtype=torch.float64)


def _network(experiment: Experiment, norm: str) -> Layered:
    network = experiment.networks[norm]
    assert isinstance(network, Layered)
    return network


def _batch(experiment: Experiment) -> tuple[Tensor, Tensor]:
    size = experiment.config.batch_size
    inputs = torch.from_numpy(experiment.data.train_inputs[:size]).double()
    return inputs, torch.from_numpy(experiment.data.train_labels[:size])


def _gradients(network: Layered, inputs: Tensor, labels: Tensor) -> tuple[float, Gradients]:
    return network.backward(network.forward(inputs, training=True), labels)


def _scaled(network: Layered, inputs: Tensor, labels: Tensor, factor: float) -> dict[str, float]:
    weight = network.layers[LAYER].weight
    loss, before = _gradients(network, inputs, labels)
    kept = weight.clone()
    upright = _normalized(network, inputs)
    weight.mul_(factor)
    scaled_loss, after = _gradients(network, inputs, labels)
    weight.neg_()
    reversed_ = _normalized(network, inputs)
    weight.copy_(kept)
    below, scaled_below = (found.layers[LAYER - 1].activation for found in (before, after))
    own, scaled_own = (found.layers[LAYER].weight for found in (before, after))
    return {
        "loss": abs(scaled_loss - loss) / loss,
        "below": float((scaled_below - below).norm() / below.norm()),
        "weight": float((factor * scaled_own - own).norm() / own.norm()),
        "negative": float((reversed_ + upright).norm() / upright.norm()),
    }


def _normalized(network: Layered, inputs: Tensor) -> Tensor:
    """The layer's x̂, which is what its nonlinearity gets while γ = 1 and β = 0."""
    return network.forward(inputs, training=True).layers[LAYER].nonlinearity_input


def _cosines(network: Layered, inputs: Tensor, labels: Tensor) -> Tensor:
    """|cosine| between weights and gradient of every hidden unit."""
    _, gradients = _gradients(network, inputs, labels)
    pairs = zip(network.layers, gradients.layers, strict=True)
    return torch.cat(
        [torch.cosine_similarity(layer.weight, found.weight, dim=1).abs() for layer, found in pairs]
    )


def _growth_errors(experiment: Experiment) -> Tensor:
    """|‖w_t‖² − ‖w_0‖² − η²Σ‖g‖²| ÷ η²Σ‖g‖² of each hidden layer of the BN network."""
    network = _network(experiment, "batch")
    layers = network.layers
    views = network.views(experiment.learners["batch"].stepper.gradient)
    start = _squares(layer.weight for layer in layers)
    total = torch.zeros(len(layers), dtype=torch.float64)
    for _ in range(STEPS):
        experiment.step()
        total += _squares(views[f"{layer.name}.weight"] for layer in layers)
    expected = experiment.config.learning_rate**2 * total
    return (_squares(layer.weight for layer in layers) - start - expected).abs() / expected


def _squares(tensors: Iterable[Tensor]) -> Tensor:
    return torch.stack([(tensor * tensor).sum() for tensor in tensors])


def _paired(network: Layered, inputs: Tensor, labels: Tensor) -> dict[str, float]:
    factor, rate = PAIRED_FACTOR, RATE
    weight = network.layers[LAYER].weight
    kept = weight.clone()

    def losses(scale: float, learning_rate: float) -> Tensor:
        weight.copy_(kept * scale)
        found = []
        for _ in range(PAIRED_STEPS):
            loss, gradients = _gradients(network, inputs, labels)
            found.append(loss)
            weight.sub_(learning_rate * gradients.layers[LAYER].weight)
        weight.copy_(kept)
        return torch.tensor(found, dtype=torch.float64)

    reference = losses(1.0, rate)
    compensated, slow = losses(factor, factor**2 * rate), losses(factor, rate)
    return {
        "effective-rate": float(((compensated - reference).abs() / reference).max()),
        "same-rate": float((slow[0] - slow[-1]) / (reference[0] - reference[-1])),
    }


def measure_turning(seed: int) -> dict[str, float]:
    """One value a statement."""
    return {
        **_balance(seed),
        "adam-angle": _doubled(seed, ADAM),
        "sgd-angle": _doubled(seed, {**SIZES, "learning_rate": 0.001}),
    }


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
    keep = (1 - TURNING_RATE * TURNING_DECAY) ** 2
    for step in range(SETTLED + WATCHED):
        before = [weight.clone() for weight in _weights(experiment)]
        experiment.step()
        after = _weights(experiment)
        if step >= SETTLED:
            turned += _angles(before, after)
            continue
        for old, new in zip(before, after, strict=True):
            grown = float((new - (1 - TURNING_RATE * TURNING_DECAY) * old).square().sum())  # η²‖g‖²
            expected = keep * float(old.square().sum()) + grown
            worst = max(worst, abs(float(new.square().sum()) - expected) / grown)
    angle = sum(turned) / len(turned)
    return {"decay-law": worst, "decay-angle": angle / math.sqrt(2 * TURNING_RATE * TURNING_DECAY)}


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


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={TURNING: measure_turning},
    numbers={
        "steps": STEPS,
        "rate": RATE,
        "factors": FACTORS,
        "momentum": MOMENTUM_KNOBS["momentum"],
        "weight_decay": DECAY_KNOBS["weight_decay"],
        "paired_steps": PAIRED_STEPS,
        "paired_factor": PAIRED_FACTOR,
        "turning_rate": TURNING_RATE,
        "turning_decay": TURNING_DECAY,
        "settled": SETTLED,
        "turned": SETTLED + WATCHED,
    },
)
