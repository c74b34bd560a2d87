"""E5, second part: the Jacobians that the lab shows, in inference mode."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from bnviz.claims.references import torch_network
from bnviz.claims.runs import advance
from bnviz.claims.statement import Statement, Watch, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.mlp import MLP
from bnviz.probes.jacobian import LEVELS, examples

EXAMPLES, STEPS = 4, 20
KNOBS: dict[str, Any] = {"norms": ("batch",), "depth": 3}
# Of ReLU, whose slopes do not depend on how large its inputs are: then it is exact.
START_KNOBS: dict[str, Any] = {"depth": 3, "activation": "relu", "init": "he"}

STATEMENTS = (
    Statement(
        key="inference",
        text="What the lab shows are the singular values in inference mode, with the running "
        "statistics, as automatic differentiation of torch’s own layers gives them.",
        setting=f"tanh 3×100, rate 0.1, step {STEPS}, float64",
        quantity="largest difference of a percentile (10th, 50th, 90th) of a layer ÷ its median",
        expected=at_most(1e-5),
        source="calculation",
        watch=Watch(KNOBS, (), STEPS),
    ),
    Statement(
        key="start",
        text="At step 0, in inference mode, the Jacobian of a layer with BN is that of the same "
        "layer without it ÷ √(1 + ε).",
        setting=f"ReLU 3×100, He, ε = 1e-5, at {EXAMPLES} examples, float64",
        quantity="largest ‖J√(1 + ε) − J without BN‖ ÷ ‖J without BN‖ of a layer",
        expected=at_most(1e-12),
        source="calculation",
        watch=Watch(START_KNOBS, (), 0),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """What the lab shows beside automatic differentiation, and beside the plain network."""
    return {"inference": _from_autograd(seed), "start": _from_plain(seed)}


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
