"""E17, recurrent batch normalization: γ at step 0 and the gradient over time."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from bnviz.claims.statement import Statement, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment

PIXELS, NOISE = 64, 0.1

PIXELWISE = (
    f"tanh, 64 units, orthogonal W, digits pixel by pixel ({PIXELS} steps) with noise of {NOISE:g} "
    "so that every pixel varies, step 0"
)
ROWWISE = "tanh, 64 units, orthogonal W, digits row by row (8 steps), step 0"
SURVIVES = "‖∂loss/∂h‖ of the first time step ÷ that of the last"
PAPER = "Cooijmans et al. 2016"

RECURRENT = (
    Statement(
        key="recurrent-large",
        text="In a recurrent network BN with γ₀ = 1 makes the gradient vanish over time.",
        setting=f"{PIXELWISE}, γ₀ = 1",
        quantity=SURVIVES,
        expected=at_most(0.01),
        source=PAPER,
    ),
    Statement(
        key="recurrent-slope",
        text="Seen in its place: the premise, a mean slope of tanh smaller than with γ₀ = 0.1.",
        setting=PIXELWISE,
        quantity="mean φ′ over all steps, γ₀ = 1 ÷ γ₀ = 0.1",
        expected=at_most(0.7),
        source="found here",
        instead_of="recurrent-large",
    ),
    Statement(
        key="recurrent-order",
        text="But more of the gradient is left than with γ₀ = 0.1: it is also multiplied by γ/σ.",
        setting=ROWWISE,
        quantity=f"{SURVIVES}, γ₀ = 1 ÷ γ₀ = 0.1",
        expected=at_least(1),
        source="found here",
        instead_of="recurrent-large",
    ),
    Statement(
        key="recurrent-larger",
        text="And with γ₀ = 3 it explodes.",
        setting=f"{PIXELWISE}, γ₀ = 3",
        quantity=SURVIVES,
        expected=at_least(100),
        source="found here",
        instead_of="recurrent-large",
    ),
    Statement(
        key="recurrent-small",
        text="In a recurrent network BN with γ₀ = 0.1 lets the gradient survive.",
        setting=f"{PIXELWISE}, γ₀ = 0.1",
        quantity=SURVIVES,
        expected=at_least(0.01),
        source=PAPER,
    ),
    Statement(
        key="recurrent-rows",
        text="It does over 8 steps.",
        setting=f"{ROWWISE}, γ₀ = 0.1",
        quantity=SURVIVES,
        expected=at_least(0.01),
        source="found here",
        instead_of="recurrent-small",
    ),
    Statement(
        key="recurrent-blank",
        text="Where some pixels are blank in every image, σ is 0 there and the gradient explodes.",
        setting=f"{PIXELWISE}, γ₀ = 1, but without the noise",
        quantity=SURVIVES,
        expected=at_least(100),
        source="found here",
    ),
)


def measure_recurrent(seed: int) -> dict[str, float]:
    """One value a statement."""
    large, small = (_recurrent(seed, gamma) for gamma in (1.0, 0.1))
    large_rows, rows = (_recurrent(seed, gamma, sequence="rows", noise=0.0) for gamma in (1.0, 0.1))
    blank = _recurrent(seed, 1.0, noise=0.0)
    return {
        "recurrent-large": large.survives,
        "recurrent-slope": large.slope / small.slope,
        "recurrent-larger": _recurrent(seed, 3.0).survives,
        "recurrent-order": large_rows.survives / rows.survives,
        "recurrent-small": small.survives,
        "recurrent-rows": rows.survives,
        "recurrent-blank": blank.survives,
    }


class _Recurrent(NamedTuple):
    """How much of the gradient is left at the first time step, and the mean slope of tanh."""

    survives: float
    slope: float


def _recurrent(seed: int, gamma: float, **knobs: Any) -> _Recurrent:
    base = {"network": "recurrent", "sequence": "pixels", "noise": NOISE, "init": "orthogonal"}
    config = RunConfig(
        **{**base, "norms": ("batch",), "recurrent_gamma": gamma, "seed": seed, **knobs}
    )
    experiment = Experiment(config, dtype=torch.float64)
    network, size = experiment.networks["batch"], config.batch_size
    inputs = torch.from_numpy(experiment.data.train_inputs[:size]).double()
    trace = network.forward(inputs, training=True)
    _, gradients = network.backward(trace, torch.from_numpy(experiment.data.train_labels[:size]))
    first, last = (gradients.layers[index].activation.norm() for index in (0, -1))
    slopes = [1 - layer.activation**2 for layer in trace.layers]
    return _Recurrent(float(first / last), float(torch.stack(slopes).mean()))
