"""Batch normalization with ℓp norms instead of the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from bnviz.norms.axes import (
    batch_axes,
    by_feature,
    require_batch,
    scale_and_shift,
    values_per_feature,
)
from bnviz.norms.base import CentredNorm, Initial, Tensors


@dataclass(frozen=True)
class LpCache:
    """Values for the backward pass; `inverse` is 1 / √(length² + ε) [D]."""

    normalized: Tensor
    centred: Tensor
    mean: Tensor
    length: Tensor
    inverse: Tensor
    training: bool


class LpNorm(CentredNorm):
    """Centring of each unit over the mini-batch and division by its average ℓp norm.

    y = γ (x − μ)/√(n² + ε) + β. The length n of a unit (or feature map) is the mean of |x − μ| for
    p = 1, and the largest |x − μ| for p = ∞. With p = 2, n would be the standard deviation, as in
    batch normalization. Inference mode uses running averages of μ and n.

    The paper gives no formula. It fixes the mean "as BatchNorm does" and divides by "the average of
    their ℓp-norm (before shifting the mean)", which could also mean the norm before centring. Here
    values are centred first, so that a bias before the norm has no effect.
    """

    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0, "running_length": 1.0}

    label: ClassVar[str]

    @abstractmethod
    def _length(self, size: Tensor) -> Tensor:
        """Return the length [D] from the absolute values of the centred x."""

    @abstractmethod
    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        """Return the length's derivative with respect to each absolute value."""

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, LpCache]:
        if training:
            require_batch(x, f"{self.label} normalization")
            mean = x.mean(batch_axes(x))
            centred = x - by_feature(mean, x)
            length = self._length(centred.abs())
        else:
            mean, length = self.buffers["running_mean"], self.buffers["running_length"]
            centred = x - by_feature(mean, x)
        inverse = (length * length + self.eps).rsqrt()
        normalized = centred * by_feature(inverse, x)
        cache = LpCache(normalized, centred, mean, length, inverse, training)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: LpCache) -> Tensor:
        """dx = dc − mean dc with dc = (g − (n/√(n² + ε)) · Σ(g · x̂) · ∂n/∂c) / √(n² + ε).

        Here g = γ dy and c = x − μ. For p = ∞, equally large values share the gradient.
        """
        self._parameter_gradients(dy, cache.normalized)
        g = scale_and_shift(dy, self.gamma, None)
        if not cache.training:
            return g * by_feature(cache.inverse, g)
        axes = batch_axes(g)
        pull = (g * cache.normalized).sum(axes) * cache.length * cache.inverse
        slope = self._length_gradient(cache.centred.abs(), cache.length) * cache.centred.sign()
        dcentred = (g - by_feature(pull, g) * slope) * by_feature(cache.inverse, g)
        return dcentred - by_feature(dcentred.mean(axes), g)

    def batch_statistics(self, cache: LpCache) -> Tensors:
        return {"running_mean": cache.mean, "running_length": cache.length}

    def _inverse_length(self) -> Tensor:
        length = self.buffers["running_length"]
        return (length * length + self.eps).rsqrt()


class L1Norm(LpNorm):
    """`LpNorm` with p = 1, which divides by the mean absolute value."""

    name = "l1"
    label = "ℓ1"

    def _length(self, size: Tensor) -> Tensor:
        return size.mean(batch_axes(size))

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return torch.full_like(size, 1 / values_per_feature(size))


class LInfNorm(LpNorm):
    """`LpNorm` with p = ∞, which divides by the largest absolute value."""

    name = "linf"
    label = "ℓ∞"

    def _length(self, size: Tensor) -> Tensor:
        return size.amax(batch_axes(size))

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        largest = (size == by_feature(length, size)).to(size.dtype)
        return largest / by_feature(largest.sum(batch_axes(size)), size)
