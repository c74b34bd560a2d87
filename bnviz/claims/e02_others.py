"""E2, second part: what each other norm must do to numbers, and the exact gradient of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bnviz.claims import e02_draws
from bnviz.claims.e02_cases import GROUPS, SHAPES, UNITS, Case, cases, far, off
from bnviz.claims.statement import Statement, about, at_most
from bnviz.norms.axes import by_feature

PART = "others"

# Batch renormalization is plain BN up to the one step, and corrects as far as it ever does at the
# other.
PLAIN, LATE = 100, 10_000
MOST_R, MOST_D = 3.0, 5.0
NEWTON_STEPS = 5

CALCULATION = "calculation"
RANDOM = "float64, random x, γ, β and g, shapes 60×20 and 6×20×5×4, ε = 0"
ALIKE = "largest |mean|, |mean square − 1| of (y − β) ÷ γ"
BOTH_WAYS = f"{RANDOM}; the plain functions and those that train"
FROM_FORM = "largest difference from the closed form ÷ largest value"
NO_NETWORK = "Arithmetic in float64, without a network."


def _stated(key: str, text: str, **fields: Any) -> Statement:
    """A statement of numbers alone; exact but where an expectation is given."""
    exact = {"setting": BOTH_WAYS, "expected": at_most(1e-10), "source": CALCULATION}
    return Statement(key=key, text=text, part=PART, watch=NO_NETWORK, **{**exact, **fields})


STATEMENTS = (
    _stated(
        "layer",
        "Layer normalization gives the values of each example mean 0 and variance 1.",
        quantity=ALIKE,
    ),
    _stated(
        "rms",
        "RMS normalization gives the values of each example mean square 1, and takes out no mean: "
        "y ÷ γ is a multiple of x.",
        quantity="largest |mean square − 1| of y ÷ γ, difference from a multiple of x",
    ),
    _stated(
        "group",
        f"Group normalization gives each of {GROUPS} groups of {UNITS // GROUPS} neighbouring "
        "units or feature maps of each example mean 0 and variance 1.",
        quantity=ALIKE,
    ),
    _stated(
        "instance",
        "Instance normalization gives each feature map of each example mean 0 and variance 1.",
        setting=f"{RANDOM}; feature maps alone",
        quantity=ALIKE,
    ),
    _stated(
        "l1",
        "Divided by the mean absolute value, each unit has mean 0 and mean absolute value 1.",
        quantity="largest |mean|, |mean absolute value − 1| of (y − β) ÷ γ",
    ),
    _stated(
        "linf",
        "Divided by the largest absolute value, each unit has mean 0 and largest absolute value 1.",
        quantity="largest |mean|, |largest absolute value − 1| of (y − β) ÷ γ",
    ),
    _stated(
        "renorm",
        "Batch renormalization gives r x̂ + d, with σ_B/σ and (μ_B − μ)/σ held between ⅓ and 3 and "
        "±5; in its first 100 steps, x̂.",
        setting=f"{BOTH_WAYS}; running statistics beyond each limit, and within",
        quantity=FROM_FORM,
    ),
    _stated(
        "iternorm-form",
        "IterNorm’s matrix is symmetric, and gives the covariance that five steps of Newton’s "
        "method give of its eigenvalues.",
        quantity=f"{FROM_FORM}, of covariances",
    ),
    _stated(
        "zca-form",
        "The matrix of ZCA is symmetric, and gives the covariance Σ((1 − s)Σ + s v)⁻¹, v the mean "
        "variance of a group of K units, s = (K/m)³.",
        quantity=f"{FROM_FORM}, of covariances",
    ),
    _stated(
        "ablated-parts",
        "BN taken apart is γ(x − μ) + β without the variance and γx/σ + β without the mean.",
        quantity=FROM_FORM,
    ),
    _stated(
        "noisy",
        "Noisy BN is s times that of BN plus m, s and m not of x; in inference mode 1.125 times.",
        quantity=FROM_FORM,
    ),
    _stated(
        "noisy-spread",
        "The noise of noisy BN has the means and deviations that Santurkar et al. 2018 give, of "
        "units and of values around them.",
        setting=f"{UNITS} units, 60 examples, {e02_draws.STEPS} steps",
        quantity="largest |found − stated| ÷ stated deviation",
        expected=at_most(0.1),
    ),
    _stated(
        "dropout",
        "Dropout makes of each value 0 or the value ÷ (1 − p), and the same of its gradient; in "
        "inference mode it changes nothing.",
        setting=f"{BOTH_WAYS}; {e02_draws.RATES_WORDS}",
        quantity="largest difference ÷ |x|, ÷ |g|",
    ),
    _stated(
        "dropout-mean",
        "Over many steps dropout leaves the mean of a value as it is.",
        setting=f"{UNITS} units, 60 examples, {e02_draws.STEPS} steps, {e02_draws.RATES_WORDS}",
        quantity="Σ|y| ÷ Σ|x|, of both the one further from 1",
        expected=about(1, 0.02),
    ),
    _stated(
        "others-autograd",
        "The gradients of these norms, and of dropout, are those of automatic differentiation.",
        quantity="largest difference ÷ largest gradient, by x, γ and β",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    return {
        "layer": _alike(cases(seed, "layer"), 1),
        "rms": max(map(_rms, cases(seed, "rms"))),
        "group": _alike(cases(seed, "group", groups=GROUPS), GROUPS),
        "instance": _alike(cases(seed, "instance", SHAPES[1:]), UNITS),
        "l1": _lengths(seed, "l1"),
        "linf": _lengths(seed, "linf"),
        "renorm": _renorm(seed),
        "iternorm-form": max(map(_newton, cases(seed, "iternorm"))),
        "zca-form": max(map(_zca, cases(seed, "zca"))),
        "ablated-parts": _parts(seed),
        **e02_draws.measure(seed),
        "others-autograd": max(map(_from_autograd, _every(seed))),
    }


def _every(seed: int) -> list[Case]:
    """All that have a gradient of their own; plain BN has statements of its own."""
    names = ("layer", "rms", "l1", "linf", "iternorm", "zca", "noisy", "dropout")
    found = [each for name in names for each in cases(seed, name)]
    for statistics in ("mean", "variance"):
        found += cases(seed, "ablated", statistics=statistics)
    found += [*cases(seed, "group", groups=GROUPS), *cases(seed, "instance", SHAPES[1:])]
    return found + _renormed(seed, LATE)


def _from_autograd(case: Case) -> float:
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
        off(found, theirs)
        for each in case.passes()
        for found, theirs in zip((each.dx, *each.gradients.values()), expected, strict=True)
    )


def _alike(found: list[Case], groups: int) -> float:
    worst = 0.0
    for values in (each for case in found for each in case.normalized()):
        rows = values.reshape(len(values), groups, -1)
        worst = max(worst, far(rows.mean(2)), far((rows * rows).mean(2) - 1))
    return worst


def _rms(case: Case) -> float:
    rows = case.x.flatten(1)
    size = (rows * rows).mean(1, keepdim=True).sqrt()
    found = [each.flatten(1) for each in case.normalized()]
    return max(max(far((each * each).mean(1) - 1), off(each * size, rows)) for each in found)


def _lengths(seed: int, name: str) -> float:
    worst = 0.0
    for values in (each for case in cases(seed, name) for each in case.normalized()):
        units = values.transpose(0, 1).flatten(1)
        size = units.abs().mean(1) if name == "l1" else units.abs().amax(1)
        worst = max(worst, far(units.mean(1)), far(size - 1))
    return worst


def _renormed(seed: int, step: int) -> list[Case]:
    """Running statistics so far off at some units that every limit is met."""
    found = cases(seed, "renorm")
    for case in found:
        (mean, std), running = case.moments, case.norm.buffers
        apart = torch.linspace(-1, 1, UNITS, dtype=torch.float64)
        running["running_std"].copy_(std * torch.exp(2 * apart))
        running["running_mean"].copy_(mean + 8 * apart.flip(0) * running["running_std"])
        case.norm.step = step
    return found


def _renorm(seed: int) -> float:
    worst = 0.0
    for step, most_r, most_d in ((0, 1.0, 0.0), (PLAIN, 1.0, 0.0), (LATE, MOST_R, MOST_D)):
        for case in _renormed(seed, step):
            (mean, std), running = case.moments, case.norm.buffers
            r = (std / running["running_std"]).clamp(1 / most_r, most_r)
            d = ((mean - running["running_mean"]) / running["running_std"]).clamp(-most_d, most_d)
            form = case.standardized * by_feature(r, case.x) + by_feature(d, case.x)
            worst = max(worst, case.far_from(form))
    return worst


def _newton(case: Case) -> float:
    def gain(spectrum: Tensor, count: int) -> Tensor:
        scaled, power = spectrum / spectrum.sum(), torch.ones_like(spectrum)
        for _ in range(NEWTON_STEPS):
            power = (3 * power - power**3 * scaled) / 2
        return scaled * power * power

    return _covariance_off(case, gain)


def _zca(case: Case) -> float:
    def gain(spectrum: Tensor, count: int) -> Tensor:
        share = (len(spectrum) / count) ** 3
        return spectrum / ((1 - share) * spectrum + share * spectrum.mean())

    return _covariance_off(case, gain)


def _covariance_off(case: Case, gain: Callable[[Tensor, int], Tensor]) -> float:
    """The covariance after whitening beside that with these eigenvalues, group by group."""
    worst, values = 0.0, _by_unit(case.x)
    for found in map(_by_unit, case.normalized()):
        for start in range(0, UNITS, UNITS // 2):
            before, after = (each[start : start + UNITS // 2] for each in (values, found))
            spectrum, vectors = torch.linalg.eigh(before.cov(correction=0))
            form = (vectors * gain(spectrum, before.shape[1])) @ vectors.T
            mixed = torch.cat((before, after)).cov(correction=0)[: UNITS // 2, UNITS // 2 :]
            whitening = torch.linalg.solve(before.cov(correction=0), mixed)
            worst = max(worst, off(after.cov(correction=0), form), off(whitening, whitening.T))
    return worst


def _parts(seed: int) -> float:
    worst = 0.0
    for statistics in ("mean", "variance"):
        for case in cases(seed, "ablated", statistics=statistics):
            mean, std = (by_feature(each, case.x) for each in case.moments)
            worst = max(
                worst, case.far_from(case.x - mean if statistics == "mean" else case.x / std)
            )
    return worst


def _by_unit(values: Tensor) -> Tensor:
    return values.transpose(0, 1).flatten(1)
