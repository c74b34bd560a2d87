"""E17: other normalizations, and recurrent batch normalization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.e17_recurrent import PART as RECURRENT_PART
from bnviz.claims.e17_recurrent import RECURRENT, measure_recurrent
from bnviz.claims.runs import accuracy, normal, play, random_numbers
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, about, at_least, at_most
from bnviz.config import RunConfig
from bnviz.norms import NORMS
from bnviz.norms.base import Norm

UNITS, SAMPLES = 16, 2000
MILD = 0.3
STEPS, PAIRED_EXAMPLES = 300, 6_000

CORRELATED = f"{UNITS} units, {SAMPLES:,} Gaussian examples mixed by a random matrix, float64"
MILDLY = f"{UNITS} units, {SAMPLES:,} Gaussian examples, each two units correlated by {MILD:g}"
FROM_ONE = "‖covariance − 1‖ ÷ √units"
STRONG = 0.8
PAIR = f"2 units, {SAMPLES:,} Gaussian examples, correlated by {STRONG:g}"
AXES = "longer ÷ shorter axis of the covariance’s ellipse"
NUMBERS = "Gaussian numbers, without a network."
TRAINS = f"rate 0.1, step {STEPS}"
SMALL = f"tanh 3×100, rate 0.1, batch 2, after {PAIRED_EXAMPLES:,} examples"

TINY_KNOBS: dict[str, Any] = {
    "depth": 3, "norms": ("batch", "renorm", "group"), "batch_size": 2,
}  # fmt: skip
THREE_KNOBS: dict[str, Any] = {"norms": ("layer", "rms", "group")}
CONV_KNOBS: dict[str, Any] = {"network": "conv", "norms": ("instance",)}
CONV_RELU_KNOBS: dict[str, Any] = {"network": "conv", "activation": "relu", "learning_rate": 1.0}
CONV_STEPS = 100
CONV = f"ReLU, 4 layers of 16 feature maps, rate 1, step {CONV_STEPS}"
TINY_BATCH = Comparator("batch-small", "the network with BN")
WHITENING = "whitening"
FOUND = "found here"

STATEMENTS = (
    Statement(
        key="batch-marginal",
        text="BN leaves the correlations between units as they are.",
        lead="BN does not whiten: it leaves the correlations between units as they are.",
        setting=CORRELATED,
        quantity="largest |change of a correlation|",
        expected=at_most(1e-10),
        source="Huang et al. 2018",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="batch-ellipse",
        text="Of a cloud of two correlated units BN leaves an ellipse.",
        setting=PAIR,
        quantity=AXES,
        expected=about(3, 0.1),
        source="calculation",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="zca-ellipse",
        text="Of a cloud of two correlated units ZCA whitening makes a circle.",
        setting=PAIR,
        quantity=AXES,
        expected=about(1, 0.05),
        source="calculation",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="zca",
        text="ZCA whitening, as it is built here, makes the covariance 1.",
        setting=CORRELATED,
        quantity=FROM_ONE,
        expected=at_most(0.1),
        source="Huang et al. 2018",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="zca-mild",
        text="ZCA whitening makes the covariance 1 where correlations are mild.",
        setting=MILDLY,
        quantity=FROM_ONE,
        expected=at_most(0.1),
        source=FOUND,
        instead_of="zca",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="iternorm",
        text="Five steps of IterNorm make the covariance 1.",
        setting=CORRELATED,
        quantity=FROM_ONE,
        expected=at_most(0.1),
        source="calculation",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="iternorm-mild",
        text="Five steps of IterNorm make the covariance 1 where correlations are mild.",
        setting=MILDLY,
        quantity=FROM_ONE,
        expected=at_most(0.1),
        source=FOUND,
        instead_of="iternorm",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="renorm",
        text="Within its limits batch renormalization computes in training mode what it will "
        "compute in inference mode.",
        setting=f"{UNITS} units, 60 Gaussian examples, running mean 0.5, deviation 2, float64",
        quantity="largest |difference|",
        expected=at_most(1e-10),
        source="Ioffe 2017",
        part=WHITENING,
        watch=NUMBERS,
    ),
    Statement(
        key="renorm-small",
        text="With tiny batches batch renormalization is ahead of BN.",
        setting=SMALL,
        quantity="accuracy, less that of BN",
        expected=at_least(0),
        source="Ioffe 2017",
        difference=True,
        comparator=TINY_BATCH,
        watch=Watch(TINY_KNOBS, step=PAIRED_EXAMPLES // 2),
    ),
    Statement(
        key="group-small",
        text="With tiny batches group normalization is far ahead of BN.",
        setting=SMALL,
        quantity="accuracy, less that of BN",
        expected=at_least(0.1),
        source="Wu & He 2018, by example",
        difference=True,
        comparator=TINY_BATCH,
        watch=Watch(TINY_KNOBS, step=PAIRED_EXAMPLES // 2),
    ),
    Statement(
        key="train",
        text="With layer, RMS and group normalization a network learns.",
        setting=f"tanh 6×100, {TRAINS}",
        quantity="lowest accuracy of the three",
        expected=at_least(0.9),
        source="their papers, by example",
        watch=Watch(THREE_KNOBS, step=STEPS),
    ),
    Statement(
        key="instance",
        text="With instance normalization a convolutional network learns.",
        setting=f"tanh, 4 layers of 16 feature maps, {TRAINS}",
        quantity="accuracy",
        expected=at_least(0.9),
        source="its paper, by example",
        watch=Watch(CONV_KNOBS, step=STEPS),
    ),
    Statement(
        key="conv-ahead",
        text="A plain convolutional ReLU network stays behind one with BN at rate 1.",
        setting=CONV,
        quantity="accuracy with BN − without",
        expected=at_least(0.1),
        source=FOUND,
        part="conv",
        watch=Watch(CONV_RELU_KNOBS, step=CONV_STEPS),
    ),
    Statement(
        key="conv-batch",
        text="A convolutional ReLU network with BN learns at rate 1.",
        setting=CONV,
        quantity="accuracy",
        expected=at_least(0.9),
        source=FOUND,
        part="conv",
        watch=Watch(CONV_RELU_KNOBS, step=CONV_STEPS),
    ),
    *RECURRENT,
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement of networks that are trained."""
    tiny = _end(seed, TINY_KNOBS, PAIRED_EXAMPLES // 2)
    return {
        "renorm-small": tiny["renorm"] - tiny["batch"],
        "group-small": tiny["group"] - tiny["batch"],
        TINY_BATCH.key: tiny["batch"],
        "train": min(_end(seed, THREE_KNOBS, STEPS).values()),
        "instance": _end(seed, CONV_KNOBS, STEPS)["instance"],
    }


def measure_conv(seed: int) -> dict[str, float]:
    """What is stated of convolutional ReLU networks."""
    reached = _end(seed, CONV_RELU_KNOBS, CONV_STEPS)
    return {"conv-ahead": reached["batch"] - reached["none"], "conv-batch": reached["batch"]}


def measure_whitening(seed: int) -> dict[str, float]:
    """What the norms make of Gaussian numbers."""
    return {**_whitened(seed), "renorm": _renorm_difference(seed)}


def _norm(name: str, units: int = UNITS) -> Norm:
    norm: Norm = NORMS[name].resolve()(units, dtype=torch.float64)
    return norm


def _axes(name: str, values: Tensor) -> float:
    after, _ = _norm(name, 2).forward(values, training=True)
    short, long = torch.linalg.eigvalsh(after.T.cov()).sqrt()
    return float(long / short)


def _whitened(seed: int) -> dict[str, float]:
    generator = random_numbers(seed, 17)
    values = normal(generator, SAMPLES, UNITS)
    mixed = values @ normal(generator, UNITS, UNITS)
    common = normal(generator, SAMPLES, 1)
    mild = math.sqrt(1 - MILD) * values + math.sqrt(MILD) * common
    after, _ = _norm("batch").forward(mixed, training=True)
    pair = values[:, :2] @ torch.tensor([[1.0, STRONG], [0.0, math.sqrt(1 - STRONG**2)]]).double()
    return {
        "batch-marginal": float((after.T.corrcoef() - mixed.T.corrcoef()).abs().max()),
        "batch-ellipse": _axes("batch", pair),
        "zca-ellipse": _axes("zca", pair),
        "zca": _from_one(_norm("zca"), mixed),
        "zca-mild": _from_one(_norm("zca"), mild),
        "iternorm": _from_one(_norm("iternorm"), mixed),
        "iternorm-mild": _from_one(_norm("iternorm"), mild),
    }


def _from_one(norm: Norm, values: Tensor) -> float:
    after, _ = norm.forward(values, training=True)
    difference = after.T.cov(correction=0) - torch.eye(UNITS, dtype=torch.float64)
    return float(difference.norm() / math.sqrt(UNITS))


def _renorm_difference(seed: int) -> float:
    norm = _norm("renorm")
    norm.step = 10_000  # the limits have reached r ≤ 3 and d ≤ 5
    norm.buffers["running_mean"].fill_(0.5)
    norm.buffers["running_std"].fill_(2.0)
    values = normal(random_numbers(seed, 17), 60, UNITS)
    trained, _ = norm.forward(values, training=True)
    inferred, _ = norm.forward(values, training=False)
    return float((trained - inferred).abs().max())


def _end(seed: int, knobs: Mapping[str, Any], steps: int) -> dict[str, float]:
    (shot,) = play(RunConfig(**knobs, seed=seed), (steps,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="IterNorm and ZCA whiten groups of at most 16 units. "
    "In no setting here does the gradient of a recurrent network vanish with "
    "γ₀ = 1 and survive with γ₀ = 0.1. A time step multiplies it by γ/σ besides the slope of tanh; "
    "while all pixels so far were blank, the state is the same for all examples and its σ is 0. "
    "For stability ZCA adds a share of the mean variance, which shows where correlations are "
    "strong. That a network learns with a norm does not say that it needs one: so does a plain "
    "tanh network (E12).",
    parts={
        WHITENING: measure_whitening, "conv": measure_conv, RECURRENT_PART: measure_recurrent,
    },
)  # fmt: skip
