"""E2, second part: every other norm compared with its definition and its exact gradient."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest, off
from bnviz.claims.runs import normal
from bnviz.claims.statement import (
    TIMES,
    ClaimValues,
    Expectation,
    KnobValues,
    Statement,
    about,
    at_most,
    calculated,
)
from bnviz.norms import NORMS
from bnviz.norms.axes import batch_axes, by_feature
from bnviz.norms.base import Norm, NormLayers
from bnviz.norms.kernels import share

PART = "others"
EXACT = at_most(1e-10)

# Batch renormalization equals BN up to step `PLAIN` and has its widest limits from step `LATE` on.
PLAIN, LATE = 100, 10_000
MOST_R, MOST_D = 3.0, 5.0
NEWTON_STEPS = 5

UNITS, GROUPS = 20, 4  # groups of five units, so that the number and the size of groups differ
SHAPES: tuple[tuple[int, ...], ...] = ((60, UNITS), (6, UNITS, 5, 4))

# Size of a ghost batch. The mini-batches of 60 and 6 examples give 20 and 2 parts: more than one
# part, but fewer parts than examples.
GHOST = 3
DROPOUT_RATES = (0.2, 0.5)
DRAWN_STEPS = 200
MEAN_STRETCH = 1.125
BATCH_PARTS = ("batch_scale", "batch_shift", "batch_bare")
# Standard deviations of the noise (Santurkar et al. 2018), for the stretch and then for the shift.
# The first of each pair is per unit, the second per value within a unit.
NOISE = ((0.25 / math.sqrt(12), 0.1), (1 / math.sqrt(12), 0.2 / math.sqrt(12)))


# Options with which each norm is tested. Norms that are not listed have no options.
OPTIONS: dict[str, tuple[KnobValues, ...]] = {
    "group": ({"groups": GROUPS},),
    "ghost": ({"ghost_size": GHOST},),
    "ablated": ({"statistics": "mean"}, {"statistics": "variance"}),
    "dropout": tuple({"rate": rate} for rate in DROPOUT_RATES),
    "batch_dropout": tuple({"rate": rate} for rate in DROPOUT_RATES),
}


def _stated(expected: Expectation, *keys: str) -> list[Statement]:
    return [calculated(key, expected, TIMES, part=PART) for key in keys]


STATEMENTS = (
    *_stated(EXACT, "layer", "rms", "group", "instance", "l1", "linf", "renorm", "iternorm-form",
             "zca-form", "ablated-parts", "noisy"),
    *_stated(at_most(0.1), "noisy-spread"),
    *_stated(EXACT, "dropout"),
    *_stated(about(1, 0.02), "dropout-mean"),
    *_stated(EXACT, "others-autograd", *BATCH_PARTS, "ghost", "batch_dropout"),
)  # fmt: skip

NUMBERS = {
    "group_size": UNITS // GROUPS,
    "steps": DRAWN_STEPS,
    "low_rate": DROPOUT_RATES[0],
    "high_rate": DROPOUT_RATES[1],
}


class NormPass(NamedTuple):
    """Results of one implementation: y, and the gradients of x and of the parameters."""

    y: Tensor
    dx: Tensor
    gradients: Mapping[str, Tensor]


class NormCase(NamedTuple):
    """Norm with random γ and β, its options, its input x and the gradient g of its output."""

    norm: Norm
    options: KnobValues
    x: Tensor
    g: Tensor

    def passes(self) -> list[NormPass]:
        """Results of training passes: by plain functions and, for x of shape [N, D], by kernels."""
        norm, x = self.norm, self.x
        y, cache = norm.forward(x, training=True)
        found = [NormPass(y, norm.backward(self.g, cache), dict(norm.gradients))]
        if x.ndim == 2:
            gradients = {name: torch.zeros_like(value) for name, value in norm.parameters.items()}
            buffers = {name: value[None] for name, value in norm.buffers.items()}
            kernels = type(norm).kernels(NormLayers([norm], len(x), [gradients], buffers))
            assert kernels is not None
            y, dx = torch.empty_like(x), torch.empty_like(x)
            kernels.forward(0, share(x), share(y))
            kernels.backward(0, share(self.g), share(dx))
            found.append(NormPass(y, dx, gradients))
        return found

    def normalized(self) -> list[Tensor]:
        """Return (y − β) ÷ γ for each pass."""
        gamma, beta = (self.norm.parameters.get(name) for name in ("gamma", "beta"))
        scale = torch.ones(UNITS) if gamma is None else gamma
        shift = torch.zeros(UNITS) if beta is None else beta
        return [
            (each.y - by_feature(shift, self.x)) / by_feature(scale, self.x)
            for each in self.passes()
        ]

    def far_from(self, form: Tensor) -> float:
        """Return the largest relative difference between a pass's normalized values and `form`."""
        return max(off(found, form) for found in self.normalized())

    @property
    def moments(self) -> tuple[Tensor, Tensor]:
        """Mean and biased standard deviation of each unit of x."""
        mean = self.x.mean(batch_axes(self.x))
        centred = self.x - by_feature(mean, self.x)
        return mean, (centred * centred).mean(batch_axes(self.x)).sqrt()

    @property
    def standardized(self) -> Tensor:
        """(x − mean) ÷ standard deviation, per unit."""
        mean, std = self.moments
        return (self.x - by_feature(mean, self.x)) / by_feature(std, self.x)


