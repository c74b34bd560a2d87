"""Batch normalization by other lengths than the standard deviation (Santurkar et al. 2018)."""

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
    """What the backward pass needs.

    Attributes:
        normalized: x̂, the shape of x.
        centred: x − μ, the shape of x.
        mean: of the batch, or the running one [D].
        length: of the batch, or the running one [D].
        inverse: 1 / √(length² + ε) [D].
        training: whether the statistics are the batch's own.
    """

    normalized: Tensor
    centred: Tensor
    mean: Tensor
    length: Tensor
    inverse: Tensor
    training: bool


class LpNorm(CentredNorm):
    """Each unit is centred over the mini-batch and divided by its average ℓp norm.

    y = γ (x − μ)/√(n² + ε) + β. The length n is that of the centred values of a unit (or feature
    map) in the mini-batch: with p = 1 the mean of |x − μ|, with p = ∞ the largest |x − μ|; with
    p = 2 it would be the standard deviation, and this batch normalization. Inference mode uses
    running averages of μ and n.

    The paper has no formula. It fixes the mean "as BatchNorm does" and divides by "the average of
    their ℓp-norm (before shifting the mean)", which can also be read as the length of the values
    as they are before centring; centred ones are used here, so that a bias before the norm changes
    nothing.
    """

    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0, "running_length": 1.0}

    label: ClassVar[str]

    @abstractmethod
    def _length(self, size: Tensor) -> Tensor:
        """Length [D] of each unit's centred values, from their absolute values."""

    @abstractmethod
    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        """Derivative of the length by each absolute value, the shape of x."""

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, LpCache]:
        """Normalize with the batch's statistics (training) or the running ones (inference).

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
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
        """The exact gradient, through the length and the mean.

        With g = γ dy and c = x − μ: dc = (g − (n/√(n² + ε)) · Σ(g · x̂) · ∂n/∂c) / √(n² + ε), and
        dx = dc − mean dc. Where several values are the largest, they share p = ∞'s gradient.
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
        """The batch's mean and length."""
        return {"running_mean": cache.mean, "running_length": cache.length}

    def _inverse_length(self) -> Tensor:
        length = self.buffers["running_length"]
        return (length * length + self.eps).rsqrt()


class L1Norm(LpNorm):
    """`LpNorm` with p = 1: divided by the mean absolute value."""

    name = "l1"
    label = "ℓ1"

    def _length(self, size: Tensor) -> Tensor:
        return size.mean(batch_axes(size))

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return torch.full_like(size, 1 / values_per_feature(size))


class LInfNorm(LpNorm):
    """`LpNorm` with p = ∞: divided by the largest absolute value."""

    name = "linf"
    label = "ℓ∞"

    def _length(self, size: Tensor) -> Tensor:
        return size.amax(batch_axes(size))

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        largest = (size == by_feature(length, size)).to(size.dtype)
        return largest / by_feature(largest.sum(batch_axes(size)), size)
