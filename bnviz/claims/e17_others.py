"""E17: other normalizations, and recurrent batch normalization."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from bnviz.claims import e17_best_rates, e17_dimmed
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest, off_in_norm
from bnviz.claims.runs import accuracies_after, begin_exact, first_images, normal
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
    Unit,
    about,
    at_least,
    at_most,
    calculated,
    found_here,
    in_lab,
    quoted,
)
from bnviz.config import RunConfig
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from bnviz.norms import NORMS
from bnviz.norms.base import Norm

UNITS, SAMPLES = 16, 2000
MILD, STRONG = 0.3, 0.8  # correlations
STEPS, CONV_STEPS, PAIRED_EXAMPLES = 300, 100, 6_000
PIXELS, NOISE = 64, 0.1
VARIED_STEPS, CLASSES = 64, 10

TINY: KnobValues = {"depth": 3, "norms": ("batch", "renorm", "group"), "batch_size": 2}
THREE: KnobValues = {"norms": ("layer", "rms", "group")}
CONV: KnobValues = {"network": "conv", "norms": ("instance",)}
CONV_RELU: KnobValues = {"network": "conv", "activation": "relu", "learning_rate": 1.0}
RECURRENT: KnobValues = {"network": "recurrent", "init": "orthogonal", "norms": ("batch",)}
NOISY: KnobValues = {**RECURRENT, "sequence": "pixels", "noise": NOISE}
BLANK: KnobValues = {**RECURRENT, "sequence": "pixels", "noise": 0.0}
ROWS: KnobValues = {**RECURRENT, "sequence": "rows", "noise": 0.0}

AFTER_PAIRS = in_lab(TINY, step=PAIRED_EXAMPLES // 2)
CONV_AFTER = in_lab(CONV_RELU, step=CONV_STEPS)


def _at_gamma(knobs: KnobValues, gamma: float, chart: str = "growth") -> LabLink:
    return in_lab({**knobs, "recurrent_gamma": gamma}, chart, 0)


WHITENING_STATEMENTS = (
    quoted("batch-marginal", at_most(1e-10), part="whitening"),
    calculated("batch-ellipse", about(3, 0.1), TIMES, part="whitening"),
    calculated("zca-ellipse", about(1, 0.05), TIMES, part="whitening"),
    quoted("zca", at_most(0.1), TIMES, part="whitening"),
    found_here("zca-mild", at_most(0.1), TIMES, part="whitening", instead_of="zca"),
    calculated("iternorm", at_most(0.1), TIMES, part="whitening"),
    found_here("iternorm-mild", at_most(0.1), TIMES, part="whitening", instead_of="iternorm"),
    quoted("renorm", at_most(1e-10), part="whitening"),
)
TRAINED_STATEMENTS = (
    quoted("renorm-small", at_least(0), POINTS, AFTER_PAIRS,
           difference=True, comparator="batch-small"),
    quoted("group-small", at_least(0.1), POINTS, AFTER_PAIRS,
           difference=True, comparator="batch-small"),
    quoted("train", at_least(0.9), PERCENT, in_lab(THREE, step=STEPS)),
    quoted("instance", at_least(0.9), PERCENT, in_lab(CONV, step=STEPS)),
    found_here("conv-ahead", at_least(0.1), POINTS, CONV_AFTER, part="conv"),
    found_here("conv-batch", at_least(0.9), PERCENT, CONV_AFTER, part="conv"),
)  # fmt: skip
RECURRENT_STATEMENTS = (
    quoted("recurrent-large", at_most(0.01), TIMES, _at_gamma(NOISY, 1.0), part="recurrent"),
    found_here("recurrent-slope", at_most(0.7), TIMES, _at_gamma(NOISY, 1.0, "saturation"),
               part="recurrent", instead_of="recurrent-large"),
    found_here("recurrent-varied", at_most(0.01), TIMES,
               part="recurrent", instead_of="recurrent-large"),
    calculated("recurrent-factor", about(0.82, 0.03), Unit.TIMES_A_STEP, part="recurrent"),
    found_here("recurrent-order", at_least(1), TIMES, _at_gamma(ROWS, 1.0),
               part="recurrent", instead_of="recurrent-large"),
    found_here("recurrent-larger", at_least(100), TIMES, _at_gamma(NOISY, 3.0),
               part="recurrent", instead_of="recurrent-large"),
    quoted("recurrent-small", at_least(0.01), TIMES, _at_gamma(NOISY, 0.1), part="recurrent"),
    found_here("recurrent-rows", at_least(0.01), TIMES, _at_gamma(ROWS, 0.1),
               part="recurrent", instead_of="recurrent-small"),
    found_here("recurrent-varied-small", at_most(0.1), TIMES,
               part="recurrent", instead_of="recurrent-small"),
    found_here("recurrent-blank", at_least(100), TIMES, _at_gamma(BLANK, 1.0), part="recurrent"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    tiny = accuracies_after(seed, TINY, PAIRED_EXAMPLES // 2)
    return {
        "renorm-small": tiny["renorm"] - tiny["batch"],
        "group-small": tiny["group"] - tiny["batch"],
        "batch-small": tiny["batch"],
        "train": min(accuracies_after(seed, THREE, STEPS).values()),
        "instance": accuracies_after(seed, CONV, STEPS)["instance"],
    }


def measure_conv(seed: int) -> ClaimValues:
    end = accuracies_after(seed, CONV_RELU, CONV_STEPS)
    return {"conv-ahead": end["batch"] - end["none"], "conv-batch": end["batch"]}


def measure_whitening(seed: int) -> ClaimValues:
    generator = random_numbers(seed, 17)
    values = normal(generator, SAMPLES, UNITS)
    mixed = values @ normal(generator, UNITS, UNITS)
    common = normal(generator, SAMPLES, 1)
    mild = math.sqrt(1 - MILD) * values + math.sqrt(MILD) * common
    pair = values[:, :2] @ torch.tensor([[1.0, STRONG], [0.0, math.sqrt(1 - STRONG**2)]]).double()
    return {
        "batch-marginal": largest(_after("batch", mixed).T.corrcoef() - mixed.T.corrcoef()),
        "batch-ellipse": _elongation(_after("batch", pair)),
        "zca-ellipse": _elongation(_after("zca", pair)),
        "zca": _from_one(_after("zca", mixed)),
        "zca-mild": _from_one(_after("zca", mild)),
        "iternorm": _from_one(_after("iternorm", mixed)),
        "iternorm-mild": _from_one(_after("iternorm", mild)),
        "renorm": _renorm_difference(seed),
    }


def _norm(name: str, units: int) -> Norm:
    norm: Norm = NORMS[name].resolve()(units, dtype=torch.float64)
    return norm


def _after(name: str, values: Tensor) -> Tensor:
    after, _ = _norm(name, values.shape[1]).forward(values, training=True)
    return after


def _elongation(values: Tensor) -> float:
    """Longer ÷ shorter axis of the ellipse of values [N, 2]."""
    short, long = torch.linalg.eigvalsh(values.T.cov()).sqrt()
    return float(long / short)


def _from_one(values: Tensor) -> float:
    """Norm of (covariance − identity) ÷ norm of the identity."""
    return off_in_norm(values.T.cov(correction=0), torch.eye(UNITS, dtype=torch.float64))


def _renorm_difference(seed: int) -> float:
    norm = _norm("renorm", UNITS)
    norm.step = 10_000  # so that r and d have their widest limits, r ≤ 3 and |d| ≤ 5
    norm.buffers["running_mean"].fill_(0.5)
    norm.buffers["running_std"].fill_(2.0)
    values = normal(random_numbers(seed, 17), 60, UNITS)
    trained, inferred = (norm.forward(values, training=mode)[0] for mode in (True, False))
    return largest(trained - inferred)


def measure_recurrent(seed: int) -> ClaimValues:
    large, small = (_recurrent(seed, gamma, NOISY) for gamma in (1.0, 0.1))
    large_rows, rows = (_recurrent(seed, gamma, ROWS) for gamma in (1.0, 0.1))
    large_varied, small_varied = (_varied(seed, gamma) for gamma in (1.0, 0.1))
    return {
        "recurrent-large": large.survives,
        "recurrent-slope": large.slope / small.slope,
        "recurrent-larger": _recurrent(seed, 3.0, NOISY).survives,
        "recurrent-varied": large_varied,
        "recurrent-factor": large_varied ** (1 / (VARIED_STEPS - 1)),
        "recurrent-varied-small": small_varied / large_varied,
        "recurrent-order": large_rows.survives / rows.survives,
        "recurrent-small": small.survives,
        "recurrent-rows": rows.survives,
        "recurrent-blank": _recurrent(seed, 1.0, BLANK).survives,
    }


class _Recurrent(NamedTuple):
    """Ratio of the gradients at the first and last time step, and the mean slope of tanh."""

    survives: float
    slope: float


def _recurrent(seed: int, gamma: float, knobs: KnobValues) -> _Recurrent:
    experiment = begin_exact(seed, {**knobs, "recurrent_gamma": gamma})
    return _backwards(experiment.networks["batch"], *first_images(experiment))


def _varied(seed: int, gamma: float) -> float:
    """Return the share of the gradient that survives if the inputs of all time steps differ."""
    config = RunConfig(**RECURRENT, recurrent_gamma=gamma, seed=seed)
    generator, count = random_numbers(seed, 17), config.batch_size
    network = build_network(config, "batch", VARIED_STEPS**2, CLASSES, dtype=torch.float64)
    inputs = normal(generator, count, VARIED_STEPS**2)
    labels = torch.from_numpy(generator.integers(0, CLASSES, count))
    return _backwards(network, inputs, labels).survives


def _backwards(network: Network, inputs: Tensor, labels: Tensor) -> _Recurrent:
    trace = network.forward(inputs, training=True)
    _, gradients = network.backward(trace, labels)
    first, last = (gradients.layers[index].activation.norm() for index in (0, -1))
    slopes = [1 - layer.activation**2 for layer in trace.layers]
    return _Recurrent(float(first / last), float(torch.stack(slopes).mean()))


CLAIM = Claim(
    (
        *WHITENING_STATEMENTS, *TRAINED_STATEMENTS, *RECURRENT_STATEMENTS, *e17_dimmed.STATEMENTS,
        *e17_best_rates.STATEMENTS,
    ),
    measure,
    parts={
        "whitening": measure_whitening,
        "conv": measure_conv,
        "recurrent": measure_recurrent,
        e17_dimmed.PART: e17_dimmed.measure,
        e17_best_rates.PART: e17_best_rates.measure,
    },
    other_numbers={
        "dim_steps": e17_dimmed.STEPS,
        "rates": ", ".join(f"{rate:g}" for rate in e17_best_rates.RATES),
        "looks": ", ".join(map(str, e17_best_rates.TEST_STEPS)),
    },
)  # fmt: skip
