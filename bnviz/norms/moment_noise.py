"""Normalization by running averages, with the noise that sampling theory predicts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.axes import batch_axes, by_feature, require_batch
from bnviz.norms.base import NormLayers, TensorKernels, Tensors
from bnviz.norms.batch import BatchCache, BatchNorm, unbiased
from bnviz.norms.kernels import Kernels, on_device

# A standard deviation is estimated as this share of the true one, or more: in a mini-batch of two,
# normal noise would be below 0 once in 44 draws.
SMALLEST_SHARE = 0.1


@dataclass(frozen=True)
class MomentNoiseCache:
    """What the forward pass normalized with, as constants, and the mini-batch's own statistics.

    Attributes:
        applied: of the pass, whose statistics are the running averages with their noise.
        mean: of the mini-batch [D], or the running mean in inference mode.
        var: biased variance of the mini-batch [D], or the running variance in inference mode.
        count: the number of values behind each.
    """

    applied: BatchCache
    mean: Tensor
    var: Tensor
    count: int


class MomentNoise(BatchNorm):
    """Population statistics and noise (Teye et al. 2018; Luo et al. 2018).

    In training mode y = γ (x − μ′)/σ′ + β with μ′ = μ + σ/√m · e₁ and σ′ = σ · (1 + e₂/√(2m)),
    where e₁ and e₂ ~ N(0, 1) are drawn for each unit (or feature map) and step, m is the number of
    examples, and μ and σ = √(variance + ε) are the running averages. All of these are constants to
    the gradient: dx = γ/σ′ · dy. Inference mode is that of `BatchNorm`.

    Both papers take a mini-batch's mean and standard deviation for random numbers around those of
    the population, N(μ, σ²/m) and N(σ, (ρ + 2) σ²/4m) with the excess kurtosis ρ; Luo et al. do so
    to explain what BN regularizes. Ours are: to train with them; ρ = 0, as for normal values; the
    running averages in the place of the population's statistics, which no run knows; that the
    gradient takes all of these for constants, so that the loss depends on the size of the weights,
    whereas the paper's statistics of the population depend on the weights; and that σ′ is at least
    σ/10. In feature maps m counts examples, since the places of one are not independent.

    The errors are as large as sampling theory predicts for m independent values. Above the first
    layer, the means of BN itself vary less, because the norms below have subtracted this
    mini-batch's means.

    The running averages begin with 0 and 1, as those of `BatchNorm`. So the first steps do not
    normalize, they only add noise; after about 1/momentum steps the averages have found the
    values, and follow them with that delay. An update that makes a layer's values larger is not
    divided out in the next pass, as with BN, but only when the averages have followed; so a network
    needs a smaller rate than with BN, and may diverge at one at which BN trains.
    """

    name = "moment_noise"
    stackable = False  # each network draws noise of its own
    _as_batch_norm = False

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """The passes below."""
        return TensorKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize with the running averages, and with noise in training mode.

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
        if self._as_batch_norm or not training:
            y, applied = super().forward(x, training=training)
            return y, MomentNoiseCache(applied, applied.mean, applied.var, applied.count)
        require_batch(x, "Batch normalization")
        mean, var = self.buffers["running_mean"], self.buffers["running_var"]
        m, std = len(x), (var + self.eps).sqrt()
        drawn = self.random().standard_normal((2, self.width), dtype=np.float32)
        of_mean, of_std = on_device(drawn, x.device, x.dtype)
        centre = mean + std * of_mean / math.sqrt(m)
        share = (1 + of_std / math.sqrt(2 * m)).clamp(min=SMALLEST_SHARE)
        inverse_std = (std * share).reciprocal()
        normalized = (x - by_feature(centre, x)) * by_feature(inverse_std, x)
        applied = BatchCache(normalized, centre, var, inverse_std, self.gamma, training=False)
        own_var, own_mean = torch.var_mean(x.detach(), batch_axes(x), correction=0)
        cache = MomentNoiseCache(applied, own_mean, own_var, applied.count)
        return self._scale_and_shift(normalized), cache

    def use_batch_statistics(self) -> None:
        """Be plain batch normalization from now on."""
        super().use_batch_statistics()
        self._as_batch_norm = True

    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """The gradient of `BatchNorm` in inference mode: dx = γ/σ′ · dy."""
        return super().backward(dy, cache.applied)

    def batch_statistics(self, cache: Any) -> Tensors:
        """The mini-batch's mean and unbiased variance."""
        return {"running_mean": cache.mean, "running_var": unbiased(cache.var, cache.count)}
