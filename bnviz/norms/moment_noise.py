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

# Lower limit of the noisy standard deviation, as a share of the running average. Normal noise could
# make the standard deviation negative: in mini-batches of two, once in 44 draws.
SMALLEST_SHARE = 0.1


@dataclass(frozen=True)
class MomentNoiseCache:
    """Cache of a pass with noisy running averages, and the mini-batch's own statistics [D]."""

    applied: BatchCache
    mean: Tensor
    var: Tensor
    count: int


class MomentNoise(BatchNorm):
    """Running averages with sampling noise in training (Teye et al. 2018; Luo et al. 2018).

    In training mode y = γ (x − μ′)/σ′ + β with μ′ = μ + σ/√m · e₁ and σ′ = σ · (1 + e₂/√(2m)). e₁
    and e₂ ~ N(0, 1) are drawn per unit (or feature map) and step, m is the number of examples, and
    μ and σ = √(variance + ε) are the running averages. All are constants for the gradient: dx =
    γ/σ′ · dy. Inference mode is the same as in `BatchNorm`.

    Both papers model a mini-batch's mean and standard deviation as random, N(μ, σ²/m) and N(σ, (ρ +
    2) σ²/4m) with the excess kurtosis ρ. Our choices are: training with this model; ρ = 0, as for
    normal values; running averages instead of population statistics; no gradient through the
    statistics, so that the scale of the weights matters; σ′ ≥ σ/10; and m counts examples in
    feature maps too, because positions of one map are not independent.

    The noise matches m independent values. Above the first layer, BN's own means vary less, because
    the norms below have subtracted the means of the same mini-batch.

    The running averages start at 0 and 1 and need about 1/momentum steps to reach the true values,
    so early steps add noise without normalizing. When an update enlarges a layer's values, the
    averages follow with the same delay. So a network needs a smaller learning rate than with BN.
    """

    name = "moment_noise"
    stackable = False  # Each network draws its own noise.
    _as_batch_norm = False

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return TensorKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
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
        """Switch to ordinary batch normalization."""
        super().use_batch_statistics()
        self._as_batch_norm = True

    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        return super().backward(dy, cache.applied)

    def batch_statistics(self, cache: Any) -> Tensors:
        return {"running_mean": cache.mean, "running_var": unbiased(cache.var, cache.count)}
