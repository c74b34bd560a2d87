"""E5: singular values of a normalized layer's Jacobian (Ioffe & Szegedy 2015, section 3.3)."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import off_in_norm
from bnviz.claims.runs import begin_exact, mlp, normal
from bnviz.claims.statement import (
    PERCENT,
    TIMES,
    Claim,
    ClaimValues,
    Expectation,
    KnobValues,
    about,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    in_lab,
    quoted,
)
from bnviz.claims.torch_network import torch_network
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.layered import Layered
from bnviz.probes.jacobian import LEVELS, examples

WIDTH, SAMPLES = 256, 4096
RELU = np.pi / (np.pi - 1)
TANH = 1.178
EXAMPLES = 4
# Settings of the comparison with the lab, which shows Jacobians in inference mode.
STEPS = 20
KNOBS: KnobValues = {"norms": ("batch",), "depth": 3}
# The comparison at step 0 is exact with ReLU, whose slopes do not depend on the input scale.
START_KNOBS: KnobValues = {"depth": 3, "activation": "relu", "init": "he"}

STATEMENTS = (
    quoted("close", at_least(0.9), PERCENT),
    calculated("close-small-gamma", at_least(0.9), PERCENT, instead_of="close"),
    earlier("small-gamma-10", about(0.94, 0.02)),
    earlier("small-gamma-90", about(1.04, 0.02)),
    earlier("orthogonal-10", about(0.23, 0.1)),
    earlier("orthogonal-inside", about(0.75, 0.05), PERCENT),
    calculated("square-relu", about(RELU, 0.05)),
    calculated("square-tanh", about(TANH, 0.05)),
    calculated("square-linear", about(1, 0.05)),
    calculated("never-below-1", Expectation(1 - 1e-9, math.inf, "≥ 1 − 1e-9")),
    earlier("smallest", at_most(0.1)),
    earlier("largest", between(2, 3)),
    calculated("zeros", about(0.5, 0.1), PERCENT),
    calculated("inference", at_most(1e-5), TIMES, in_lab(KNOBS, step=STEPS)),
    calculated("start", at_most(1e-12), TIMES, in_lab(START_KNOBS, step=0)),
)


def measure(seed: int) -> ClaimValues:
    tanh, relu, linear = (_values(seed, name) for name in ("tanh", "relu", "linear"))
    small = _values(seed, "tanh", init="orthogonal", gamma=0.2)
    orthogonal = _values(seed, "tanh", init="orthogonal")
    low, high = np.quantile(small, (0.1, 0.9))
    return {
        "close": _inside(tanh),
        "close-small-gamma": _inside(small),
        "small-gamma-10": float(low),
        "small-gamma-90": float(high),
        "orthogonal-10": float(np.quantile(orthogonal, 0.1)),
        "orthogonal-inside": _inside(orthogonal),
        "square-relu": float(np.mean(relu**2)),
        "square-tanh": float(np.mean(tanh**2)),
        "square-linear": float(np.mean(linear**2)),
        "never-below-1": _smallest_ratio(seed),
        "smallest": float(tanh.min()),
        "largest": float(tanh.max()),
        "zeros": float(np.mean(relu <= 1e-12 * relu.max())),
        "inference": _from_autograd(seed),
        "start": _from_plain(seed),
    }


def _values(seed: int, activation: str, *, init: str = "normal", gamma: float = 1.0) -> np.ndarray:
    """Singular values of the Jacobian from one BN layer's x̂ to the next, at inference."""
    config = RunConfig(
        depth=2, width=WIDTH, activation=activation, init=init, norm_momentum=1.0, seed=seed
    )
    network = build_network(config, "batch", WIDTH, 10, dtype=torch.float64)
    assert isinstance(network, Layered)
    network.parameters()["layer 1.gamma"].fill_(gamma)
    inputs = normal(random_numbers(seed, 5), SAMPLES, WIDTH)
    network.update_statistics(network.forward(inputs, training=True))
    first = network.forward(inputs[:EXAMPLES], training=False).layers[0]
    slope = gamma * network.activation.derivative(first.nonlinearity_input, first.activation)
    second = network.layers[1]
    scale = second.norm.inference_jacobian(torch.zeros(WIDTH, dtype=torch.float64))
    jacobians = scale[:, None] * second.weight * slope[:, None, :]
    return torch.linalg.svdvals(jacobians).numpy().ravel()


def _inside(values: np.ndarray) -> float:
    return float(np.mean((values >= 0.5) & (values <= 2)))


def _smallest_ratio(seed: int) -> float:
    """Return the smallest E[φ′(γz)²γ²] ÷ Var[φ(γz)] of all nonlinearities, for z ~ N(0, 1)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    gamma = random_numbers(seed, 5).uniform(0.1, 3)
    z = torch.from_numpy(gamma * nodes)
    ratios = []
    for phi in ACTIVATIONS.values():
        found = phi.forward(z)
        slope, value = (gamma * phi.derivative(z, found)).numpy(), found.numpy()
        variance = weights @ value**2 - (weights @ value) ** 2
        ratios.append(float(weights @ slope**2 / variance))
    return min(ratios)


def _from_autograd(seed: int) -> float:
    """Return the largest error of the lab's singular-value percentiles compared with autograd."""
    experiment = begin_exact(seed, KNOBS)
    experiment.advance(STEPS)
    measured = experiment.snapshot(("jacobian",)).networks["batch"].probes["jacobian"]
    twin, _ = torch_network(mlp(experiment, "batch"))
    twin.eval()
    config, worst = experiment.config, 0.0
    values = _probe_inputs(experiment, examples(config.depth, config.width))
    for index, found in enumerate(measured["percentiles"]):
        layer = twin[3 * index : 3 * index + 3]
        jacobians = torch.stack([_jacobian(layer, row) for row in values])
        expected = np.quantile(torch.linalg.svdvals(jacobians).numpy().ravel(), LEVELS)
        difference = np.abs(found.astype(np.float64) - expected).max()
        worst = max(worst, float(difference / expected[1]))
        values = layer(values).detach()
    return worst


def _from_plain(seed: int) -> float:
    """Return the largest difference at step 0 between the lab's Jacobians with and without BN."""
    experiment = begin_exact(seed, START_KNOBS)
    growth, inputs = math.sqrt(1 + experiment.config.norm_eps), _probe_inputs(experiment, EXAMPLES)

    def jacobians(norm: str) -> list[Tensor]:
        network = experiment.networks[norm]
        trace = network.forward(inputs, training=False)
        return [network.layer_jacobian(trace, i, EXAMPLES) for i in range(experiment.config.depth)]

    return max(
        off_in_norm(batch * growth, plain)
        for batch, plain in zip(jacobians("batch"), jacobians("none"), strict=True)
    )


def _probe_inputs(experiment: Experiment, count: int) -> Tensor:
    return torch.from_numpy(experiment.data.probe_inputs[:count]).double()


def _jacobian(layer: torch.nn.Module, row: Tensor) -> Tensor:
    with torch.enable_grad():
        found: Tensor = torch.autograd.functional.jacobian(lambda x: layer(x[None])[0], row)
    return found


CLAIM = Claim(STATEMENTS, measure)
