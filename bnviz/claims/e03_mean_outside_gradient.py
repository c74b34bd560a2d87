"""E3: normalization outside the gradient computation (Ioffe & Szegedy 2015, section 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import begin, begin_exact, mlp
from bnviz.claims.single_layer import RATE, STEPS, UNITS, single_layer
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_most,
    calculated,
    found_here,
    in_lab,
    quoted,
)
from bnviz.networks.loss import cross_entropy
from bnviz.networks.mlp import MLP
from bnviz.norms.ablated import AblatedBatchNorm

WHOLE_STEPS, EXACT_STEPS = 1000, 100

KNOBS: KnobValues = {
    "depth": 3, "norms": ("ablated",), "ablation_statistics": "mean", "ablation_bias": True,
    "ablation_gradient": False, "learning_rate": RATE,
}  # fmt: skip
INSIDE_KNOBS: KnobValues = {**KNOBS, "ablation_gradient": True}
EXACT = at_most(1e-10)
AT_100, INSIDE_AT_100 = (in_lab(knobs, "biases", EXACT_STEPS) for knobs in (KNOBS, INSIDE_KNOBS))
AT_1000 = in_lab(KNOBS, "biases", WHOLE_STEPS)

STATEMENTS = (
    quoted("frozen", EXACT, TIMES),
    quoted("linear", about(2, 1e-6), TIMES),
    quoted("inside", EXACT, TIMES),
    quoted("whole-moves", EXACT, TIMES, AT_100),
    quoted("whole-idle", EXACT, TIMES, AT_100),
    quoted("whole-inside", EXACT, TIMES, INSIDE_AT_100),
    calculated("whole-linear", about(2, 0.05), TIMES, AT_1000),
    found_here("whole-slower", at_most(1.9), TIMES, AT_1000,
               part="slower", instead_of="whole-linear"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    losses, biases = one_layer(seed, differentiated=False)
    _, inside = one_layer(seed, differentiated=True)
    constant, whole_inside = (_exact(seed, knobs) for knobs in (KNOBS, INSIDE_KNOBS))
    return {
        "frozen": float(np.ptp(losses) / losses[0]),
        "linear": float(biases[-1].norm() / biases[STEPS // 2].norm()),
        "inside": float(inside[-1].norm() / biases[-1].norm()),
        "whole-moves": constant.unexplained / constant.size,
        "whole-idle": constant.loss_change,
        "whole-inside": whole_inside.size / constant.size,
        "whole-linear": _grown(seed),
    }


def one_layer(seed: int, *, differentiated: bool) -> tuple[np.ndarray, list[Tensor]]:
    """Train only the bias of one layer with a fixed readout. Return losses and biases by step."""
    inputs, readout, labels = map(torch.from_numpy, single_layer(seed))
    norm = AblatedBatchNorm(
        UNITS, statistics="mean", differentiated=differentiated, learned=False,
        keeps_bias=True, dtype=torch.float64,
    )  # fmt: skip
    bias = torch.zeros(UNITS, dtype=torch.float64)
    losses, biases = [], [bias]
    for _ in range(STEPS):
        values, cache = norm.forward(inputs + bias, training=True)
        loss, dlogits = cross_entropy(values @ readout, labels)
        bias = bias - RATE * norm.backward(dlogits @ readout.t(), cache).sum(0)
        losses.append(float(loss))
        biases.append(bias)
    return np.array(losses), biases


class _Biases(NamedTuple):
    """Biases b of all hidden layers: ‖b‖, ‖b + ηΣγ∂loss/∂β‖, relative loss change from b = 0."""

    size: float
    unexplained: float
    loss_change: float


def _exact(seed: int, knobs: KnobValues) -> _Biases:
    experiment = begin_exact(seed, knobs)
    network = mlp(experiment, "ablated")
    views = network.views(experiment.learners["ablated"].stepper.gradient)
    expected = torch.zeros_like(_joined(network))
    for _ in range(EXACT_STEPS):
        gammas = [layer.norm.parameters["gamma"].clone() for layer in network.layers]
        experiment.step()
        pushes = [
            gamma * views[f"{layer.name}.beta"]
            for gamma, layer in zip(gammas, network.layers, strict=True)
        ]
        expected -= RATE * torch.cat(pushes)
    grown = _joined(network)
    before = experiment.snapshot(()).networks["ablated"].loss
    for layer in network.layers:
        assert layer.bias is not None
        layer.bias.zero_()
    after = experiment.snapshot(()).networks["ablated"].loss
    return _Biases(
        float(grown.norm()), float((grown - expected).norm()), abs(after - before) / before
    )


def _grown(seed: int) -> float:
    """Return ‖b‖ of a whole network after all steps ÷ ‖b‖ after half of the steps."""
    experiment = begin(seed, KNOBS)
    sizes = []
    for step in (WHOLE_STEPS // 2, WHOLE_STEPS):
        experiment.advance(step)
        sizes.append(float(_joined(mlp(experiment, "ablated")).double().norm()))
    return sizes[1] / sizes[0]


def _joined(network: MLP) -> Tensor:
    return torch.cat([layer.bias for layer in network.layers if layer.bias is not None])


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"slower": lambda seed: {"whole-slower": _grown(seed)}},
    other_numbers={"half": STEPS // 2, "whole_half": WHOLE_STEPS // 2},
)
