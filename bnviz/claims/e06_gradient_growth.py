"""E6: batch normalization makes gradients grow with depth (Yang et al. 2019)."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import geometric_mean, play
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
from bnviz.records import NetworkRecord

# torch's own, not the engine's, which is what is tested.
PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu, "gelu": torch.nn.functional.gelu, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "linear": torch.clone,
}  # fmt: skip


def growth_of(activation: str) -> float:
    """√(E[φ′(z)²] ÷ Var[φ(z)]), z ~ N(0, 1): the factor a layer of wide layers and large batches.

    By the trapezoidal rule, which forgives the kink of ReLU.
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
    """√((m − 2)/(m − 3)): the factor a linear layer in small batches.

    Of m Gaussian values E[1/σ²] = m/(m − 3), and the projection leaves (m − 2)/m of a gradient.
    """
    return math.sqrt((size - 2) / (size - 3))


DEPTH = 20
LARGE, SMALL, SMALLER = 1024, 16, 8
EARLY = 10
RELU, GELU, TANH, SIGMOID = (growth_of(name) for name in ("relu", "gelu", "tanh", "sigmoid"))
INITS = {"relu": "he", "gelu": "he"}

NEAR = "near"


def _knobs(activation: str, **others: Any) -> dict[str, Any]:
    """A network at step 0."""
    base = {"activation": activation, "init": INITS.get(activation, "glorot"), "depth": DEPTH}
    return {**base, "batch_size": LARGE, **others}


RELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS = (_knobs(name) for name in ("relu", "tanh", "sigmoid"))
GELU_KNOBS = _knobs("gelu")
ROWS_KNOBS = _knobs("relu", norms=("none", "layer", "rms"))
UNIT_KNOBS = _knobs("relu", norms=("batch",), input_scaling="unit")
SMALL_KNOBS = _knobs("relu", batch_size=SMALLER)
LINEAR_KNOBS = {size: _knobs("linear", batch_size=size) for size in (SMALLER, SMALL)}
WIDE_KNOBS = _knobs("linear", batch_size=SMALLER, width=512)
DAMPED_KNOBS = {**_knobs("relu", norms=("batch",)), "batch_size": 60}

COMPARED = 50
# What the scale of the inputs does. With another ε than 0 it would matter a little.
SCALING: dict[str, Any] = {"norms": ("batch",), "norm_eps": 0.0, "input_scaling": "unit"}
SCALED_KNOBS = {**SCALING, "depth": 20, "activation": "relu", "init": "he"}
CURVE_KNOBS = {**SCALING, "learning_rate": 0.1}


def _watch(setting: dict[str, Any]) -> Watch:
    """At step 0, in the chart of the growth."""
    return in_lab(setting, ("growth",), 0)


STATEMENTS = (
    Statement(
        key="relu-batch",
        expected=about(RELU, 0.02),
        kind=Kind.PAPER,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(RELU_KNOBS),
    ),
    Statement(
        key="relu-none",
        expected=about(1.0, 0.05),
        kind=Kind.PAPER,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(RELU_KNOBS),
    ),
    Statement(
        key="tanh-batch",
        expected=about(TANH, 0.04),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(TANH_KNOBS),
    ),
    Statement(
        key="gelu-batch",
        expected=about(GELU, 0.02),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(GELU_KNOBS),
    ),
    Statement(
        key="sigmoid-none",
        expected=about(0.24, 0.05),
        kind=Kind.EARLIER,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(SIGMOID_KNOBS),
    ),
    Statement(
        key="sigmoid-batch",
        expected=about(SIGMOID, 0.04),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(SIGMOID_KNOBS),
    ),
    Statement(
        key="layer",
        expected=about(1.0, 0.02),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(ROWS_KNOBS),
    ),
    Statement(
        key="rms",
        expected=about(1.0, 0.02),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(ROWS_KNOBS),
    ),
    Statement(
        key="small-batch",
        expected=at_least(1.01),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=_watch(SMALL_KNOBS),
    ),
    *(
        Statement(
            key=f"linear-{size}",
            expected=about(growth_by_batch(size), 0.02),
            kind=Kind.CALCULATION,
            unit=Unit.TIMES_A_LAYER,
            watch=_watch(LINEAR_KNOBS[size]),
        )
        for size in (SMALLER, SMALL)
    ),
    Statement(
        key="relu-unit",
        expected=about(RELU, 0.02),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_LAYER,
        watch=_watch(UNIT_KNOBS),
    ),
    Statement(
        key="scaled-above",
        expected=at_most(1e-10),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(SCALED_KNOBS, ("growth",), 0),
    ),
    Statement(
        key="scaled-first",
        expected=about(1.0, 1e-6),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(SCALED_KNOBS, ("growth",), 0),
    ),
    Statement(
        key="scaled-loss",
        expected=at_most(1e-8),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(CURVE_KNOBS, (), COMPARED),
    ),
    Statement(
        key="damped",
        expected=at_most(0.9),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=in_lab(DAMPED_KNOBS, ("growth",), EARLY),
    ),
    *(
        Statement(
            key=f"{norm}-near",
            expected=about(1.0, 0.05),
            kind=Kind.FOUND,
            unit=Unit.TIMES_A_LAYER,
            part=NEAR,
            instead_of=norm,
            watch=_watch(ROWS_KNOBS),
        )
        for norm in ("layer", "rms")
    ),
    Statement(
        key="linear-wide",
        expected=about(growth_by_batch(SMALLER), 0.02),
        kind=Kind.FOUND,
        unit=Unit.TIMES_A_LAYER,
        part=NEAR,
        instead_of=f"linear-{SMALLER}",
        watch=_watch(WIDE_KNOBS),
    ),
)


