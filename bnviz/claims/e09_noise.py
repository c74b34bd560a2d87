"""E9: noise after batch normalization, so that distributions shift (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import accuracy, advance
from bnviz.claims.statement import (
    Claim,
    Comparator,
    Statement,
    Watch,
    about,
    at_least,
    at_most,
)
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

RUN = "ReLU 13×100, rate 0.1"
DEEP = f"{RUN}, step {STEPS}"
SMALL = f"{DEEP}, initial σ {TORCH_STD:g}"
EARLY = f"{RUN}, steps {WATCHED.start} to {WATCHED.stop - 1}"
SHIFT = "mean |change of a unit’s median input from one step to the next|"
SPREAD = "half the mean distance of its 15th and 85th percentile"
PAPER, EARLIER, FOUND = "Santurkar et al. 2018", "earlier run", "found here"

WATCH = Watch(DEEP_KNOBS, ("percentiles",), STEPS)
WATCH_SHIFT = Watch(DEEP_KNOBS, ("percentiles",), WATCHED.stop - 1)
WATCH_SMALL = Watch(SMALL_KNOBS, ("percentiles",), STEPS)
NOT_IN_THE_LAB = "The lab has this noise after BN only, not in a network without a norm."


def _interim(found: str) -> str:
    """What a row says whose window was another one for a time."""
    return f"The step, {STEPS} as first declared, was 200 for a time: {found}."


STATEMENTS = (
    Statement(
        key="batch",
        text="A deep ReLU network learns with BN.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_least(0.9),
        source=PAPER,
        changed=_interim("96.7 % (96.4 to 97.5)"),
        watch=WATCH,
    ),
    Statement(
        key="noisy",
        text="A deep ReLU network learns as well with noise after BN.",
        lead="A deep ReLU network learns as well where noise after BN makes its activations shift.",
        setting=DEEP,
        quantity="accuracy, noisy BN less BN",
        expected=at_least(-0.03),
        source=PAPER,
        difference=True,
        comparator=Comparator("batch", "the network with BN alone"),
        changed="First declared as an accuracy of at least 90 %: 97.8 % (95.0 to 98.3). "
        + _interim("0 points (−0.56 to 0.56)"),
        watch=WATCH,
    ),
    Statement(
        key="noise-size",
        text="The noise moves a unit’s median from each step to the next by 1/3 in the mean, as "
        "two draws from U(−½, ½) differ, where BN has made the deviation 1.",
        setting=f"{EARLY}, noisy BN",
        quantity=SHIFT,
        expected=about(NOISE_SHIFT, 0.1),
        source="calculation",
        changed="First declared, after the paper, as more than with BN alone, which such noise "
        "cannot miss: 18.3 (17.0 to 21.8) times as much where 1 was asked for.",
        watch=WATCH_SHIFT,
    ),
    Statement(
        key="more-than-plain",
        text="With that noise after BN activations shift more than in the plain network.",
        lead="With noise after BN activations shift more, for their spread, than without BN.",
        setting=EARLY,
        quantity=f"({SHIFT} ÷ {SPREAD}), noisy BN ÷ plain",
        expected=at_least(1),
        source=PAPER,
        comparator=Comparator("plain-then", "the plain network"),
        changed="First measured without regard to the spread of a unit’s values, which is about a "
        "third as wide in the plain network: 4.03 (3.29 to 7.04).",
        watch=WATCH_SHIFT,
    ),
    Statement(
        key="none",
        text="Without BN a deep ReLU network does not learn.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
        changed=_interim("56.8 % (17.3 to 68.0)"),
        watch=WATCH,
    ),
    Statement(
        key="none-small",
        text="A deep ReLU network without BN does not learn from initial weights as small as "
        "torch’s own.",
        setting=SMALL,
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        part="small",
        instead_of="none",
        changed=_interim("10.0 % (10.0 to 10.3) on the seeds 0 to 4"),
        watch=WATCH_SMALL,
    ),
    Statement(
        key="noisy-none",
        text="With that noise but without BN a deep ReLU network does not learn either.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
        changed=_interim("19.5 % (7.24 to 24.5)"),
        watch=NOT_IN_THE_LAB,
    ),
    Statement(
        key="noisy-none-small",
        text="A deep ReLU network with that noise and without BN does not learn from initial "
        "weights as small as torch’s own.",
        setting=SMALL,
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        part="small",
        instead_of="noisy-none",
        changed=_interim("10.0 % on the seeds 0 to 4"),
        watch=NOT_IN_THE_LAB,
    ),
    Statement(
        key="batch-small",
        text="From initial weights as small as torch’s own a deep ReLU network learns with BN.",
        setting=SMALL,
        quantity="accuracy",
        expected=at_least(0.9),
        source=FOUND,
        part="small",
        changed=_interim("96.9 % (95.0 to 98.1) on the seeds 0 to 4"),
        watch=WATCH_SMALL,
    ),
    Statement(
        key="noisy-small",
        text="From initial weights as small as torch’s own a deep ReLU network learns with noise "
        "after BN.",
        setting=SMALL,
        quantity="accuracy",
        expected=at_least(0.9),
        source=FOUND,
        part="small",
        changed=_interim("96.7 % (96.1 to 97.5) on the seeds 0 to 4"),
        watch=WATCH_SMALL,
    ),
    Statement(
        key="noisy-none-shallow",
        text="With three layers the plain network learns with that noise.",
        setting=f"ReLU 3×100, rate 0.1, step {STEPS}",
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
        watch=NOT_IN_THE_LAB,
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
    """`SHIFT` and `SPREAD`, means over the watched units of all layers, by norm."""
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
    note="Noise as in the paper: of a unit and step μ ~ U(−0.5, 0.5) and σ ~ U(1, 1.25), of each "
    "value m ~ U(μ ± 0.1) and s ~ N(σ, 0.1); a ← s·a + m, where BN would have ended.",
    parts={"small": measure_small},
)
