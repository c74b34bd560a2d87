"""Batch normalization followed by random shifts and scales of its result."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import NormLayers, Tensors
from bnviz.norms.batch import BatchCache, BatchNorm
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels, Shared, on_device, share

# Noise of Santurkar et al. 2018. The shift and scale of a unit are uniform in these ranges and
# constant within a step. Around these values of its unit, the shift of each value is uniform within
# ±VALUE_SHIFT, and its scale is normal with standard deviation VALUE_STRETCH.
UNIT_SHIFT = (-0.5, 0.5)
UNIT_STRETCH = (1.0, 1.25)
VALUE_SHIFT = 0.1
VALUE_STRETCH = 0.1
MEAN_STRETCH = sum(UNIT_STRETCH) / 2


class NoisyCache(NamedTuple):
    """Cache of batch normalization, and the random scale of its result."""

    batch: BatchCache
    stretch: Tensor | float


class NoisyBatchNorm(BatchNorm):
    """Batch normalization with a random scale and shift of its result (Santurkar et al. 2018).

    In training mode y = s · BN(x) + m. Every value has its own s ~ N(σ, 0.1) and m ~ U(μ − 0.1, μ +
    0.1). Every unit (or feature map) has its own σ ~ U(1, 1.25) and μ ~ U(−0.5, 0.5) per step.
    Repeated passes at one step draw the same noise. Inference mode uses the running statistics and
    the mean of the noise: y = 1.125 · BN(x).
    """

    name = "noisy"
    stackable = False  # Each network draws its own noise.

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return NoisyKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        y, cache = super().forward(x, training=training)
        if not training:
            return y * MEAN_STRETCH, NoisyCache(cache, MEAN_STRETCH)
        stretch, shift = (
            on_device(values, x.device, x.dtype)
            for values in draw_noise(self.random(), tuple(x.shape))
        )
        return y * stretch + shift, NoisyCache(cache, stretch)

    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        return super().backward(dy * cache.stretch, cache.batch)

    def batch_statistics(self, cache: Any) -> Tensors:
        return super().batch_statistics(cache.batch)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        scale = self.inference_jacobian(self.buffers["running_mean"])
        shift = -self.buffers["running_mean"] * scale
        return scale, shift if self.beta is None else shift + MEAN_STRETCH * self.beta

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        return super().inference_jacobian(x_row) * MEAN_STRETCH


class NoisyKernels(BatchKernels):
    """Kernels for all noisy batch norms of one network, for one mini-batch size."""

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
        np.multiply(dy.array, self._stretches[layer], out=self._stretched.array)
        super().backward(layer, self._stretched, dx)


def draw_noise(
    generator: np.random.Generator, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a scale and a shift for every value, float32 [N, D] or [N, C, H, W]."""
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
