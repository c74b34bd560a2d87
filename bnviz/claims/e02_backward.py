"""E2: batch normalization's exact backward pass (Ioffe & Szegedy 2015, section 3)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import batch_norm, cross_entropy

from bnviz.claims import e02_other_norms
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest, largest_of_each, off
from bnviz.claims.runs import begin_exact, mlp, normal
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    at_most,
    calculated,
    in_lab,
    quoted,
)
from bnviz.claims.torch_network import torch_network
from bnviz.norms.ablated import AblatedBatchNorm
from bnviz.norms.axes import batch_axes, by_feature
from bnviz.norms.batch import BatchCache, batch_norm_backward, batch_norm_forward
from bnviz.training.fast import FastPass

SHAPES = ((7, 5), (64, 100), (6, 5, 4, 3))
NETWORK: KnobValues = {"depth": 3, "width": 32}
ABLATED: KnobValues = {**NETWORK, "norms": ("batch", "ablated"), "ablation_gradient": False}
EXACT = at_most(1e-12)

STATEMENTS = (
    quoted("forward", EXACT, TIMES),
    quoted("autograd", EXACT, TIMES),
    calculated("network", at_most(1e-11), TIMES, in_lab(NETWORK, "gradients", 0)),
    calculated("sums", EXACT, TIMES),
    quoted("norm", EXACT, TIMES),
    quoted("without-mean", EXACT, TIMES),
    calculated("without-variance", EXACT, TIMES),
    calculated("ablated", EXACT, TIMES, in_lab(ABLATED, "gradients", 0)),
)


def measure(seed: int) -> ClaimValues:
    generator = random_numbers(seed, 2)
    values = largest_of_each([_on_numbers(generator, shape) for shape in SHAPES])
    return {**values, "network": _network(seed)}


def _on_numbers(generator: np.random.Generator, shape: tuple[int, ...]) -> ClaimValues:
    x, g = (normal(generator, *shape) for _ in range(2))
    gamma, beta = (normal(generator, shape[1]) for _ in range(2))
    _, cache = batch_norm_forward(x, gamma, beta, 0.0)
    dx, _, _ = batch_norm_backward(g, cache)
    return {
        **_beside_torch(x, gamma, beta, g),
        "sums": _left_over(dx, cache),
        "norm": _norm_identity(dx, g, cache),
        **_missing(x, gamma, g, dx, cache),
    }


def _beside_torch(x: Tensor, gamma: Tensor, beta: Tensor, g: Tensor) -> ClaimValues:
    leaves = [part.clone().requires_grad_() for part in (x, gamma, beta)]
    with torch.enable_grad():
        y = batch_norm(leaves[0], None, None, leaves[1], leaves[2], training=True, eps=1e-5)
        gradients = torch.autograd.grad(y, leaves, g)
    ours, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    return {
        "forward": off(ours, y.detach()),
        "autograd": max(map(off, batch_norm_backward(g, cache), gradients)),
    }


def _network(seed: int) -> float:
    """Return the training pass's largest gradient error compared with torch's layers."""
    experiment = begin_exact(seed, {**NETWORK, "norms": ("batch",)})
    network, (inputs, labels) = mlp(experiment, "batch"), experiment.freeze().batch
    generator = random_numbers(seed, 2)
    for name, value in network.parameters().items():
        if name.endswith(("gamma", "beta")):
            value.copy_(normal(generator, *value.shape))
    twin, names = torch_network(network)
    with torch.enable_grad():
        loss = cross_entropy(twin(inputs), labels)
        expected = torch.autograd.grad(loss, list(twin.parameters()))
    gradient = torch.zeros_like(network.flat)
    training = FastPass(network, gradient, len(labels))
    training.forward(inputs.numpy(), labels.numpy())
    training.backward()
    views = network.views(gradient)
    return max(off(views[name], theirs) for name, theirs in zip(names, expected, strict=True))


def _left_over(dx: Tensor, cache: BatchCache) -> float:
    axes = batch_axes(dx)
    along = (dx * cache.normalized).sum(axes).abs()
    return float(torch.maximum(dx.sum(axes).abs(), along).div(dx.abs().sum(axes)).max())


def _norm_identity(dx: Tensor, g: Tensor, cache: BatchCache) -> float:
    axes = batch_axes(dx)
    assert cache.gamma is not None
    mean_part = g.sum(axes) ** 2 / cache.count
    spread_part = (g * cache.normalized).sum(axes) ** 2 / cache.count
    factor = (cache.gamma * cache.inverse_std) ** 2
    expected = factor * ((g * g).sum(axes) - mean_part - spread_part)
    actual = (dx * dx).sum(axes)
    return largest((actual - expected) / actual)


def _missing(x: Tensor, gamma: Tensor, g: Tensor, dx: Tensor, cache: BatchCache) -> ClaimValues:
    """Return the errors of closed forms for the gradient terms that are missing if statistics are
    treated as constants.
    """
    axes, normalized = batch_axes(x), cache.normalized
    scale = by_feature(cache.inverse_std * gamma, x)
    mean_part = scale * by_feature(g.mean(axes), x)
    variance_part = scale * normalized * by_feature((g * normalized).mean(axes), x)
    norm = AblatedBatchNorm(x.shape[1], differentiated=False, eps=0.0, dtype=x.dtype)
    norm.parameters["gamma"].copy_(gamma)
    _, ablated = norm.forward(x, training=True)

    def unlike(gradient: Tensor, missing: Tensor) -> float:
        return largest(gradient - dx - missing) / largest(gradient)

    return {
        "without-mean": unlike(_with_constant("mean", x, gamma, g), mean_part),
        "without-variance": unlike(_with_constant("variance", x, gamma, g), variance_part),
        "ablated": unlike(norm.backward(g, ablated), mean_part + variance_part),
    }


def _with_constant(constant: str, x: Tensor, gamma: Tensor, g: Tensor) -> Tensor:
    """Return torch's gradient with respect to x if the mean or the variance is a constant."""
    leaf, axes = x.clone().requires_grad_(), batch_axes(x)
    with torch.enable_grad():
        mean = leaf.mean(axes)
        centred = leaf - by_feature(mean.detach() if constant == "mean" else mean, x)
        variance = (centred * centred).mean(axes)
        variance = variance.detach() if constant == "variance" else variance
        y = by_feature(gamma, x) * centred / by_feature(variance, x).sqrt()
        (gradient,) = torch.autograd.grad(y, leaf, g)
    return gradient


CLAIM = Claim(
    (*STATEMENTS, *e02_other_norms.STATEMENTS),
    measure,
    parts={e02_other_norms.PART: e02_other_norms.measure},
    other_numbers=e02_other_norms.NUMBERS,
)
