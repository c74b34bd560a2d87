"""E4: with batch normalization, the scale of a layer's weights does not change its output.

The scale decides how far a step turns the weights. Separate parts measure this with weight decay
and with Adam.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, cosine_similarity

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest_of_each, off_in_norm
from bnviz.claims.runs import Batch, begin_exact, first_images, gradients, mlp
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_least,
    at_most,
    calculated,
    in_lab,
    quoted,
)
from bnviz.experiment import Experiment
from bnviz.networks.mlp import MLP

STEPS, PAIRED_STEPS = 100, 20
LAYER = 1  # index of the middle layer of three hidden layers
FACTORS, ORDERS = 30, 6
RATE, PAIRED_FACTOR = 0.3, 3.0
TURNING_RATE, TURNING_DECAY = 0.5, 0.01
SETTLED, TURNING_STEPS = 600, 200
KEPT = 1 - TURNING_RATE * TURNING_DECAY
MOMENTUM_OF_TURNING, LONG_TURNING_STEPS = 0.5, 2000

SIZES: KnobValues = {"depth": 3, "width": 32, "norm_eps": 0.0}
KNOBS: KnobValues = {**SIZES, "learning_rate": RATE}
MOMENTUM_KNOBS: KnobValues = {**KNOBS, "momentum": 0.5}
DECAY_KNOBS: KnobValues = {**KNOBS, "weight_decay": 0.01}
WITH_BN: KnobValues = {**SIZES, "norms": ("batch",)}
DECAYING: KnobValues = {**WITH_BN, "learning_rate": TURNING_RATE, "weight_decay": TURNING_DECAY}
HEAVY: KnobValues = {**DECAYING, "momentum": MOMENTUM_OF_TURNING}
HEAVY_SIGMOID: KnobValues = {**HEAVY, "activation": "sigmoid"}
HEAVY_RELU: KnobValues = {**HEAVY, "activation": "relu", "init": "he"}
ADAM: KnobValues = {**WITH_BN, "optimizer": "adam", "learning_rate": 0.001}
SGD: KnobValues = {**WITH_BN, "learning_rate": 0.001}

EXACT, NEARLY_EXACT = at_most(1e-10), at_most(1e-8)
GROWS, MOMENTUM, DECAY = (
    in_lab(knobs, "weights", STEPS) for knobs in (KNOBS, MOMENTUM_KNOBS, DECAY_KNOBS)
)  # fmt: skip

STATEMENTS = (
    quoted("loss", EXACT, TIMES),
    quoted("below", EXACT, TIMES),
    quoted("weight", EXACT, TIMES),
    calculated("negative", EXACT, TIMES),
    calculated("orthogonal", EXACT, TIMES),
    calculated("not-orthogonal", at_least(0.01), TIMES),
    quoted("growth", NEARLY_EXACT, TIMES, GROWS),
    calculated("growth-momentum", at_least(0.1), TIMES, MOMENTUM),
    calculated("growth-decay", at_least(0.1), TIMES, DECAY),
    quoted("effective-rate", NEARLY_EXACT, TIMES),
    quoted("same-rate", at_most(1), TIMES),
    calculated("decay-law", NEARLY_EXACT, TIMES, in_lab(DECAYING, "weights"), part="turning"),
    quoted("decay-angle", about(1.0, 0.1), TIMES, in_lab(DECAYING, "weights", SETTLED),
           part="turning"),
    calculated("adam-angle", about(0.5, 0.01), TIMES, in_lab(ADAM, "weights"), part="turning"),
    calculated("sgd-angle", about(0.25, 0.01), TIMES, in_lab(SGD, "weights"), part="turning"),
    quoted("decay-rms", about(1.0, 0.01), TIMES, in_lab(DECAYING, "weights", SETTLED),
           part="equilibrium"),
    quoted("momentum-tanh", about(1.0, 0.01), TIMES, in_lab(HEAVY, "weights", SETTLED),
           part="equilibrium"),
    quoted("momentum-sigmoid", about(1.0, 0.01), TIMES, in_lab(HEAVY_SIGMOID, "weights", SETTLED),
           part="equilibrium"),
    quoted("momentum-relu", about(1.0, 0.01), TIMES, in_lab(HEAVY_RELU, "weights", SETTLED),
           part="equilibrium"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    experiment = begin_exact(seed, KNOBS)
    network, batch = mlp(experiment, "batch"), first_images(experiment)
    factors = 10.0 ** random_numbers(seed, 4).uniform(-ORDERS, ORDERS, FACTORS)
    return {
        **largest_of_each([_scaled(network, batch, factor) for factor in factors]),
        "orthogonal": float(_cosines(network, batch).max()),
        "not-orthogonal": float(_cosines(mlp(experiment, "none"), batch).median()),
        **_paired(network, batch),
        "growth": float(_growth_errors(seed, KNOBS).max()),
        "growth-momentum": float(_growth_errors(seed, MOMENTUM_KNOBS).min()),
        "growth-decay": float(_growth_errors(seed, DECAY_KNOBS).min()),
    }


def _scaled(network: MLP, batch: Batch, factor: float) -> ClaimValues:
    """Measure the effect of multiplying a layer's weights by `factor`, and of negating them."""
    weight = network.layers[LAYER].weight
    loss, before = gradients(network, batch)
    kept, upright = weight.clone(), _normalized(network, batch)
    weight.mul_(factor)
    scaled_loss, after = gradients(network, batch)
    weight.neg_()
    turned = _normalized(network, batch)
    weight.copy_(kept)
    return {
        "loss": abs(scaled_loss - loss) / loss,
        "below": off_in_norm(*(each.layers[LAYER - 1].activation for each in (after, before))),
        "weight": off_in_norm(factor * after.layers[LAYER].weight, before.layers[LAYER].weight),
        "negative": off_in_norm(-turned, upright),
    }


