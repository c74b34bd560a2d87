"""E9: noise after batch normalization, so that distributions shift (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.runs import accuracy, advance
from bnviz.claims.statement import Claim, Statement, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.layered import Layered
from bnviz.norms.base import Norm
from bnviz.norms.kernels import Kernels, TensorKernels
from bnviz.norms.noisy import MEAN_STRETCH, draw_noise

STEPS, SHALLOW_STEPS = 200, 300
WATCHED = range(100, 111)
# The standard deviation of torch's own initial weights for 100 inputs, 1/√(3·100).
TORCH_STD = 0.058

DEEP = f"ReLU 13×100, rate 0.1, step {STEPS}"
SHALLOW = f"ReLU 3×100, rate 0.1, step {SHALLOW_STEPS}"
SHIFT = "mean |change of a unit's median input from one step to the next|"
PAPER, EARLIER, FOUND = "Santurkar et al. 2018", "earlier run", "found here"

STATEMENTS = (
    Statement(
        key="batch",
        text="A deep ReLU network learns with BN.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_least(0.9),
        source=PAPER,
    ),
    Statement(
        key="noisy",
        text="It learns as well with noise after BN.",
        setting=DEEP,
        quantity="accuracy, noisy BN less BN",
        expected=at_least(-0.03),
        source=PAPER,
    ),
    Statement(
        key="more-than-batch",
        text="Although its activations shift more than with BN alone.",
        setting=f"{DEEP.rpartition(',')[0]}, steps 100 to 110",
        quantity=f"{SHIFT}, noisy BN ÷ BN",
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="more-than-plain",
        text="And more than in the plain network.",
        setting=f"{DEEP.rpartition(',')[0]}, steps 100 to 110",
        quantity=f"{SHIFT}, noisy BN ÷ plain",
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="none",
        text="Without BN a deep ReLU network does not learn.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
    ),
    Statement(
        key="none-small",
        text="It does not where the initial weights are as small as torch's own.",
        setting=f"{DEEP}, initial σ {TORCH_STD:g}",
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        instead_of="none",
    ),
    Statement(
        key="noisy-none",
        text="Without BN, but with that noise, it does not learn either.",
        setting=DEEP,
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
    ),
    Statement(
        key="noisy-none-small",
        text="It does not where the initial weights are as small as torch's own.",
        setting=f"{DEEP}, initial σ {TORCH_STD:g}",
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        instead_of="noisy-none",
    ),
    Statement(
        key="batch-small",
        text="There too the network learns with BN.",
        setting=f"{DEEP}, initial σ {TORCH_STD:g}",
        quantity="accuracy",
        expected=at_least(0.9),
        source=FOUND,
    ),
    Statement(
        key="noisy-small",
        text="And with noise after it.",
        setting=f"{DEEP}, initial σ {TORCH_STD:g}",
        quantity="accuracy",
        expected=at_least(0.9),
        source=FOUND,
    ),
    Statement(
        key="noisy-none-shallow",
        text="With three layers the plain network learns with that noise.",
        setting=SHALLOW,
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
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
    """One value a statement."""
    deep = _experiment(seed, norms=("none", "batch", "noisy"))
    shift = _shift(deep)
    small: dict[str, Any] = {"init": "normal", "init_std": TORCH_STD}
    reached = _accuracies(deep)
    small_reached = _accuracies(_experiment(seed, norms=("none", "batch", "noisy"), **small))
    return {
        "none": reached["none"],
        "batch": reached["batch"],
        "noisy": reached["noisy"] - reached["batch"],
        "more-than-batch": shift["noisy"] / shift["batch"],
        "more-than-plain": shift["noisy"] / shift["none"],
        **{f"{norm}-small": found for norm, found in small_reached.items()},
        "noisy-none": _with_noise(seed, norms=("none",)),
        "noisy-none-small": _with_noise(seed, norms=("none",), **small),
        "noisy-none-shallow": _with_noise(seed, SHALLOW_STEPS, depth=3, norms=("none",)),
    }


def _experiment(seed: int, **knobs: Any) -> Experiment:
    return Experiment(RunConfig(**{"depth": 13, "activation": "relu", "seed": seed, **knobs}))


def _accuracies(experiment: Experiment, steps: int = STEPS) -> dict[str, float]:
    advance(experiment, steps)
    return {norm: accuracy(record) for norm, record in experiment.snapshot(()).networks.items()}


def _with_noise(seed: int, steps: int = STEPS, **knobs: Any) -> float:
    experiment = _experiment(seed, **knobs)
    add_noise(experiment)
    return _accuracies(experiment, steps)["none"]


def _shift(experiment: Experiment) -> dict[str, float]:
    """Mean |change of a unit's median| from step to step, over the units of all layers, by norm."""
    medians: dict[str, list[np.ndarray]] = {norm: [] for norm in experiment.networks}
    for step in WATCHED:
        advance(experiment, step)
        for norm, record in experiment.snapshot(("percentiles",)).networks.items():
            medians[norm].append(record.probes["percentiles"]["unit"][..., 1])
    return {norm: float(np.abs(np.diff(found, axis=0)).mean()) for norm, found in medians.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="Noise as in the paper: of a unit and step μ ~ U(−0.5, 0.5) and σ ~ U(1, 1.25), of each "
    "value m ~ U(μ ± 0.1) and s ~ N(σ, 0.1); a ← s·a + m, where BN would have ended.",
)
