"""Batch normalization followed by noise: distributions that shift although they are normalized."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import NormLayers, Tensors
from bnviz.norms.batch import BatchCache, BatchNorm
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels, Shared, on_device, share

# The noise of Santurkar et al. 2018: a unit's shift within a step, and its stretch, are drawn from
# these ranges; around them the shift of each value is uniform within ±VALUE_SHIFT, and its stretch
# normal with standard deviation VALUE_STRETCH.
UNIT_SHIFT = (-0.5, 0.5)
UNIT_STRETCH = (1.0, 1.25)
VALUE_SHIFT = 0.1
VALUE_STRETCH = 0.1
MEAN_STRETCH = sum(UNIT_STRETCH) / 2


class NoisyCache(NamedTuple):
    """Of batch normalization, and what its result was multiplied by."""

    batch: BatchCache
    stretch: Tensor | float


class NoisyBatchNorm(BatchNorm):
    """Batch normalization whose result is stretched and shifted at random (Santurkar et al. 2018).

    In training mode y = s · BN(x) + m, where every value has its own s ~ N(σ, 0.1) and
    m ~ U(μ − 0.1, μ + 0.1), around a σ ~ U(1, 1.25) and a μ ~ U(−0.5, 0.5) that a unit (or feature
    map) has for one step. The same step draws the same noise, however often it is asked for.
    Inference mode has the running statistics, and of the noise its mean: y = 1.125 · BN(x).
    """

    name = "noisy"
    stackable = False  # each network draws noise of its own

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """The fast pass of batch normalization, and the noise."""
        return NoisyKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize as `BatchNorm` does, then add the noise (training) or its mean (inference).

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
        y, cache = super().forward(x, training=training)
        if not training:
            return y * MEAN_STRETCH, NoisyCache(cache, MEAN_STRETCH)
        stretch, shift = (
            on_device(values, x.device, x.dtype)
            for values in draw_noise(self.random(), tuple(x.shape))
        )
        return y * stretch + shift, NoisyCache(cache, stretch)

    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """The gradient of `BatchNorm` by dy · s."""
        return super().backward(dy * cache.stretch, cache.batch)

    def batch_statistics(self, cache: Any) -> Tensors:
        """As `BatchNorm`."""
        return super().batch_statistics(cache.batch)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """That of `BatchNorm`, times 1.125."""
        scale = self.inference_jacobian(self.buffers["running_mean"])
        shift = -self.buffers["running_mean"] * scale
        return scale, shift if self.beta is None else shift + MEAN_STRETCH * self.beta

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """The diagonal 1.125 · γ / √(running variance + ε) [D]."""
        return super().inference_jacobian(x_row) * MEAN_STRETCH


class NoisyKernels(BatchKernels):
    """All noisy batch norms of one network, for mini-batches of one size."""

    def __init__(self, layers: NormLayers) -> None:
        super().__init__(layers)
        norms = layers.norms
        self._stretches: list[np.ndarray] = [np.empty(0)] * len(norms)
        self._stretched = share(torch.empty(layers.batch, norms[0].width, dtype=norms[0].dtype))

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """y = s · BN(x) + m."""
        super().forward(layer, x, y)
        stretch, shift = draw_noise(self._norms[layer].random(), x.array.shape)
        self._stretches[layer] = stretch
        np.multiply(y.array, stretch, out=y.array)
        np.add(y.array, shift, out=y.array)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """The gradient of batch normalization by dy · s."""
        np.multiply(dy.array, self._stretches[layer], out=self._stretched.array)
        super().backward(layer, self._stretched, dx)


def draw_noise(
    generator: np.random.Generator, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Stretch and shift of every value, float32, of the given shape [N, D] or [N, C, H, W]."""
    units = (1, shape[1], *[1] * (len(shape) - 2))
    unit_shift = generator.uniform(*UNIT_SHIFT, units).astype(np.float32)
    unit_stretch = generator.uniform(*UNIT_STRETCH, units).astype(np.float32)
    shift = generator.random(shape, dtype=np.float32)
    shift *= 2 * VALUE_SHIFT
    shift += unit_shift - np.float32(VALUE_SHIFT)
    stretch = generator.standard_normal(shape, dtype=np.float32)
    stretch *= VALUE_STRETCH
    stretch += unit_stretch
    return stretch, shift