def cases(seed: int, name: str) -> list[NormCase]:
    """Return a case with ε = 0 per option set and shape; all norms get the same random numbers."""
    found = []
    for options in OPTIONS.get(name, ({},)):
        generator = random_numbers(seed, 2)
        # Instance normalization needs more than one value per example and unit.
        for shape in SHAPES[1:] if name == "instance" else SHAPES:
            settings = {"eps": 0.0, "dtype": torch.float64, "seed": seed, **options}
            norm: Norm = NORMS[name].resolve()(UNITS, **settings)
            for value in norm.parameters.values():
                value.copy_(normal(generator, UNITS))
            x, g = (normal(generator, *shape) for _ in range(2))
            # Correlate neighbouring units, and give the units different means and scales.
            x = x + 0.5 * x.roll(1, 1)
            scale, shift = (by_feature(normal(generator, UNITS), x) for _ in range(2))
            found.append(NormCase(norm, options, x * scale.exp() + shift, g))
    return found


def measure(seed: int) -> ClaimValues:
    of_norms = {key: cases(seed, key.partition("-")[0]) for key in IDENTITIES}
    for case in of_norms["renorm"]:
        _set_running_statistics(case)
    return {
        **{key: max(map(IDENTITIES[key], each)) for key, each in of_norms.items()},
        "noisy-spread": _noise_off(seed),
        "dropout-mean": _mean_of_draws(seed),
        "others-autograd": max(_from_autograd(case) for each in of_norms.values() for case in each),
    }


def _from_autograd(case: NormCase) -> float:
    norm, leaf = case.norm, case.x.clone().requires_grad_()
    own = list(norm.parameters.values())
    for value in own:
        value.requires_grad_()
    with torch.enable_grad():
        y, _ = norm.forward(leaf, training=True)
        expected = torch.autograd.grad(y, [leaf, *own], case.g)
    for value in own:
        value.requires_grad_(False)
    return max(
        max(map(off, (each.dx, *each.gradients.values()), expected)) for each in case.passes()
    )


def _alike(groups: int, case: NormCase) -> float:
    """Return the largest deviation from mean 0 and mean square 1, per example and unit group."""
    rows = [values.reshape(len(values), groups, -1) for values in case.normalized()]
    return max(max(largest(row.mean(2)), largest((row * row).mean(2) - 1)) for row in rows)


def _rms(case: NormCase) -> float:
    rows = case.x.flatten(1)
    size = (rows * rows).mean(1, keepdim=True).sqrt()
    found = [each.flatten(1) for each in case.normalized()]
    return max(max(largest((each * each).mean(1) - 1), off(each * size, rows)) for each in found)


