"""E6: batch normalization makes gradients grow with depth (Yang et al. 2019)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.relative_errors import largest
from bnviz.claims.runs import (
    Batch,
    begin_exact,
    geometric_mean,
    gradients,
    mlp,
    networks_after,
    snapshots,
)
from bnviz.claims.statement import (
    TIMES,
    TIMES_A_LAYER,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.networks.mlp import MLP
from bnviz.records import NetworkRecord

# Torch's own nonlinearities. They are independent of the engine's nonlinearities, which the claim
# tests.
PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu, "gelu": torch.nn.functional.gelu, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "linear": torch.clone,
}  # fmt: skip


def growth_of(activation: str) -> float:
    """√(E[φ′(z)²] ÷ Var[φ(z)]), z ~ N(0, 1): growth per layer in wide layers and large batches.

    The trapezoidal rule handles the kink of ReLU.
    """
    z = torch.linspace(-12, 12, 240_001, dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        value = PHI[activation](z)
        (slope,) = torch.autograd.grad(value.sum(), z)
    weight = torch.exp(-(z.detach() ** 2) / 2)
    weight, value = weight / weight.sum(), value.detach()
    variance = weight @ (value * value) - (weight @ value) ** 2
    return math.sqrt(float(weight @ (slope * slope) / variance))


def growth_by_batch(size: int) -> float:
    """√((m − 2)/(m − 3)): growth per linear layer for mini-batches of m examples.

    E[1/σ²] = m/(m − 3) for m independent Gaussian values, and the projection leaves (m − 2)/m of a
    gradient. If units are correlated, 1/σ² varies more.
    """
    return math.sqrt((size - 2) / (size - 3))


DEPTH, WIDE = 20, 512
LARGE, SMALL, SMALLER = 1024, 16, 8
EARLY, COMPARED = 10, 50
RELU, GELU, TANH, SIGMOID = (growth_of(name) for name in ("relu", "gelu", "tanh", "sigmoid"))


def _knobs(activation: str, init: str = "glorot", **others: Any) -> KnobValues:
    base = {"activation": activation, "init": init, "depth": DEPTH, "batch_size": LARGE}
    return {**base, **others}


RELU_KNOBS, GELU_KNOBS = _knobs("relu", "he"), _knobs("gelu", "he")
TANH_KNOBS, SIGMOID_KNOBS = _knobs("tanh"), _knobs("sigmoid")
ROWS_KNOBS: KnobValues = {**RELU_KNOBS, "norms": ("none", "layer", "rms")}
UNIT_KNOBS: KnobValues = {**RELU_KNOBS, "norms": ("batch",), "input_scaling": "unit"}
SMALL_RELU_KNOBS: KnobValues = {**RELU_KNOBS, "batch_size": SMALLER}
SMALLER_KNOBS, SMALL_KNOBS, LARGE_KNOBS = (
    _knobs("linear", batch_size=size) for size in (SMALLER, SMALL, LARGE)
)
WIDE_KNOBS: KnobValues = {**SMALLER_KNOBS, "width": WIDE}
DAMPED_KNOBS: KnobValues = {**RELU_KNOBS, "norms": ("batch",), "batch_size": 60}
# Settings for the tests of input scaling. ε is 0, because ε > 0 would have a small effect.
SCALING: KnobValues = {"norms": ("batch",), "norm_eps": 0.0, "input_scaling": "unit"}
SCALED_KNOBS: KnobValues = {**SCALING, "depth": 20, "activation": "relu", "init": "he"}
CURVE_KNOBS: KnobValues = {**SCALING, "learning_rate": 0.1}

AT_RELU, AT_GELU, AT_TANH, AT_SIGMOID, AT_ROWS, AT_SCALED = (
    in_lab(knobs, "growth", 0)
    for knobs in (RELU_KNOBS, GELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS, ROWS_KNOBS, SCALED_KNOBS)
)

STATEMENTS = (
    quoted("relu-batch", about(RELU, 0.02), TIMES_A_LAYER, AT_RELU),
    quoted("relu-none", about(1.0, 0.05), TIMES_A_LAYER, AT_RELU),
    calculated("tanh-batch", about(TANH, 0.04), TIMES_A_LAYER, AT_TANH),
    calculated("gelu-batch", about(GELU, 0.02), TIMES_A_LAYER, AT_GELU),
    earlier("sigmoid-none", about(0.24, 0.05), TIMES_A_LAYER, AT_SIGMOID),
    calculated("sigmoid-batch", about(SIGMOID, 0.04), TIMES_A_LAYER, AT_SIGMOID),
    calculated("layer", about(1.0, 0.02), TIMES_A_LAYER, AT_ROWS),
    calculated("rms", about(1.0, 0.02), TIMES_A_LAYER, AT_ROWS),
    quoted("small-batch", at_least(1.01), TIMES, in_lab(SMALL_RELU_KNOBS, "growth", 0)),
    calculated("linear-8", about(growth_by_batch(SMALLER), 0.02), TIMES_A_LAYER,
               in_lab(SMALLER_KNOBS, "growth", 0)),
    calculated("linear-16", about(growth_by_batch(SMALL), 0.02), TIMES_A_LAYER,
               in_lab(SMALL_KNOBS, "growth", 0)),
    calculated("relu-unit", about(RELU, 0.02), TIMES_A_LAYER, in_lab(UNIT_KNOBS, "growth", 0)),
    calculated("scaled-above", at_most(1e-10), TIMES, AT_SCALED),
    calculated("scaled-first", about(1.0, 1e-6), TIMES, AT_SCALED),
    calculated("scaled-loss", at_most(1e-8), TIMES, in_lab(CURVE_KNOBS, step=COMPARED)),
    earlier("damped", at_most(0.9), TIMES, in_lab(DAMPED_KNOBS, "growth", EARLY)),
    earlier("linear-large", between(1.005, 1.05), TIMES_A_LAYER, in_lab(LARGE_KNOBS, "growth", 0)),
    found_here("layer-near", about(1.0, 0.05), TIMES_A_LAYER, AT_ROWS,
               part="near", instead_of="layer"),
    found_here("rms-near", about(1.0, 0.05), TIMES_A_LAYER, AT_ROWS, part="near", instead_of="rms"),
    found_here("linear-wide", about(growth_by_batch(SMALLER), 0.02), TIMES_A_LAYER,
               in_lab(WIDE_KNOBS, "growth", 0), part="near", instead_of="linear-8"),
)  # fmt: skip


def growth(record: NetworkRecord) -> float:
    """Mean growth of the gradient's RMS from each hidden layer to the layer below, down to layer 2.

    The gradient of layer 1 depends on the input scaling.
    """
    factors = record.probes["gradients"]["growth"].astype(np.float64)
    return geometric_mean(factors[1:-1])


def measure(seed: int) -> ClaimValues:
    relu, tanh, sigmoid, rows = (
        _at_start(seed, knobs) for knobs in (RELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS, ROWS_KNOBS)
    )
    start, early = (
        growth(shot.networks["batch"])
        for shot in snapshots(seed, DAMPED_KNOBS, (0, EARLY), "gradients")
    )
    return {
        "relu-batch": relu["batch"],
        "relu-none": relu["none"],
        "tanh-batch": tanh["batch"],
        "gelu-batch": _at_start(seed, GELU_KNOBS)["batch"],
        "sigmoid-none": sigmoid["none"],
        "sigmoid-batch": sigmoid["batch"],
        "layer": rows["layer"],
        "rms": rows["rms"],
        "relu-unit": _at_start(seed, UNIT_KNOBS)["batch"],
        "small-batch": _at_start(seed, SMALL_RELU_KNOBS)["batch"] / relu["batch"],
        "linear-8": _at_start(seed, SMALLER_KNOBS)["batch"],
        "linear-16": _at_start(seed, SMALL_KNOBS)["batch"],
        "linear-large": _at_start(seed, LARGE_KNOBS)["batch"],
        **_scaling(seed),
        "damped": math.log(early) / math.log(start),
    }


def measure_near(seed: int) -> ClaimValues:
    rows, wide = _at_start(seed, ROWS_KNOBS), _at_start(seed, WIDE_KNOBS)
    return {"layer-near": rows["layer"], "rms-near": rows["rms"], "linear-wide": wide["batch"]}


def _at_start(seed: int, knobs: KnobValues) -> ClaimValues:
    networks = networks_after(seed, knobs, 0, "gradients")
    return {norm: growth(record) for norm, record in networks.items()}


def _scaling(seed: int) -> ClaimValues:
    """Compare BN networks on inputs between 0 and 1 and on standardized inputs."""
    network, as_they_are, standardized, deviation = _on_unit_inputs(seed, SCALED_KNOBS)
    ratios = _factors(network, as_they_are[0]) / _factors(network, standardized[0])
    losses, standardized_losses = (_losses(seed, place) for place in (0, 1))
    return {
        "scaled-above": largest(ratios[1:] - 1),
        "scaled-first": float(ratios[0] * deviation),
        "scaled-loss": largest(losses / standardized_losses - 1),
    }


def _on_unit_inputs(seed: int, knobs: KnobValues) -> tuple[MLP, list[Batch], list[Batch], float]:
    """Return a float64 network, its raw and its standardized mini-batches, and the inputs' std.

    The inputs are standardized in float64, because the data set's standardized inputs are rounded
    to float32.
    """
    experiment = begin_exact(seed, knobs)
    data, size = experiment.data, experiment.config.batch_size
    inputs = torch.from_numpy(data.train_inputs[: size * (len(data.train_inputs) // size)]).double()
    labels = torch.from_numpy(data.train_labels).split(size)
    deviation = inputs.std()
    as_they_are, standardized = (
        list(zip(each.split(size), labels, strict=False))
        for each in (inputs, (inputs - inputs.mean()) / deviation)
    )
    return mlp(experiment, "batch"), as_they_are, standardized, float(deviation)


def _factors(network: MLP, batch: Batch) -> Tensor:
    """Growth of the gradient from each hidden layer to the layer below it, in float64."""
    _, found = gradients(network, batch)
    rms = torch.stack([layer.pre_activation.norm() for layer in found.layers])
    return rms[:-1] / rms[1:]


def _losses(seed: int, place: int) -> Tensor:
    """Losses of gradient descent on raw (`place` 0) or standardized (`place` 1) mini-batches."""
    network, *scalings, _ = _on_unit_inputs(seed, CURVE_KNOBS)
    losses = []
    for batch in islice(cycle(scalings[place]), COMPARED + 1):
        loss, found = gradients(network, batch)
        for name, gradient in network.named_gradients(found).items():
            network.parameters()[name].sub_(CURVE_KNOBS["learning_rate"] * gradient)
        losses.append(loss)
    return torch.tensor(losses, dtype=torch.float64)


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"near": measure_near},
    other_numbers={
        "small_growth": growth_by_batch(SMALL),
        "smaller_growth": growth_by_batch(SMALLER),
        "large_growth": growth_by_batch(LARGE),
    },
)
