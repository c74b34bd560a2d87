"""E2: batch normalization's exact backward pass (Ioffe & Szegedy 2015, section 3)."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.claims.runs import normal, random_numbers
from bnviz.claims.statement import Claim, Statement, at_least, at_most
from bnviz.norms.batch import BatchCache, batch_norm_backward, batch_norm_forward

SHAPES = ((7, 5), (64, 100), (6, 5, 4, 3))

PAPER = "Ioffe & Szegedy 2015"
RANDOM = "float64, random x, γ and g, shapes 7×5, 64×100 and 6×5×4×3"

STATEMENTS = (
    Statement(
        key="autograd",
        text="dx, dγ and dβ are those of automatic differentiation.",
        setting=f"{RANDOM}; ε = 1e-5",
        quantity="largest difference ÷ largest gradient",
        expected=at_most(1e-12),
        source=PAPER,
    ),
    Statement(
        key="sums",
        text="With ε = 0, dx is orthogonal to 1 and to x̂: it neither shifts nor stretches the "
        "batch.",
        setting=f"{RANDOM}; ε = 0",
        quantity="largest |Σdx|, |Σdx·x̂| of a feature ÷ Σ|dx|",
        expected=at_most(1e-12),
        source="calculation",
    ),
    Statement(
        key="norm",
        text="With ε = 0, ‖dx‖² = (γ²/σ²)(‖g‖² − (1ᵀg)²/m − (gᵀx̂)²/m).",
        setting=f"{RANDOM}; ε = 0",
        quantity="largest difference ÷ ‖dx‖² of a feature",
        expected=at_most(1e-12),
        source="Santurkar et al. 2018",
    ),
    Statement(
        key="without-paths",
        text="Without the paths through mean and variance the gradient is another one.",
        setting=f"{RANDOM}; g = x̂ + noise of a tenth, so that it points along x̂",
        quantity="‖(γ/σ) g − dx‖ ÷ ‖dx‖, smallest of the shapes",
        expected=at_least(1),
        source=PAPER,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    generator = random_numbers(seed, 2)
    found: dict[str, list[float]] = {statement.key: [] for statement in STATEMENTS}
    for shape in SHAPES:
        x, g = (normal(generator, *shape) for _ in range(2))
        gamma, beta = (normal(generator, shape[1]) for _ in range(2))
        found["autograd"].append(_from_autograd(x, gamma, beta, g))
        _, cache = batch_norm_forward(x, gamma, beta, 0.0)
        dx, _, _ = batch_norm_backward(g, cache)
        found["sums"].append(_left_over(dx, cache))
        found["norm"].append(_norm_identity(dx, g, cache))
        along = cache.normalized + 0.1 * g
        exact, _, _ = batch_norm_backward(along, cache)
        naive = along * _rows(cache.inverse_std * gamma, x)
        found["without-paths"].append(float((naive - exact).norm() / exact.norm()))
    worst = {key: max(values) for key, values in found.items()}
    return {**worst, "without-paths": min(found["without-paths"])}


def _from_autograd(x: Tensor, gamma: Tensor, beta: Tensor, g: Tensor) -> float:
    leaves = [part.clone().requires_grad_() for part in (x, gamma, beta)]
    with torch.enable_grad():
        y = torch.nn.functional.batch_norm(
            leaves[0], None, None, leaves[1], leaves[2], training=True, eps=1e-5
        )
        expected = torch.autograd.grad(y, leaves, g)
    _, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    return max(
        float((ours - theirs).abs().max() / theirs.abs().max())
        for ours, theirs in zip(batch_norm_backward(g, cache), expected, strict=True)
    )


def _left_over(dx: Tensor, cache: BatchCache) -> float:
    axes = _axes(dx)
    whole = dx.abs().sum(axes)
    along = (dx * cache.normalized).sum(axes).abs()
    return float(torch.maximum(dx.sum(axes).abs(), along).div(whole).max())


def _norm_identity(dx: Tensor, g: Tensor, cache: BatchCache) -> float:
    axes = _axes(dx)
    assert cache.gamma is not None
    mean_part = g.sum(axes) ** 2 / cache.count
    spread_part = (g * cache.normalized).sum(axes) ** 2 / cache.count
    factor = (cache.gamma * cache.inverse_std) ** 2
    expected = factor * ((g * g).sum(axes) - mean_part - spread_part)
    actual = (dx * dx).sum(axes)
    return float(((actual - expected).abs() / actual).max())


def _axes(x: Tensor) -> list[int]:
    return [axis for axis in range(x.ndim) if axis != 1]


def _rows(values: Tensor, x: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


CLAIM = Claim(STATEMENTS, measure)
