"""E9: noise after batch normalization, so that distributions shift (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import accuracy, advance
from bnviz.claims.statement import Claim, Kind, Statement, Unit, about, at_least, at_most, in_lab
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.norms.base import Norm
from bnviz.norms.kernels import Kernels, TensorKernels
from bnviz.norms.noisy import MEAN_STRETCH, draw_noise

STEPS = 300
WATCHED = range(100, 111)
# The standard deviation of torch's own initial weights for 100 inputs, 1/√(3·100).
TORCH_STD = 0.058
# The mean distance of two draws from U(−½, ½), by which the noise moves a unit.
NOISE_SHIFT = 1 / 3

DEEP_KNOBS: dict[str, Any] = {
    "depth": 13, "activation": "relu", "norms": ("none", "batch", "noisy"),
}  # fmt: skip
SMALL_KNOBS: dict[str, Any] = {**DEEP_KNOBS, "init": "normal", "init_std": TORCH_STD}


WATCH = in_lab(DEEP_KNOBS, ("percentiles",), STEPS)
WATCH_SHIFT = in_lab(DEEP_KNOBS, ("percentiles",), WATCHED.stop - 1)
WATCH_SMALL = in_lab(SMALL_KNOBS, ("percentiles",), STEPS)


STATEMENTS = (
    Statement(key="batch", expected=at_least(0.9), kind=Kind.PAPER, unit=Unit.PERCENT, watch=WATCH),
    Statement(
        key="noisy",
        expected=at_least(-0.03),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="batch",
        watch=WATCH,
    ),
    Statement(
        key="noise-size", expected=about(NOISE_SHIFT, 0.1), kind=Kind.CALCULATION, watch=WATCH_SHIFT
    ),
    Statement(
        key="more-than-plain",
        expected=at_least(1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-then",
        watch=WATCH_SHIFT,
    ),
    Statement(key="none", expected=at_most(0.2), kind=Kind.EARLIER, unit=Unit.PERCENT, watch=WATCH),
    Statement(
        key="none-small",
        expected=at_most(0.2),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="small",
        instead_of="none",
        watch=WATCH_SMALL,
    ),
    Statement(key="noisy-none", expected=at_most(0.2), kind=Kind.EARLIER, unit=Unit.PERCENT),
    Statement(
        key="noisy-none-small",
        expected=at_most(0.2),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="small",
        instead_of="noisy-none",
    ),
    Statement(
        key="batch-small",
        expected=at_least(0.9),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="small",
        watch=WATCH_SMALL,
    ),
    Statement(
        key="noisy-small",
        expected=at_least(0.9),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="small",
        watch=WATCH_SMALL,
    ),
    Statement(
        key="noisy-none-shallow", expected=at_least(0.9), kind=Kind.EARLIER, unit=Unit.PERCENT
    ),
)


class NoisyIdentity(Norm):
    """The plain network with the noise that noisy BN has after its normalization."""

    name = "noisy identity"

    @classmethod
    def kernels(
        cls,
        norms: Sequence[Norm],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
        buffers: Mapping[str, Tensor],
        members: tuple[int, ...] = (),
    ) -> Kernels:
        """Through `forward` and `backward`."""
        return TensorKernels(norms, gradients)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Tensor]:
        """Stretched and shifted at random (training), or by the mean of that (inference)."""
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
        """The mean of the stretches [D]."""
        return torch.full_like(x_row, MEAN_STRETCH)


def add_noise(experiment: Experiment) -> None:
    """Put the noise after every layer of a run's plain network."""
    network = experiment.networks["none"]
    assert isinstance(network, Layered)
    for index, layer in enumerate(network.layers):
        norm = NoisyIdentity(
            experiment.config.width, dtype=experiment.dtype, seed=experiment.config.seed,
            layer=index,
        )  # fmt: skip
        layer.norm = network.norms[index] = norm


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    deep = Experiment(RunConfig(**DEEP_KNOBS, seed=seed))
    shift, spread = _shifts(deep)
    then, reached = _accuracies(deep, WATCHED.stop - 1), _accuracies(deep)
    return {
        "none": reached["none"],
        "batch": reached["batch"],
        "noisy": reached["noisy"] - reached["batch"],
        "noise-size": shift["noisy"],
        "more-than-plain": (shift["noisy"] / spread["noisy"]) / (shift["none"] / spread["none"]),
        "plain-then": then["none"],
        "noisy-none": _with_noise(seed, DEEP_KNOBS),
        "noisy-none-shallow": _with_noise(seed, {**DEEP_KNOBS, "depth": 3}),
    }


def measure_small(seed: int) -> dict[str, float]:
    """The same from smaller initial weights."""
    reached = _accuracies(Experiment(RunConfig(**SMALL_KNOBS, seed=seed)))
    return {
        **{f"{norm}-small": value for norm, value in reached.items()},
        "noisy-none-small": _with_noise(seed, SMALL_KNOBS),
    }


def _accuracies(experiment: Experiment, step: int = STEPS) -> dict[str, float]:
    advance(experiment, step)
    return {norm: accuracy(record) for norm, record in experiment.snapshot(()).networks.items()}


def _with_noise(seed: int, knobs: Mapping[str, Any]) -> float:
    experiment = Experiment(RunConfig(**{**knobs, "norms": ("none",)}, seed=seed))
    add_noise(experiment)
    return _accuracies(experiment)["none"]


def _shifts(experiment: Experiment) -> tuple[dict[str, float], dict[str, float]]:
    """Two values by norm, means over the watched units of all layers.

    Returns:
        |change of the median from one step to the next|; half the distance of the 15th and the 85th
        percentile.
    """
    units: dict[str, list[np.ndarray]] = {norm: [] for norm in experiment.networks}
    for step in WATCHED:
        advance(experiment, step)
        for norm, record in experiment.snapshot(("percentiles",)).networks.items():
            units[norm].append(record.probes["percentiles"]["unit"])
    low, median, high = ({n: np.stack(u)[..., k] for n, u in units.items()} for k in range(3))
    return (
        {norm: float(np.abs(np.diff(found, axis=0)).mean()) for norm, found in median.items()},
        {norm: float((high[norm] - low[norm]).mean()) / 2 for norm in units},
    )


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"small": measure_small},
    numbers={
        "steps": STEPS,
        "first": WATCHED.start,
        "last": WATCHED.stop - 1,
        "small_std": TORCH_STD,
    },
)
