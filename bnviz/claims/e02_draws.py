"""E2, what draws random numbers at each step: noisy BN and dropout."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from bnviz.claims.e02_cases import SHAPES, Case, cases, far, off
from bnviz.norms.axes import by_feature

RATES = (0.2, 0.5)
RATES_WORDS = f"p = {RATES[0]:g} and {RATES[1]:g}"
STEPS = 200
MEAN_STRETCH = 1.125
# Santurkar et al. 2018: the deviations of a unit's stretch, and of the values' around it; then the
# same of the shift.
NOISE = ((0.25 / math.sqrt(12), 0.1), (1 / math.sqrt(12), 0.2 / math.sqrt(12)))


def measure(seed: int) -> dict[str, float]:
    """One value a statement of noisy BN and of dropout."""
    return {
        "noisy": max(map(_noisy, cases(seed, "noisy"))),
        "noisy-spread": _spread(seed),
        "dropout": max(
            _dropped(each, rate) for rate in RATES for each in cases(seed, "dropout", rate=rate)
        ),
        "dropout-mean": _mean_of_draws(seed),
    }


def _noisy(case: Case) -> float:
    norm, x = case.norm, case.x
    own = {name: value.clone() for name, value in norm.parameters.items()}
    stretch, shift = _noise_of(case)
    for name, value in own.items():
        norm.parameters[name].copy_(value)
    gamma, beta = (by_feature(own[name], x) for name in ("gamma", "beta"))
    form = stretch * (case.standardized * gamma + beta) + shift
    mean, std = case.moments
    norm.buffers["running_mean"].copy_(mean)
    norm.buffers["running_var"].copy_(std * std)
    inferred, _ = norm.forward(x, training=False)
    return max(
        off(inferred, MEAN_STRETCH * (case.standardized * gamma + beta)),
        *(off(each.y, form) for each in case.passes()),
    )


def _noise_of(case: Case) -> tuple[Tensor, Tensor]:
    """s and m of the present step: what is left of y with γ = 0, and β = 1 or 0."""
    norm = case.norm
    norm.parameters["gamma"].fill_(0)
    norm.parameters["beta"].fill_(0)
    shift, _ = norm.forward(case.x, training=True)
    norm.parameters["beta"].fill_(1)
    return norm.forward(case.x, training=True)[0] - shift, shift


def _spread(seed: int) -> float:
    (case,) = cases(seed, "noisy", SHAPES[:1])
    drawn = []
    for case.norm.step in range(STEPS):
        drawn.append(torch.stack(_noise_of(case)))
    values = torch.stack(drawn)  # [steps, 2, N, D]
    units, count = values.mean(2), values.shape[2]
    around = (values - units[:, :, None]).square().mean((0, 2, 3)).sqrt()
    stretch, shift = units.transpose(0, 1).flatten(1)
    found = torch.stack((stretch.std(), shift.std(), *around))
    expected = torch.tensor((*(math.hypot(u, v / math.sqrt(count)) for u, v in NOISE),
                             *(v * math.sqrt(1 - 1 / count) for _, v in NOISE)))  # fmt: skip
    means = torch.stack((stretch.mean() - MEAN_STRETCH, shift.mean())).double()
    return max(far(found / expected - 1), far(means / expected[:2]))


def _dropped(case: Case, rate: float) -> float:
    norm, x, g = case.norm, case.x, case.g
    scale = 1 / (1 - rate)
    worst = off(norm.forward(x, training=False)[0], x)
    for each in case.passes():
        kept = each.y.abs() > 0
        worst = max(worst, off(each.y, kept * x * scale), off(each.dx, kept * g * scale))
    return worst


def _mean_of_draws(seed: int) -> float:
    shares = []
    for rate in RATES:
        (case,) = cases(seed, "dropout", SHAPES[:1], rate=rate)
        total = 0.0
        for case.norm.step in range(STEPS):
            total += float(case.norm.forward(case.x, training=True)[0].abs().sum())
        shares.append(total / STEPS / float(case.x.abs().sum()))
    return max(shares, key=lambda share: abs(share - 1))