def growth(record: NetworkRecord) -> float:
    """By how much the gradient's RMS grows from one hidden layer to the next below, on average.

    Down to layer 2: that of layer 1 goes by how inputs are scaled.
    """
    factors = record.probes["gradients"]["growth"].astype(np.float64)
    return geometric_mean(factors[1:-1])


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    relu, tanh, sigmoid, gelu, rows, small = (
        _at_start(seed, setting)
        for setting in (
            RELU_KNOBS, TANH_KNOBS, SIGMOID_KNOBS, GELU_KNOBS, ROWS_KNOBS, SMALL_KNOBS
        )
    )  # fmt: skip
    start, early = (
        growth(shot.networks["batch"])
        for shot in play(RunConfig(seed=seed, **DAMPED_KNOBS), (0, EARLY), ("gradients",))
    )
    return {
        "relu-batch": relu["batch"],
        "relu-none": relu["none"],
        "tanh-batch": tanh["batch"],
        "gelu-batch": gelu["batch"],
        "sigmoid-none": sigmoid["none"],
        "sigmoid-batch": sigmoid["batch"],
        "layer": rows["layer"],
        "rms": rows["rms"],
        "relu-unit": _at_start(seed, UNIT_KNOBS)["batch"],
        "small-batch": small["batch"] / relu["batch"],
        **{
            f"linear-{size}": _at_start(seed, setting)["batch"]
            for size, setting in LINEAR_KNOBS.items()
        },
        **_scaling(seed),
        "damped": math.log(early) / math.log(start),
    }


def measure_near(seed: int) -> dict[str, float]:
    """One value a statement that was found."""
    rows = _at_start(seed, ROWS_KNOBS)
    wide = _at_start(seed, WIDE_KNOBS)
    return {"layer-near": rows["layer"], "rms-near": rows["rms"], "linear-wide": wide["batch"]}


def _at_start(seed: int, setting: dict[str, Any]) -> dict[str, float]:
    (shot,) = play(RunConfig(seed=seed, **setting), (0,), ("gradients",))
    return {norm: growth(record) for norm, record in shot.networks.items()}


def _scaling(seed: int) -> dict[str, float]:
    """BN networks on inputs from 0 to 1 beside themselves on standardized ones."""
    network, batches, spread = _on_unit_inputs(seed, SCALED_KNOBS)
    factors = [_factors(network, *batch) for batch in next(zip(*batches, strict=True))]
    curves = [_losses(*_on_unit_inputs(seed, CURVE_KNOBS)[:2], place) for place in (0, 1)]
    return {
        "scaled-above": float((factors[0][1:] / factors[1][1:] - 1).abs().max()),
        "scaled-first": float(factors[0][0] / factors[1][0] * spread),
        "scaled-loss": float((curves[0] / curves[1] - 1).abs().max()),
    }


Batch = tuple[Tensor, Tensor]


def _on_unit_inputs(seed: int, setting: dict[str, Any]) -> tuple[Layered, list[list[Batch]], float]:
    """A float64 network; its mini-batches as they are, and standardized; their deviation.

    Standardized here, since the data's own standardized inputs are rounded to float32.
    """
    experiment = Experiment(RunConfig(seed=seed, **setting), dtype=torch.float64)
    network = experiment.networks["batch"]
    assert isinstance(network, Layered)
    data, size = experiment.data, experiment.config.batch_size
    inputs = torch.from_numpy(data.train_inputs[: size * (len(data.train_inputs) // size)]).double()
    labels = torch.from_numpy(data.train_labels).split(size)
    spread = inputs.std()
    both = (inputs.split(size), ((inputs - inputs.mean()) / spread).split(size))
    return network, [list(zip(x, labels, strict=False)) for x in both], float(spread)


def _factors(network: Layered, inputs: Tensor, labels: Tensor) -> Tensor:
    """Growth of the gradient from each hidden layer to the one below it, in float64."""
    _, gradients = network.backward(network.forward(inputs, training=True), labels)
    rms = torch.stack([layer.pre_activation.norm() for layer in gradients.layers])
    return rms[:-1] / rms[1:]


def _losses(network: Layered, batches: list[list[Batch]], place: int) -> Tensor:
    """Of gradient descent on the mini-batches of one scaling."""
    rate, found = CURVE_KNOBS["learning_rate"], []
    for inputs, labels in islice(cycle(batches[place]), COMPARED + 1):
        loss, gradients = network.backward(network.forward(inputs, training=True), labels)
        for name, gradient in network.named_gradients(gradients).items():
            network.parameters()[name].sub_(rate * gradient)
        found.append(loss)
    return torch.tensor(found, dtype=torch.float64)


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={NEAR: measure_near},
    numbers={
        "depth": DEPTH,
        "large": LARGE,
        "small": SMALL,
        "smaller": SMALLER,
        "small_growth": growth_by_batch(SMALL),
        "smaller_growth": growth_by_batch(SMALLER),
        "wide": WIDE_KNOBS["width"],
        "early": EARLY,
        "compared": COMPARED,
    },
)