def _standardized(case: NormCase) -> float:
    return case.far_from(case.standardized)


def _sized(size: Callable[[Tensor], Tensor], case: NormCase) -> float:
    """Return the largest deviation of a unit's mean from 0, or of its `size` from 1."""
    units = list(map(_by_unit, case.normalized()))
    return max(max(largest(each.mean(1)), largest(size(each.abs()) - 1)) for each in units)


def _set_running_statistics(case: NormCase) -> None:
    """Set the running averages of batch renormalization so far off that units reach every limit."""
    (mean, std), running = case.moments, case.norm.buffers
    apart = torch.linspace(-1, 1, UNITS, dtype=torch.float64)
    running["running_std"].copy_(std * torch.exp(2 * apart))
    running["running_mean"].copy_(mean + 8 * apart.flip(0) * running["running_std"])


def _renorm(case: NormCase) -> float:
    """Return the largest error compared with the formula at three values of the norm's step."""
    (mean, std), running, far = case.moments, case.norm.buffers, []
    for case.norm.step, most_r, most_d in ((0, 1, 0), (PLAIN, 1, 0), (LATE, MOST_R, MOST_D)):
        r = (std / running["running_std"]).clamp(1 / most_r, most_r)
        d = ((mean - running["running_mean"]) / running["running_std"]).clamp(-most_d, most_d)
        form = case.standardized * by_feature(r, case.x) + by_feature(d, case.x)
        far.append(case.far_from(form))
    return max(far)


def _newton(spectrum: Tensor, count: int) -> Tensor:
    scaled, power = spectrum / spectrum.sum(), torch.ones_like(spectrum)
    for _ in range(NEWTON_STEPS):
        power = (3 * power - power**3 * scaled) / 2
    return scaled * power * power


def _zca(spectrum: Tensor, count: int) -> Tensor:
    share = (len(spectrum) / count) ** 3
    return spectrum / ((1 - share) * spectrum + share * spectrum.mean())


def _whitened(gain: Callable[[Tensor, int], Tensor], case: NormCase) -> float:
    """Return the largest error of the whitened covariance or of the whitening matrix's symmetry."""
    half, worst = UNITS // 2, 0.0
    for found in case.normalized():
        for before, after in zip(
            _by_unit(case.x).split(half), _by_unit(found).split(half), strict=True
        ):
            covariance = before.cov(correction=0)
            spectrum, vectors = torch.linalg.eigh(covariance)
            form = (vectors * gain(spectrum, before.shape[1])) @ vectors.T
            mixed = torch.cat((before, after)).cov(correction=0)[:half, half:]
            whitening = torch.linalg.solve(covariance, mixed)
            worst = max(worst, off(after.cov(correction=0), form), off(whitening, whitening.T))
    return worst


def _part_alone(case: NormCase) -> float:
    mean, std = (by_feature(each, case.x) for each in case.moments)
    return case.far_from(
        case.x - mean if case.options["statistics"] == "mean" else case.x / std
    )  # fmt: skip


def _by_unit(values: Tensor) -> Tensor:
    return values.transpose(0, 1).flatten(1)


def _noisy(case: NormCase) -> float:
    norm, x = case.norm, case.x
    own = {name: value.clone() for name, value in norm.parameters.items()}
    stretch, shift = _noise_of(case)
    for name, value in own.items():
        norm.parameters[name].copy_(value)
    gamma, beta = (by_feature(own[name], x) for name in ("gamma", "beta"))
    without_noise = case.standardized * gamma + beta
    mean, std = case.moments
    norm.buffers["running_mean"].copy_(mean)
    norm.buffers["running_var"].copy_(std * std)
    inferred, _ = norm.forward(x, training=False)
    return max(
        off(inferred, MEAN_STRETCH * without_noise),
        *(off(each.y, stretch * without_noise + shift) for each in case.passes()),
    )


