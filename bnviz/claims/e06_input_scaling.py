"""E6, second part: what the scale of the inputs does to the growth of gradients under BN."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.statement import Statement, Watch, about, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered

COMPARED = 50
# With another ε than 0, how inputs are scaled would matter a little.
UNIT: dict[str, Any] = {"norms": ("batch",), "norm_eps": 0.0, "input_scaling": "unit"}
SCALED_KNOBS = {**UNIT, "depth": 20, "activation": "relu", "init": "he"}
CURVE_KNOBS = {**UNIT, "learning_rate": 0.1}
SCALED = "ε = 0, batch 60, float64, inputs from 0 to 1 against the same standardized"
DEEP = "ReLU, He, width 100, depth 20, step 0"
CALCULATION = "calculation"

STATEMENTS = (
    Statement(
        key="scaled-above",
        text="From layer 2 up the growth under BN is the same for inputs from 0 to 1: the first "
        "norm takes out their shift and their scale.",
        setting=f"{DEEP}, {SCALED}",
        quantity="largest |Δfactor| ÷ factor, from layer 3 to 2 and above",
        expected=at_most(1e-10),
        source=CALCULATION,
        watch=Watch(SCALED_KNOBS, ("growth",), 0),
    ),
    Statement(
        key="scaled-first",
        text="Layer 1’s own factor is larger for inputs from 0 to 1, by as much as they are "
        "smaller: it is no part of the growth.",
        setting=f"{DEEP}, {SCALED}",
        quantity="factor from layer 2 to 1 ÷ the same standardized × standard deviation of the "
        "inputs",
        expected=about(1.0, 1e-6),
        source=CALCULATION,
        watch=Watch(SCALED_KNOBS, ("growth",), 0),
    ),
    Statement(
        key="scaled-loss",
        text="BN’s loss curve is the same for inputs from 0 to 1 and for standardized ones.",
        setting=f"tanh 6×100, rate 0.1, steps 0 to {COMPARED}, {SCALED}",
        quantity="largest |Δloss| ÷ loss",
        expected=at_most(1e-8),
        source=CALCULATION,
        watch=Watch(CURVE_KNOBS, (), COMPARED),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """BN networks on inputs from 0 to 1 beside themselves on standardized ones."""
    network, batches, spread = _unit(seed, SCALED_KNOBS)
    factors = [_factors(network, *batch) for batch in next(zip(*batches, strict=True))]
    curves = [_losses(*_unit(seed, CURVE_KNOBS)[:2], place) for place in (0, 1)]
    return {
        "scaled-above": float((factors[0][1:] / factors[1][1:] - 1).abs().max()),
        "scaled-first": float(factors[0][0] / factors[1][0] * spread),
        "scaled-loss": float((curves[0] / curves[1] - 1).abs().max()),
    }


Batch = tuple[Tensor, Tensor]


def _unit(seed: int, setting: dict[str, Any]) -> tuple[Layered, list[list[Batch]], float]:
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