def _normalized(network: MLP, batch: Batch) -> Tensor:
    """Return the layer's x̂, which is the input of its nonlinearity while γ = 1 and β = 0."""
    return network.forward(batch[0], training=True).layers[LAYER].nonlinearity_input


def _cosines(network: MLP, batch: Batch) -> Tensor:
    _, found = gradients(network, batch)
    pairs = zip(network.layers, found.layers, strict=True)
    return torch.cat(
        [cosine_similarity(layer.weight, own.weight, dim=1).abs() for layer, own in pairs]
    )


def _growth_errors(seed: int, knobs: KnobValues) -> Tensor:
    """|‖w_t‖² − ‖w_0‖² − η²Σ‖g‖²| ÷ η²Σ‖g‖² of each hidden layer of the BN network."""
    experiment = begin_exact(seed, knobs)
    network = mlp(experiment, "batch")
    views = network.views(experiment.learners["batch"].stepper.gradient)
    start = _squares(network.hidden_weights())
    total = torch.zeros_like(start)
    for _ in range(STEPS):
        experiment.step()
        total += _squares(views[f"{layer.name}.weight"] for layer in network.layers)
    expected = RATE**2 * total
    return (_squares(network.hidden_weights()) - start - expected).abs() / expected


def _squares(tensors: Iterable[Tensor]) -> Tensor:
    return torch.stack([(tensor * tensor).sum() for tensor in tensors])


def _paired(network: MLP, batch: Batch) -> ClaimValues:
    weight = network.layers[LAYER].weight
    kept = weight.clone()

    def losses(scale: float, learning_rate: float) -> Tensor:
        weight.copy_(kept * scale)
        found = []
        for _ in range(PAIRED_STEPS):
            loss, own = gradients(network, batch)
            found.append(loss)
            weight.sub_(learning_rate * own.layers[LAYER].weight)
        weight.copy_(kept)
        return torch.tensor(found, dtype=torch.float64)

    reference, slow = losses(1.0, RATE), losses(PAIRED_FACTOR, RATE)
    compensated = losses(PAIRED_FACTOR, PAIRED_FACTOR**2 * RATE)
    return {
        "effective-rate": float(((compensated - reference).abs() / reference).max()),
        "same-rate": float((slow[0] - slow[-1]) / (reference[0] - reference[-1])),
    }


def measure_turning(seed: int) -> ClaimValues:
    return {
        **_balance(seed),
        "adam-angle": _doubled(seed, ADAM),
        "sgd-angle": _doubled(seed, SGD),
    }


def _step(experiment: Experiment) -> tuple[list[Tensor], list[Tensor]]:
    """Take a step and return the hidden weights before and after it."""
    weights = experiment.networks["batch"].hidden_weights()
    before = [weight.clone() for weight in weights]
    experiment.step()
    return before, weights


def _angles(before: list[Tensor], after: list[Tensor]) -> list[float]:
    return [
        math.acos(min(1.0, float(cosine_similarity(old.flatten(), new.flatten(), dim=0))))
        for old, new in zip(before, after, strict=True)
    ]


def _balance(seed: int) -> ClaimValues:
    """Check ‖w′‖² = (1 − ηλ)²‖w‖² + η²‖g‖² per step, and measure the angle in equilibrium."""
    experiment = begin_exact(seed, DECAYING)
    worst = 0.0
    for _ in range(SETTLED):
        for old, new in zip(*_step(experiment), strict=True):
            grown = float((new - KEPT * old).square().sum())  # η²‖g‖²
            expected = KEPT**2 * float(old.square().sum()) + grown
            worst = max(worst, abs(float(new.square().sum()) - expected) / grown)
    turned = [angle for _ in range(TURNING_STEPS) for angle in _angles(*_step(experiment))]
    angle = sum(turned) / len(turned)
    return {"decay-law": worst, "decay-angle": angle / math.sqrt(2 * TURNING_RATE * TURNING_DECAY)}


def measure_equilibrium(seed: int) -> ClaimValues:
    return {
        "decay-rms": _turning_speed(seed, DECAYING),
        "momentum-tanh": _turning_speed(seed, HEAVY),
        "momentum-sigmoid": _turning_speed(seed, HEAVY_SIGMOID),
        "momentum-relu": _turning_speed(seed, HEAVY_RELU),
    }


def _turning_speed(seed: int, knobs: KnobValues) -> float:
    """Return the RMS angle per step in equilibrium ÷ √(2ηλ/(1 + β))."""
    experiment = begin_exact(seed, knobs)
    experiment.advance(SETTLED)
    turned = [angle for _ in range(LONG_TURNING_STEPS) for angle in _angles(*_step(experiment))]
    mean_square = sum(angle * angle for angle in turned) / len(turned)
    expected = 2 * TURNING_RATE * TURNING_DECAY / (1 + knobs.get("momentum", 0.0))
    return math.sqrt(mean_square / expected)


def _doubled(seed: int, knobs: KnobValues) -> float:
    """Angle of the first step from doubled weights ÷ angle from the original weights."""
    angles = []
    for factor in (1.0, 2.0):
        experiment = begin_exact(seed, knobs)
        for weight in experiment.networks["batch"].hidden_weights():
            weight.mul_(factor)
        angles.append(_angles(*_step(experiment))[1])
    return angles[1] / angles[0]


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"turning": measure_turning, "equilibrium": measure_equilibrium},
    other_numbers={
        "momentum": MOMENTUM_KNOBS["momentum"],
        "weight_decay": DECAY_KNOBS["weight_decay"],
        "turned": SETTLED + TURNING_STEPS,
        "long_turned": SETTLED + LONG_TURNING_STEPS,
    },
)
