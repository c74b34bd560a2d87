"""E9: noise after batch normalization, which shifts the distributions (Santurkar et al. 2018)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import TORCH_INIT, accuracies, accuracies_after, begin, mlp
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_least,
    at_most,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.experiment import Experiment
from bnviz.norms.base import Norm
from bnviz.norms.noisy import MEAN_STRETCH, draw_noise

STEPS = 300
MEASURED_STEPS = range(100, 111)
# Mean distance between two values drawn from U(−½, ½). On average, the noise moves a unit by this
# much.
NOISE_SHIFT = 1 / 3

DEEP: KnobValues = {"depth": 13, "activation": "relu", "norms": ("none", "batch", "noisy")}
SMALL: KnobValues = {**DEEP, **TORCH_INIT}

AT_END, AT_SHIFT = (in_lab(DEEP, "percentiles", step) for step in (STEPS, MEASURED_STEPS[-1]))
SMALL_AT_END = in_lab(SMALL, "percentiles", STEPS)

STATEMENTS = (
    quoted("batch", at_least(0.9), PERCENT, AT_END),
    quoted("noisy", at_least(-0.03), POINTS, AT_END, difference=True, comparator="batch"),
    calculated("noise-size", about(NOISE_SHIFT, 0.1), watch=AT_SHIFT),
    quoted("more-than-plain", at_least(1), TIMES, AT_SHIFT, comparator="plain-then"),
    earlier("none", at_most(0.2), PERCENT, AT_END),
    found_here("none-small", at_most(0.2), PERCENT, SMALL_AT_END, part="small", instead_of="none"),
    earlier("noisy-none", at_most(0.2), PERCENT),
    found_here("noisy-none-small", at_most(0.2), PERCENT, part="small", instead_of="noisy-none"),
    found_here("batch-small", at_least(0.9), PERCENT, SMALL_AT_END, part="small"),
    found_here("noisy-small", at_least(0.9), PERCENT, SMALL_AT_END, part="small"),
    earlier("noisy-none-shallow", at_least(0.9), PERCENT),
)


class NoisyIdentity(Norm):
    """Noise of noisy BN without the normalization."""

    name = "noisy identity"

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Tensor]:
        if not training:
            return x * MEAN_STRETCH, torch.full_like(x, MEAN_STRETCH)
        stretch, shift = (
            torch.from_numpy(values).to(x.dtype)
            for values in draw_noise(self.random(), tuple(x.shape))
        )
        return x * stretch + shift, stretch

    def backward(self, dy: Tensor, cache: Tensor) -> Tensor:
        """dy · s."""
        return dy * cache

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        return torch.full_like(x_row, MEAN_STRETCH)


def add_noise(experiment: Experiment) -> None:
    """Add the noise after every layer of the network without BN."""
    network, config = mlp(experiment, "none"), experiment.config
    for index, layer in enumerate(network.layers):
        layer.norm = network.norms[index] = NoisyIdentity(
            config.width, dtype=experiment.dtype, seed=config.seed, layer=index
        )


def measure(seed: int) -> ClaimValues:
    deep = begin(seed, DEEP)
    shift, width = _shifts(deep)
    then, end = _accuracies(deep, MEASURED_STEPS[-1]), _accuracies(deep)
    return {
        "none": end["none"],
        "batch": end["batch"],
        "noisy": end["noisy"] - end["batch"],
        "noise-size": shift["noisy"],
        "more-than-plain": (shift["noisy"] / width["noisy"]) / (shift["none"] / width["none"]),
        "plain-then": then["none"],
        "noisy-none": _with_noise(seed, DEEP),
        "noisy-none-shallow": _with_noise(seed, {**DEEP, "depth": 3}),
    }


def measure_small(seed: int) -> ClaimValues:
    end = accuracies_after(seed, SMALL, STEPS)
    return {
        **{f"{norm}-small": value for norm, value in end.items()},
        "noisy-none-small": _with_noise(seed, SMALL),
    }


def _accuracies(experiment: Experiment, step: int = STEPS) -> ClaimValues:
    experiment.advance(step)
    return accuracies(experiment.snapshot(()).networks)


def _with_noise(seed: int, knobs: KnobValues) -> float:
    experiment = begin(seed, {**knobs, "norms": ("none",)})
    add_noise(experiment)
    return _accuracies(experiment)["none"]


def _shifts(experiment: Experiment) -> tuple[ClaimValues, ClaimValues]:
    """Mean |change per step| of the units' medians, and half their mean 15–85 % range, by norm."""
    shots = []
    for step in MEASURED_STEPS:
        experiment.advance(step)
        shots.append(experiment.snapshot(("percentiles",)).networks)
    shift, width = {}, {}
    for norm in experiment.networks:
        units = np.stack([shot[norm].probes["percentiles"]["unit"] for shot in shots])
        low, median, high = (units[..., level] for level in range(3))
        shift[norm] = float(np.abs(np.diff(median, axis=0)).mean())
        width[norm] = float((high - low).mean()) / 2
    return shift, width


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"small": measure_small},
    other_numbers={
        "first": MEASURED_STEPS.start,
        "last": MEASURED_STEPS[-1],
        "small_std": TORCH_INIT["init_std"],
    },
)
