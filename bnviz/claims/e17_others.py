"""E17: other normalizations, and recurrent batch normalization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bnviz.claims import e17_dimmed
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracy, normal, play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    about,
    at_least,
    at_most,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from bnviz.norms import NORMS
from bnviz.norms.base import Norm

WHITENING, RECURRENT = "whitening", "recurrent"
UNITS, SAMPLES = 16, 2000
MILD, STRONG = 0.3, 0.8  # correlations
STEPS, PAIRED_EXAMPLES = 300, 6_000

TINY_KNOBS: dict[str, Any] = {
    "depth": 3, "norms": ("batch", "renorm", "group"), "batch_size": 2,
}  # fmt: skip
THREE_KNOBS: dict[str, Any] = {"norms": ("layer", "rms", "group")}
CONV_KNOBS: dict[str, Any] = {"network": "conv", "norms": ("instance",)}
CONV_RELU_KNOBS: dict[str, Any] = {"network": "conv", "activation": "relu", "learning_rate": 1.0}
CONV_STEPS = 100

PIXELS, NOISE = 64, 0.1

VARIED_STEPS = 64
CLASSES = 10

RECURRENT_KNOBS: dict[str, Any] = {
    "network": "recurrent",
    "init": "orthogonal",
    "norms": ("batch",),
}
PIXEL_KNOBS: dict[str, Any] = {**RECURRENT_KNOBS, "sequence": "pixels", "noise": NOISE}
BLANK_KNOBS: dict[str, Any] = {**RECURRENT_KNOBS, "sequence": "pixels", "noise": 0.0}
ROW_KNOBS: dict[str, Any] = {**RECURRENT_KNOBS, "sequence": "rows", "noise": 0.0}


def _growth(knobs: Mapping[str, Any], gamma: float) -> Watch:
    return in_lab({**knobs, "recurrent_gamma": gamma}, ("growth",), 0)


STATEMENTS = (
    Statement(key="batch-marginal", expected=at_most(1e-10), kind=Kind.PAPER, part=WHITENING),
    Statement(
        key="batch-ellipse",
        expected=about(3, 0.1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=WHITENING,
    ),
    Statement(
        key="zca-ellipse",
        expected=about(1, 0.05),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=WHITENING,
    ),
    Statement(key="zca", expected=at_most(0.1), kind=Kind.PAPER, unit=Unit.TIMES, part=WHITENING),
    Statement(
        key="zca-mild",
        expected=at_most(0.1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=WHITENING,
        instead_of="zca",
    ),
    Statement(
        key="iternorm",
        expected=at_most(0.1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        part=WHITENING,
    ),
    Statement(
        key="iternorm-mild",
        expected=at_most(0.1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=WHITENING,
        instead_of="iternorm",
    ),
    Statement(key="renorm", expected=at_most(1e-10), kind=Kind.PAPER, part=WHITENING),
    Statement(
        key="renorm-small",
        expected=at_least(0),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="batch-small",
        watch=in_lab(TINY_KNOBS, step=PAIRED_EXAMPLES // 2),
    ),
    Statement(
        key="group-small",
        expected=at_least(0.1),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="batch-small",
        watch=in_lab(TINY_KNOBS, step=PAIRED_EXAMPLES // 2),
    ),
    Statement(
        key="train",
        expected=at_least(0.9),
        kind=Kind.PAPER,
        unit=Unit.PERCENT,
        watch=in_lab(THREE_KNOBS, step=STEPS),
    ),
    Statement(
        key="instance",
        expected=at_least(0.9),
        kind=Kind.PAPER,
        unit=Unit.PERCENT,
        watch=in_lab(CONV_KNOBS, step=STEPS),
    ),
    Statement(
        key="conv-ahead",
        expected=at_least(0.1),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part="conv",
        watch=in_lab(CONV_RELU_KNOBS, step=CONV_STEPS),
    ),
    Statement(
        key="conv-batch",
        expected=at_least(0.9),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="conv",
        watch=in_lab(CONV_RELU_KNOBS, step=CONV_STEPS),
    ),
    Statement(
        key="recurrent-large",
        expected=at_most(0.01),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        part=RECURRENT,
        watch=_growth(PIXEL_KNOBS, 1.0),
    ),
    Statement(
        key="recurrent-slope",
        expected=at_most(0.7),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-large",
        watch=in_lab({**PIXEL_KNOBS, "recurrent_gamma": 1.0}, ("saturation",), 0),
    ),
    Statement(
        key="recurrent-varied",
        expected=at_most(0.01),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-large",
    ),
    Statement(
        key="recurrent-factor",
        expected=about(0.82, 0.03),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES_A_STEP,
        part=RECURRENT,
    ),
    Statement(
        key="recurrent-order",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-large",
        watch=_growth(ROW_KNOBS, 1.0),
    ),
    Statement(
        key="recurrent-larger",
        expected=at_least(100),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-large",
        watch=_growth(PIXEL_KNOBS, 3.0),
    ),
    Statement(
        key="recurrent-small",
        expected=at_least(0.01),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        part=RECURRENT,
        watch=_growth(PIXEL_KNOBS, 0.1),
    ),
    Statement(
        key="recurrent-rows",
        expected=at_least(0.01),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-small",
        watch=_growth(ROW_KNOBS, 0.1),
    ),
    Statement(
        key="recurrent-varied-small",
        expected=at_most(0.1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        instead_of="recurrent-small",
    ),
    Statement(
        key="recurrent-blank",
        expected=at_least(100),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=RECURRENT,
        watch=_growth(BLANK_KNOBS, 1.0),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement of networks that are trained."""
    tiny = _end(seed, TINY_KNOBS, PAIRED_EXAMPLES // 2)
    return {
        "renorm-small": tiny["renorm"] - tiny["batch"],
        "group-small": tiny["group"] - tiny["batch"],
        "batch-small": tiny["batch"],
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
    """A recurrent network's gradient at the first time step ÷ the last; the mean slope of tanh."""

    survives: float
    slope: float


def _recurrent(seed: int, gamma: float, knobs: Mapping[str, Any]) -> _Recurrent:
    config = RunConfig(**knobs, recurrent_gamma=gamma, seed=seed)
    experiment, size = Experiment(config, dtype=torch.float64), config.batch_size
    inputs = torch.from_numpy(experiment.data.train_inputs[:size]).double()
    labels = torch.from_numpy(experiment.data.train_labels[:size])
    return _backwards(experiment.networks["batch"], inputs, labels)


def _varied(seed: int, gamma: float) -> float:
    """What is left of the gradient where each time step's input is new to the network."""
    config = RunConfig(**RECURRENT_KNOBS, recurrent_gamma=gamma, seed=seed)
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


CLAIM = Claim(
    (*STATEMENTS, *e17_dimmed.STATEMENTS),
    measure,
    parts={
        WHITENING: measure_whitening,
        "conv": measure_conv,
        RECURRENT: measure_recurrent,
        e17_dimmed.PART: e17_dimmed.measure,
    },
    numbers={
        **e17_dimmed.NUMBERS,
        "units": UNITS,
        "samples": SAMPLES,
        "mild": MILD,
        "strong": STRONG,
        "steps": STEPS,
        "paired_examples": PAIRED_EXAMPLES,
        "conv_steps": CONV_STEPS,
        "pixels": PIXELS,
        "noise": NOISE,
        "varied_steps": VARIED_STEPS,
    },
)
