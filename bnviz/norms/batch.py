"""Batch normalization: Algorithms 1 and 2 of Ioffe & Szegedy 2015, with the exact gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.axes import (
    batch_axes,
    by_feature,
    require_batch,
    scale_and_shift,
    values_per_feature,
)
from bnviz.norms.base import CentredNorm, Initial, NormLayers, Tensors
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels, on_numpy


@dataclass(frozen=True)
class BatchCache:
    """Values for the backward pass; at inference, `mean` and `var` are running statistics."""

    normalized: Tensor
    mean: Tensor
    var: Tensor
    inverse_std: Tensor
    gamma: Tensor | None
    training: bool = True

    @property
    def count(self) -> int:
        """Number of values that each mean averages."""
        return values_per_feature(self.normalized)


def batch_norm_forward(
    x: Tensor, gamma: Tensor | None, beta: Tensor | None, eps: float
) -> tuple[Tensor, BatchCache]:
    """Normalize each feature over the batch, then scale and shift it.

    y = γ (x − μ) / √(σ² + ε) + β, with the biased variance σ² (Ioffe & Szegedy 2015, Alg. 1).

    Args:
        x: [N, D], normalized over N; or [N, C, H, W], normalized over N, H and W.
        gamma: [D] or [C], or None for 1.
        beta: [D] or [C], or None for 0.
    """
    if _on_numpy(x, gamma, beta):
        y, normalized, mean, var, inverse_std = _forward_arrays(x, gamma, beta, eps)
        return y, BatchCache(normalized, mean, var, inverse_std, gamma)
    axes = batch_axes(x)
    mean = x.mean(axes)
    centred = x - by_feature(mean, x)
    var = (centred * centred).mean(axes)
    inverse_std = (var + eps).rsqrt()
    normalized = centred * by_feature(inverse_std, x)
    cache = BatchCache(normalized, mean, var, inverse_std, gamma)
    return scale_and_shift(normalized, gamma, beta), cache


def batch_norm_backward(dy: Tensor, cache: BatchCache) -> tuple[Tensor, Tensor, Tensor]:
    """Return dx, dγ [D] and dβ [D], including the gradients through mean and variance.

    dx = (γ/σ)(dy − mean dy − x̂ · mean(dy · x̂)), dγ = Σ dy · x̂, dβ = Σ dy. In inference mode the
    statistics are constants: dx = (γ/σ) dy.
    """
    scale = cache.inverse_std if cache.gamma is None else cache.inverse_std * cache.gamma
    if cache.training and _on_numpy(dy, cache.normalized, scale):
        return _backward_arrays(dy, cache.normalized, scale)
    axes = batch_axes(dy)
    dgamma = (dy * cache.normalized).sum(axes)
    dbeta = dy.sum(axes)
    if cache.training:
        mean_dy = by_feature(dbeta / cache.count, dy)
        mean_product = by_feature(dgamma / cache.count, dy)
        dy = dy - mean_dy - cache.normalized * mean_product
    return dy * by_feature(scale, dy), dgamma, dbeta


def _on_numpy(x: Tensor, *others: Tensor | None) -> bool:
    """Return whether NumPy can be used, which takes half of torch's time on small arrays."""
    return x.ndim == 2 and on_numpy(x, *(part for part in others if part is not None))


def _forward_arrays(
    x: Tensor, gamma: Tensor | None, beta: Tensor | None, eps: float
) -> Iterator[Tensor]:
    """Return y, x̂, mean, variance and inverse standard deviation for x [N, D]."""
    values, average = x.numpy(), _average(x)
    with np.errstate(all="ignore"):
        mean = average @ values
        normalized = values - mean
        var = average @ (normalized * normalized)
        inverse_std = 1 / np.sqrt(var + values.dtype.type(eps))
        normalized *= inverse_std
        y = normalized if gamma is None else normalized * gamma.numpy()
        y = y if beta is None else y + beta.numpy()
    return map(torch.from_numpy, (y, normalized, mean, var, inverse_std))


def _backward_arrays(
    dy: Tensor, normalized: Tensor, scale: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return dx, dγ and dβ for dy [N, D] in training mode."""
    slope, x, average = dy.numpy(), normalized.numpy(), _average(dy)
    with np.errstate(all="ignore"):
        mean_product, mean_dy = average @ (slope * x), average @ slope
        dx = x * mean_product
        dx += mean_dy
        np.subtract(slope, dx, out=dx)
        dx *= scale.numpy()
        dgamma, dbeta = mean_product * len(x), mean_dy * len(x)
    return torch.from_numpy(dx), torch.from_numpy(dgamma), torch.from_numpy(dbeta)


def _average(x: Tensor) -> np.ndarray:
    """Return a row of 1/N, with which BLAS computes means faster than NumPy sums columns."""
    dtype = x.numpy().dtype
    return np.full(len(x), 1 / len(x), dtype)


def unbiased(var: Tensor, count: int) -> Tensor:
    """Return m/(m − 1) · var for m values (Ioffe & Szegedy 2015, Alg. 2)."""
    return var * (count / max(count - 1, 1))


class BatchNorm(CentredNorm):
    """Batch normalization of a layer's units or feature maps.

    Training mode uses the batch's mean and biased variance. Inference mode uses running averages.
    As in torch, they hold the unbiased variance: running ← (1 − m)·running + m·new.
    """

    name = "batch"
    stackable = True
    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0, "running_var": 1.0}

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return BatchKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, BatchCache]:
        if training:
            require_batch(x, "Batch normalization")
            return batch_norm_forward(x, self.gamma, self.beta, self.eps)
        mean, var = self.buffers["running_mean"], self.buffers["running_var"]
        inverse_std = (var + self.eps).rsqrt()
        normalized = (x - by_feature(mean, x)) * by_feature(inverse_std, x)
        cache = BatchCache(normalized, mean, var, inverse_std, self.gamma, training=False)
        return scale_and_shift(normalized, self.gamma, self.beta), cache

    def backward(self, dy: Tensor, cache: BatchCache) -> Tensor:
        dx, dgamma, dbeta = batch_norm_backward(dy, cache)
        found = {"gamma": dgamma, "beta": dbeta}
        self.gradients = {name: found[name] for name in self.parameters}
        return dx

    def batch_statistics(self, cache: BatchCache) -> Tensors:
        return {"running_mean": cache.mean, "running_var": unbiased(cache.var, cache.count)}

    def _inverse_length(self) -> Tensor:
        return (self.buffers["running_var"] + self.eps).rsqrt()
