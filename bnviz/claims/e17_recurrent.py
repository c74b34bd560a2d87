"""E17, recurrent batch normalization: γ at step 0 and the gradient over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bnviz.claims.runs import normal, random_numbers
from bnviz.claims.statement import Statement, Watch, about, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.base import Network
from bnviz.networks.build import build_network

PIXELS, NOISE = 64, 0.1

PIXELWISE = (
    f"tanh, 64 units, orthogonal W, digits pixel by pixel ({PIXELS} steps) with noise of {NOISE:g} "
    "so that every pixel varies, step 0"
)
ROWWISE = "tanh, 64 units, orthogonal W, digits row by row (8 steps), step 0"
VARIED_STEPS = 64
VARIED = (
    f"tanh, 64 units, orthogonal W, {VARIED_STEPS} steps of {VARIED_STEPS} Gaussian numbers, 60 "
    "examples, step 0"
)
CLASSES = 10

KNOBS: dict[str, Any] = {"network": "recurrent", "init": "orthogonal", "norms": ("batch",)}
PIXEL_KNOBS: dict[str, Any] = {**KNOBS, "sequence": "pixels", "noise": NOISE}
BLANK_KNOBS: dict[str, Any] = {**KNOBS, "sequence": "pixels", "noise": 0.0}
ROW_KNOBS: dict[str, Any] = {**KNOBS, "sequence": "rows", "noise": 0.0}
RANDOM_INPUTS = "Inputs of random numbers, which the lab does not have."
PART = "recurrent"


def _growth(knobs: Mapping[str, Any], gamma: float) -> Watch:
    return Watch({**knobs, "recurrent_gamma": gamma}, ("growth",), 0)


SURVIVES = "‖∂loss/∂h‖ of the first time step ÷ that of the last"
PAPER, FOUND = "Cooijmans et al. 2016", "found here"

RECURRENT = (
    Statement(
        key="recurrent-large",
        text="In a recurrent network BN with γ₀ = 1 makes the gradient vanish over time.",
        lead="Reading digits pixel by pixel, a recurrent network with BN and γ = 1 has a gradient "
        "that vanishes.",
        setting=f"{PIXELWISE}, γ₀ = 1",
        quantity=SURVIVES,
        expected=at_most(0.01),
        source=PAPER,
        part=PART,
        watch=_growth(PIXEL_KNOBS, 1.0),
    ),
    Statement(
        key="recurrent-slope",
        text="In a recurrent network with BN the mean slope of tanh is smaller with γ₀ = 1 than "
        "with γ₀ = 0.1: the premise of a gradient that vanishes.",
        setting=PIXELWISE,
        quantity="mean φ′ over all steps, γ₀ = 1 ÷ γ₀ = 0.1",
        expected=at_most(0.7),
        source=FOUND,
        instead_of="recurrent-large",
        part=PART,
        watch=Watch({**PIXEL_KNOBS, "recurrent_gamma": 1.0}, ("saturation",), 0),
    ),
    Statement(
        key="recurrent-varied",
        text="With γ₀ = 1 the gradient vanishes over time where the inputs are as varied as the "
        "state.",
        setting=f"{VARIED}, γ₀ = 1",
        quantity=SURVIVES,
        expected=at_most(0.01),
        source=FOUND,
        instead_of="recurrent-large",
        part=PART,
        watch=RANDOM_INPUTS,
    ),
    Statement(
        key="recurrent-factor",
        text="Where the inputs are as varied as the state the gradient is multiplied by "
        "√(γ²E[φ′(z)²]/Var φ(z)) = 0.82 a step, z ~ N(0, 2γ²).",
        setting=f"{VARIED}, γ₀ = 1",
        quantity=f"({SURVIVES}), a step",
        expected=about(0.82, 0.03),
        source="calculation",
        part=PART,
        changed="Declared after 7e-6 (6e-6 to 8e-6) over 63 steps, 0.828 a step, had been seen.",
        watch=RANDOM_INPUTS,
    ),
    Statement(
        key="recurrent-order",
        text="Over the rows of the digits more of the gradient is left with γ₀ = 1 than with "
        "γ₀ = 0.1.",
        setting=ROWWISE,
        quantity=f"{SURVIVES}, γ₀ = 1 ÷ γ₀ = 0.1",
        expected=at_least(1),
        source=FOUND,
        instead_of="recurrent-large",
        part=PART,
        watch=_growth(ROW_KNOBS, 1.0),
    ),
    Statement(
        key="recurrent-larger",
        text="In a recurrent network with BN and γ₀ = 3 the gradient explodes over time.",
        setting=f"{PIXELWISE}, γ₀ = 3",
        quantity=SURVIVES,
        expected=at_least(100),
        source=FOUND,
        instead_of="recurrent-large",
        part=PART,
        watch=_growth(PIXEL_KNOBS, 3.0),
    ),
    Statement(
        key="recurrent-small",
        text="In a recurrent network BN with γ₀ = 0.1 lets the gradient survive.",
        setting=f"{PIXELWISE}, γ₀ = 0.1",
        quantity=SURVIVES,
        expected=at_least(0.01),
        source=PAPER,
        part=PART,
        watch=_growth(PIXEL_KNOBS, 0.1),
    ),
    Statement(
        key="recurrent-rows",
        text="With γ₀ = 0.1 the gradient survives over 8 time steps.",
        setting=f"{ROWWISE}, γ₀ = 0.1",
        quantity=SURVIVES,
        expected=at_least(0.01),
        source=FOUND,
        instead_of="recurrent-small",
        part=PART,
        watch=_growth(ROW_KNOBS, 0.1),
    ),
    Statement(
        key="recurrent-varied-small",
        text="Where the inputs are as varied as the state the gradient vanishes with γ₀ = 0.1 as "
        "well, and further than with γ₀ = 1.",
        setting=VARIED,
        quantity=f"{SURVIVES}, γ₀ = 0.1 ÷ γ₀ = 1",
        expected=at_most(0.1),
        source=FOUND,
        instead_of="recurrent-small",
        part=PART,
        watch=RANDOM_INPUTS,
    ),
    Statement(
        key="recurrent-blank",
        text="In a recurrent network with BN the gradient explodes over time where a sequence "
        "begins with pixels that are blank in every image.",
        setting=f"{PIXELWISE}, γ₀ = 1, but without the noise",
        quantity=SURVIVES,
        expected=at_least(100),
        source=FOUND,
        part=PART,
        watch=_growth(BLANK_KNOBS, 1.0),
    ),
)


def measure_recurrent(seed: int) -> dict[str, float]:
    """One value a statement."""
    large, small = (_recurrent(seed, gamma, PIXEL_KNOBS) for gamma in (1.0, 0.1))
    large_rows, rows = (_recurrent(seed, gamma, ROW_KNOBS) for gamma in (1.0, 0.1))
    blank = _recurrent(seed, 1.0, BLANK_KNOBS)
    large_varied, small_varied = (_varied(seed, gamma) for gamma in (1.0, 0.1))
    return {
        "recurrent-large": large.survives,
        "recurrent-slope": large.slope / small.slope,
        "recurrent-larger": _recurrent(seed, 3.0, PIXEL_KNOBS).survives,
        "recurrent-varied": large_varied,
        "recurrent-factor": large_varied ** (1 / (VARIED_STEPS - 1)),
        "recurrent-varied-small": small_varied / large_varied,
        "recurrent-order": large_rows.survives / rows.survives,
        "recurrent-small": small.survives,
        "recurrent-rows": rows.survives,
        "recurrent-blank": blank.survives,
    }


class _Recurrent(NamedTuple):
    """How much of the gradient is left at the first time step, and the mean slope of tanh."""

    survives: float
    slope: float


def _recurrent(seed: int, gamma: float, knobs: Mapping[str, Any]) -> _Recurrent:
    config = RunConfig(**knobs, recurrent_gamma=gamma, seed=seed)
    experiment, size = Experiment(config, dtype=torch.float64), config.batch_size
    inputs = torch.from_numpy(experiment.data.train_inputs[:size]).double()
    labels = torch.from_numpy(experiment.data.train_labels[:size])
    return _backwards(experiment.networks["batch"], inputs, labels)


def _varied(seed: int, gamma: float) -> float:
    """`SURVIVES` where each time step's input is new to the network, in as many directions."""
    config = RunConfig(**KNOBS, recurrent_gamma=gamma, seed=seed)
    generator = random_numbers(seed, 17)
    network = build_network(config, "batch", VARIED_STEPS**2, CLASSES, dtype=torch.float64)
    inputs = normal(generator, config.batch_size, VARIED_STEPS**2)
    labels = torch.from_numpy(generator.integers(0, CLASSES, config.batch_size))
    return _backwards(network, inputs, labels).survives


def _backwards(network: Network, inputs: Tensor, labels: Tensor) -> _Recurrent:
    trace = network.forward(inputs, training=True)
    _, gradients = network.backward(trace, labels)
    first, last = (gradients.layers[index].activation.norm() for index in (0, -1))
    slopes = [1 - layer.activation**2 for layer in trace.layers]
    return _Recurrent(float(first / last), float(torch.stack(slopes).mean()))
