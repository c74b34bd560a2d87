"""E3: normalizing outside of the gradient (Ioffe & Szegedy 2015, section 2)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import advance, normal, random_numbers
from bnviz.claims.statement import Claim, Statement, about, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.networks.loss import cross_entropy
from bnviz.norms.ablated import AblatedBatchNorm

EXAMPLES, UNITS, CLASSES = 60, 20, 10
STEPS, RATE = 500, 0.1
WHOLE_STEPS = 1000

ALONE = (
    f"one layer of {UNITS} units, fixed inputs u, x̂ = u + b − E[u + b]; only b learns, {STEPS} "
    f"steps at {RATE:g}, float64"
)
CONSTANT = f"{ALONE}; E is a constant to the gradient"
WHOLE = "tanh 3×100, mean taken out only, bias kept, rate 0.1"
PAPER = "Ioffe & Szegedy 2015"

STATEMENTS = (
    Statement(
        key="frozen",
        text="The loss stays frozen.",
        setting=CONSTANT,
        quantity="(highest − lowest loss) ÷ loss",
        expected=at_most(1e-10),
        source=PAPER,
    ),
    Statement(
        key="linear",
        text="Meanwhile b grows without bound, linearly.",
        setting=CONSTANT,
        quantity=f"‖b‖ at step {STEPS} ÷ ‖b‖ at step {STEPS // 2}",
        expected=about(2, 1e-6),
        source=PAPER,
    ),
    Statement(
        key="inside",
        text="Where E is differentiated too, b gets no gradient.",
        setting=f"{ALONE}; E is differentiated",
        quantity="‖b‖ ÷ the same where E is a constant",
        expected=at_most(1e-10),
        source=PAPER,
    ),
    Statement(
        key="whole-grows",
        text="In a whole network the biases grow as well.",
        setting=f"{WHOLE}, E a constant ÷ E differentiated, step {WHOLE_STEPS:,}",
        quantity="‖b‖ of all hidden layers ÷ ‖b‖",
        expected=at_least(100),
        source=PAPER,
    ),
    Statement(
        key="whole-linear",
        text="In a whole network too the biases grow linearly.",
        setting=f"{WHOLE}, E a constant",
        quantity=f"‖b‖ at step {WHOLE_STEPS:,} ÷ ‖b‖ at step {WHOLE_STEPS // 2}",
        expected=about(2, 0.05),
        source="calculation",
    ),
    Statement(
        key="whole-slower",
        text="Seen in its place: they grow more slowly than that where the weights learn too.",
        setting=f"{WHOLE}, E a constant",
        quantity=f"‖b‖ at step {WHOLE_STEPS:,} ÷ ‖b‖ at step {WHOLE_STEPS // 2}",
        expected=at_most(1.9),
        source="found here",
        instead_of="whole-linear",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    losses, biases = _alone(seed, differentiated=False)
    _, inside = _alone(seed, differentiated=True)
    constant = _whole(seed, differentiated=False)
    return {
        "frozen": float(np.ptp(losses) / losses[0]),
        "linear": float(biases[-1].norm() / biases[STEPS // 2].norm()),
        "inside": float(inside[-1].norm() / biases[-1].norm()),
        "whole-grows": constant[1] / _whole(seed, differentiated=True)[1],
        "whole-linear": constant[1] / constant[0],
        "whole-slower": constant[1] / constant[0],
    }


def _alone(seed: int, *, differentiated: bool) -> tuple[np.ndarray, list[Tensor]]:
    """Losses and b by step, of a layer of which only b learns, under a fixed readout."""
    generator = random_numbers(seed, 3)
    inputs, readout = normal(generator, EXAMPLES, UNITS), normal(generator, UNITS, CLASSES)
    labels = torch.from_numpy(generator.integers(CLASSES, size=EXAMPLES))
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


def _whole(seed: int, *, differentiated: bool) -> tuple[float, float]:
    """‖b‖ of a network's hidden layers after half of the steps, and after all."""
    config = RunConfig(
        depth=3, norms=("ablated",), ablation_statistics="mean", ablation_bias=True,
        ablation_gradient=differentiated, seed=seed,
    )  # fmt: skip
    experiment = Experiment(config)
    network = experiment.networks["ablated"]
    assert isinstance(network, Layered)
    found = []
    for step in (WHOLE_STEPS // 2, WHOLE_STEPS):
        advance(experiment, step)
        biases = [layer.bias for layer in network.layers if layer.bias is not None]
        found.append(float(torch.cat(biases).double().norm()))
    return found[0], found[1]


CLAIM = Claim(STATEMENTS, measure)
