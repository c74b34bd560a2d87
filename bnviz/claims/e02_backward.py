"""E2: batch normalization's exact backward pass (Ioffe & Szegedy 2015, section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bnviz.claims import e02_others
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import normal
from bnviz.claims.statement import Claim, Kind, Statement, Unit, at_most, in_lab
from bnviz.claims.torch_network import torch_network
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.mlp import MLP
from bnviz.norms.ablated import AblatedBatchNorm
from bnviz.norms.batch import BatchCache, batch_norm_backward, batch_norm_forward
from bnviz.training.fast import FastPass

SHAPES = ((7, 5), (64, 100), (6, 5, 4, 3))
NETWORK: dict[str, Any] = {"depth": 3, "width": 32}


STATEMENTS = (
    Statement(key="forward", expected=at_most(1e-12), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="autograd", expected=at_most(1e-12), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(
        key="network",
        expected=at_most(1e-11),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(NETWORK, ("gradients",), 0),
    ),
    Statement(key="sums", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(key="norm", expected=at_most(1e-12), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="without-mean", expected=at_most(1e-12), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(
        key="without-variance", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES
    ),
    Statement(
        key="ablated",
        expected=at_most(1e-12),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=in_lab(
            {"norms": ("batch", "ablated"), "ablation_gradient": False, **NETWORK},
            ("gradients",),
            0,
        ),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    generator = random_numbers(seed, 2)
    found: dict[str, list[float]] = {
        statement.key: [] for statement in STATEMENTS if statement.key != "network"
    }
    for shape in SHAPES:
        x, g = (normal(generator, *shape) for _ in range(2))
        gamma, beta = (normal(generator, shape[1]) for _ in range(2))
        forward, backward = _beside_torch(x, gamma, beta, g)
        found["forward"].append(forward)
        found["autograd"].append(backward)
        _, cache = batch_norm_forward(x, gamma, beta, 0.0)
        dx, _, _ = batch_norm_backward(g, cache)
        found["sums"].append(_left_over(dx, cache))
        found["norm"].append(_norm_identity(dx, g, cache))
        for key, value in _missing(x, gamma, g, dx, cache).items():
            found[key].append(value)
    return {**{key: max(values) for key, values in found.items()}, "network": _network(seed)}


def _beside_torch(x: Tensor, gamma: Tensor, beta: Tensor, g: Tensor) -> tuple[float, float]:
    """How far y, and the gradients, are from torch's."""
    leaves = [part.clone().requires_grad_() for part in (x, gamma, beta)]
    with torch.enable_grad():
        y = torch.nn.functional.batch_norm(
            leaves[0], None, None, leaves[1], leaves[2], training=True, eps=1e-5
        )
        gradients = torch.autograd.grad(y, leaves, g)
    ours, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    pairs = zip(batch_norm_backward(g, cache), gradients, strict=True)
    return _off(ours, y.detach()), max(_off(found, expected) for found, expected in pairs)


def _off(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).abs().max() / theirs.abs().max())


def _network(seed: int) -> float:
    """The training pass beside torch's layers, of the same weights, on the first mini-batch."""
    experiment = Experiment(RunConfig(norms=("batch",), seed=seed, **NETWORK), dtype=torch.float64)
    network, batch = experiment.networks["batch"], experiment.moment().batch
    assert isinstance(network, MLP)
    generator = random_numbers(seed, 2)
    for name, value in network.parameters().items():
        if name.endswith(("gamma", "beta")):
            value.copy_(normal(generator, *value.shape))
    twin, names = torch_network(network)
    with torch.enable_grad():
        loss = torch.nn.functional.cross_entropy(twin(batch[0]), batch[1])
        expected = torch.autograd.grad(loss, list(twin.parameters()))
    gradient = torch.zeros_like(network.flat)
    training = FastPass(network, gradient, len(batch[1]))
    training.forward(batch[0].numpy(), batch[1].numpy())
    training.backward()
    views = network.views(gradient)
    return max(_off(views[name], theirs) for name, theirs in zip(names, expected, strict=True))


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


def _missing(
    x: Tensor, gamma: Tensor, g: Tensor, dx: Tensor, cache: BatchCache
) -> dict[str, float]:
    """What the gradient lacks where statistics are constants, against the closed forms."""
    axes, normalized = _axes(x), cache.normalized
    scale = _rows(cache.inverse_std * gamma, x)
    mean_part = (scale * _rows(g.mean(axes), x)).expand_as(x)
    spread_part = scale * normalized * _rows((g * normalized).mean(axes), x)
    norm = AblatedBatchNorm(x.shape[1], differentiated=False, eps=0.0, dtype=x.dtype)
    norm.parameters["gamma"].copy_(gamma)
    _, ablated = norm.forward(x, training=True)

    def off(found: Tensor, expected: Tensor) -> float:
        return float((found - dx - expected).abs().max() / found.abs().max())

    return {
        "without-mean": off(_with_constants(x, gamma, g, mean=Tensor.detach), mean_part),
        "without-variance": off(_with_constants(x, gamma, g, var=Tensor.detach), spread_part),
        "ablated": off(norm.backward(g, ablated), mean_part + spread_part),
    }


def _kept(values: Tensor) -> Tensor:
    return values


def _with_constants(
    x: Tensor,
    gamma: Tensor,
    g: Tensor,
    *,
    mean: Callable[[Tensor], Tensor] = _kept,
    var: Callable[[Tensor], Tensor] = _kept,
) -> Tensor:
    """torch's gradient by x, where mean or variance go through `mean` or `var` first."""
    leaf = x.clone().requires_grad_()
    with torch.enable_grad():
        centred = leaf - _rows(mean(leaf.mean(_axes(x))), x)
        spread = var((centred * centred).mean(_axes(x)))
        y = _rows(gamma, x) * centred / _rows(spread, x).sqrt()
        (found,) = torch.autograd.grad(y, leaf, g)
    return found


def _axes(x: Tensor) -> list[int]:
    return [axis for axis in range(x.ndim) if axis != 1]


def _rows(values: Tensor, x: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


CLAIM = Claim(
    (*STATEMENTS, *e02_others.STATEMENTS),
    measure,
    parts={e02_others.PART: e02_others.measure},
    numbers=e02_others.NUMBERS,
)
