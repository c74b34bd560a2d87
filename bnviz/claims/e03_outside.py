"""E3: normalizing outside of the gradient (Ioffe & Szegedy 2015, section 2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.alone import RATE, STEPS, UNITS, layer_alone
from bnviz.claims.runs import advance
from bnviz.claims.statement import Claim, Kind, Statement, Unit, about, at_most, in_lab
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.networks.loss import cross_entropy
from bnviz.norms.ablated import AblatedBatchNorm

WHOLE_STEPS, EXACT_STEPS = 1000, 100

SLOWER = "slower"

KNOBS: dict[str, Any] = {
    "depth": 3, "norms": ("ablated",), "ablation_statistics": "mean", "ablation_bias": True,
    "ablation_gradient": False, "learning_rate": RATE,
}  # fmt: skip
INSIDE_KNOBS = {**KNOBS, "ablation_gradient": True}

STATEMENTS = (
    Statement(key="frozen", expected=at_most(1e-10), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="linear", expected=about(2, 1e-6), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="inside", expected=at_most(1e-10), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(
        key="whole-moves",
        expected=at_most(1e-10),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=in_lab(KNOBS, ("biases",), EXACT_STEPS),
    ),
    Statement(
        key="whole-idle",
        expected=at_most(1e-10),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=in_lab(KNOBS, ("biases",), EXACT_STEPS),
    ),
    Statement(
        key="whole-inside",
        expected=at_most(1e-10),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=in_lab(INSIDE_KNOBS, ("biases",), EXACT_STEPS),
    ),
    Statement(
        key="whole-linear",
        expected=about(2, 0.05),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(KNOBS, ("biases",), WHOLE_STEPS),
    ),
    Statement(
        key="whole-slower",
        expected=at_most(1.9),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=SLOWER,
        instead_of="whole-linear",
        watch=in_lab(KNOBS, ("biases",), WHOLE_STEPS),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    losses, biases = alone(seed, differentiated=False)
    _, inside = alone(seed, differentiated=True)
    constant, whole_inside = (
        _exact(RunConfig(seed=seed, **knobs)) for knobs in (KNOBS, INSIDE_KNOBS)
    )
    return {
        "frozen": float(np.ptp(losses) / losses[0]),
        "linear": float(biases[-1].norm() / biases[STEPS // 2].norm()),
        "inside": float(inside[-1].norm() / biases[-1].norm()),
        "whole-moves": constant.unexplained / constant.size,
        "whole-idle": constant.loss_change,
        "whole-inside": whole_inside.size / constant.size,
        "whole-linear": _grown(seed),
    }


def measure_slower(seed: int) -> dict[str, float]:
    """The statement that was found."""
    return {"whole-slower": _grown(seed)}


def alone(seed: int, *, differentiated: bool) -> tuple[np.ndarray, list[Tensor]]:
    """Losses and b by step, of a layer of which only b learns, under a fixed readout."""
    inputs, readout, labels = map(torch.from_numpy, layer_alone(seed))
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
    """Of a whole network's hidden layers: ‖b‖; ‖b + ηΣγ∂loss/∂β‖; what b does to the loss."""

    size: float
    unexplained: float
    loss_change: float


def _exact(config: RunConfig) -> _Biases:
    experiment = Experiment(config, dtype=torch.float64)
    network = _network(experiment)
    views = network.views(experiment.learners["ablated"].stepper.gradient)
    expected = torch.zeros_like(_joined(network))
    for _ in range(EXACT_STEPS):
        gammas = [layer.norm.parameters["gamma"].clone() for layer in network.layers]
        experiment.step()
        pushes = [
            gamma * views[f"{layer.name}.beta"]
            for gamma, layer in zip(gammas, network.layers, strict=True)
        ]
        expected -= config.learning_rate * torch.cat(pushes)
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
    """By how much ‖b‖ of a whole network grows in the second half of the steps."""
    experiment = Experiment(RunConfig(seed=seed, **KNOBS))
    found = []
    for step in (WHOLE_STEPS // 2, WHOLE_STEPS):
        advance(experiment, step)
        found.append(float(_joined(_network(experiment)).double().norm()))
    return found[1] / found[0]


def _network(experiment: Experiment) -> Layered:
    network = experiment.networks["ablated"]
    assert isinstance(network, Layered)
    return network


def _joined(network: Layered) -> Tensor:
    """The biases of all hidden layers."""
    return torch.cat([layer.bias for layer in network.layers if layer.bias is not None])


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={SLOWER: measure_slower},
    numbers={
        "units": UNITS,
        "rate": RATE,
        "steps": STEPS,
        "half": STEPS // 2,
        "exact_steps": EXACT_STEPS,
        "whole_steps": WHOLE_STEPS,
        "whole_half": WHOLE_STEPS // 2,
    },
)