def _noise_of(case: NormCase) -> tuple[Tensor, Tensor]:
    """Return the noise s and m of this step: y = m if γ = β = 0, and y = s + m if γ = 0, β = 1."""
    norm = case.norm
    norm.parameters["gamma"].fill_(0)
    norm.parameters["beta"].fill_(0)
    shift, _ = norm.forward(case.x, training=True)
    norm.parameters["beta"].fill_(1)
    return norm.forward(case.x, training=True)[0] - shift, shift


def _noise_off(seed: int) -> float:
    """Return the largest relative error of the noise's means and standard deviations."""
    case, drawn = cases(seed, "noisy")[0], []
    for case.norm.step in range(DRAWN_STEPS):
        drawn.append(torch.stack(_noise_of(case)))
    values = torch.stack(drawn)  # [steps, 2, N, D]
    units, count = values.mean(2), values.shape[2]
    around = (values - units[:, :, None]).square().mean((0, 2, 3)).sqrt()
    stretch, shift = units.transpose(0, 1).flatten(1)
    found = torch.stack((stretch.std(), shift.std(), *around))
    expected = torch.tensor((*(math.hypot(u, v / math.sqrt(count)) for u, v in NOISE),
                             *(v * math.sqrt(1 - 1 / count) for _, v in NOISE)))  # fmt: skip
    means = torch.stack((stretch.mean() - MEAN_STRETCH, shift.mean())).double()
    return max(largest(found / expected - 1), largest(means / expected[:2]))


def _dropped(case: NormCase) -> float:
    norm, x, g = case.norm, case.x, case.g
    scale = 1 / (1 - case.options["rate"])
    worst = off(norm.forward(x, training=False)[0], x)
    for each in case.passes():
        kept = each.y.abs() > 0
        worst = max(worst, off(each.y, kept * x * scale), off(each.dx, kept * g * scale))
    return worst


def _ghosts(case: NormCase) -> float:
    parts = torch.tensor_split(case.x, len(case.x) // GHOST)
    form = torch.cat([case._replace(x=part).standardized for part in parts])
    return case.far_from(form)


def _dropped_after(case: NormCase) -> float:
    """Return the largest error of three checks: y is standardized, the mask has two values, and
    dropout before ReLU equals dropout after ReLU.
    """
    (y, *_), scale = case.passes(), 1 / (1 - case.options["rate"])
    mask = case.norm.mask(y.y)
    assert mask is not None
    before, after = torch.relu(y.y * mask), torch.relu(y.y) * mask
    two_valued = torch.minimum(mask.abs(), (mask - scale).abs())
    return max(_standardized(case), largest(two_valued), off(before, after))


def _mean_of_draws(seed: int) -> float:
    """Return mean |y| after dropout ÷ mean |x|, for the rate at which this is farthest from 1."""
    shares = []
    for case in cases(seed, "dropout"):
        if case.x.ndim == 2:
            total = 0.0
            for case.norm.step in range(DRAWN_STEPS):
                total += float(case.norm.forward(case.x, training=True)[0].abs().sum())
            shares.append(total / DRAWN_STEPS / float(case.x.abs().sum()))
    return max(shares, key=lambda share: abs(share - 1))


# Error of a case relative to the norm's definition, by key. A key begins with the norm's name.
IDENTITIES: dict[str, Callable[[NormCase], float]] = {
    "layer": partial(_alike, 1),
    "rms": _rms,
    "group": partial(_alike, GROUPS),
    "instance": partial(_alike, UNITS),
    "l1": partial(_sized, lambda sizes: sizes.mean(1)),
    "linf": partial(_sized, lambda sizes: sizes.amax(1)),
    "renorm": _renorm,
    "iternorm-form": partial(_whitened, _newton),
    "zca-form": partial(_whitened, _zca),
    "ablated-parts": _part_alone,
    "noisy": _noisy,
    "dropout": _dropped,
    **dict.fromkeys(BATCH_PARTS, _standardized),
    "ghost": _ghosts,
    "batch_dropout": _dropped_after,
}
