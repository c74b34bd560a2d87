"""E5: are the singular values of a normalized layer's Jacobian near 1? (IS15, section 3.3)"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import advance, normal
from bnviz.claims.statement import (
    Claim,
    Expectation,
    Kind,
    Statement,
    Unit,
    about,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.claims.torch_network import torch_network
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.layered import Layered
from bnviz.networks.mlp import MLP
from bnviz.probes.jacobian import LEVELS, examples

WIDTH, SAMPLES = 256, 4096
RELU = np.pi / (np.pi - 1)
TANH = 1.178
EXAMPLES = 4
# What the lab shows: Jacobians in inference mode.
STEPS = 20
KNOBS: dict[str, Any] = {"norms": ("batch",), "depth": 3}
# Of ReLU, whose slopes do not depend on how large its inputs are: then it is exact.
START_KNOBS: dict[str, Any] = {"depth": 3, "activation": "relu", "init": "he"}

STATEMENTS = (
    Statement(key="close", expected=at_least(0.9), kind=Kind.PAPER, unit=Unit.PERCENT),
    Statement(
        key="close-small-gamma",
        expected=at_least(0.9),
        kind=Kind.CALCULATION,
        unit=Unit.PERCENT,
        instead_of="close",
    ),
    Statement(key="small-gamma-10", expected=about(0.94, 0.02), kind=Kind.EARLIER),
    Statement(key="small-gamma-90", expected=about(1.04, 0.02), kind=Kind.EARLIER),
    Statement(key="orthogonal-10", expected=about(0.23, 0.1), kind=Kind.EARLIER),
    Statement(
        key="orthogonal-inside", expected=about(0.75, 0.05), kind=Kind.EARLIER, unit=Unit.PERCENT
    ),
    Statement(key="square-relu", expected=about(RELU, 0.05), kind=Kind.CALCULATION),
    Statement(key="square-tanh", expected=about(TANH, 0.05), kind=Kind.CALCULATION),
    Statement(key="square-linear", expected=about(1, 0.05), kind=Kind.CALCULATION),
    Statement(
        key="never-below-1",
        expected=Expectation(1 - 1e-9, math.inf, "≥ 1 − 1e-9"),
        kind=Kind.CALCULATION,
    ),
    Statement(key="smallest", expected=at_most(0.1), kind=Kind.EARLIER),
    Statement(key="largest", expected=between(2, 3), kind=Kind.EARLIER),
    Statement(key="zeros", expected=about(0.5, 0.1), kind=Kind.CALCULATION, unit=Unit.PERCENT),
    Statement(
        key="inference",
        expected=at_most(1e-5),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(KNOBS, (), STEPS),
    ),
    Statement(
        key="start",
        expected=at_most(1e-12),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(START_KNOBS, (), 0),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
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
    """Singular values of the Jacobian from one BN layer's x̂ to the next one's, inference mode.

    The running statistics are those of the whole sample.
    """
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
    """Of E[φ′(γz)²γ²] ÷ Var[φ(γz)], z ~ N(0, 1), over the nonlinearities."""
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
    """The lab's percentiles beside those of Jacobians by automatic differentiation."""
    experiment = Experiment(RunConfig(seed=seed, **KNOBS), dtype=torch.float64)
    advance(experiment, STEPS)
    measured = experiment.snapshot(("jacobian",)).networks["batch"].probes["jacobian"]
    network = experiment.networks["batch"]
    assert isinstance(network, MLP)
    twin, _ = torch_network(network)
    twin.eval()
    count = examples(experiment.config.depth, experiment.config.width)
    values = torch.from_numpy(experiment.data.probe_inputs[:count]).double()
    worst = 0.0
    for index in range(experiment.config.depth):
        layer = twin[3 * index : 3 * index + 3]
        jacobians = torch.stack([_jacobian(layer, row) for row in values])
        pooled = torch.linalg.svdvals(jacobians).numpy().ravel()
        expected = np.quantile(pooled, LEVELS)
        found = measured["percentiles"][index].astype(np.float64)
        worst = max(worst, float(np.abs(found - expected).max() / expected[1]))
        values = layer(values).detach()
    return worst


def _from_plain(seed: int) -> float:
    """The Jacobians that the lab shows of a BN network at step 0 beside those of the plain one."""
    experiment = Experiment(RunConfig(seed=seed, **START_KNOBS), dtype=torch.float64)
    inputs = torch.from_numpy(experiment.data.probe_inputs[:EXAMPLES]).double()
    networks = [experiment.networks[norm] for norm in ("none", "batch")]
    traces = [network.forward(inputs, training=False) for network in networks]
    growth, worst = math.sqrt(1 + experiment.config.norm_eps), 0.0
    for index in range(experiment.config.depth):
        plain, batch = (
            network.layer_jacobian(trace, index, EXAMPLES)
            for network, trace in zip(networks, traces, strict=True)
        )
        worst = max(worst, float((batch * growth - plain).norm() / plain.norm()))
    return worst


def _jacobian(layer: torch.nn.Module, row: torch.Tensor) -> torch.Tensor:
    with torch.enable_grad():
        found = torch.autograd.functional.jacobian(lambda x: layer(x[None])[0], row)
    assert isinstance(found, torch.Tensor)
    return found


CLAIM = Claim(STATEMENTS, measure, numbers={"width": WIDTH, "examples": EXAMPLES, "steps": STEPS})
