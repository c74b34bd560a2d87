"""Ablations of batch normalization, which leave out one or more of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Unpack

import torch
from torch import Tensor

from bnviz.norms.axes import (
    batch_axes,
    by_feature,
    require_batch,
    scale_and_shift,
    values_per_feature,
)
from bnviz.norms.base import CentredNorm, NormLayers, NormOptions, TensorKernels, Tensors
from bnviz.norms.batch import BatchNorm, unbiased
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels


@dataclass(frozen=True)
class AblatedCache:
    """Values for the backward pass. `mean` and `var` are running statistics at inference.

    Attributes:
        normalized: values before γ and β, with the shape of x.
        standardized: (x − μ)/√(σ² + ε), even if `normalized` leaves out a part.
        scale: factor applied to x [D], or 1 if the norm does not divide.
        follows_statistics: whether the gradient passes through the statistics.
    """

    normalized: Tensor
    standardized: Tensor
    mean: Tensor
    var: Tensor
    scale: Tensor
    follows_statistics: bool


class AblatedBatchNorm(CentredNorm):
    """Batch normalization without some of its parts.

    `statistics` is "both": (x − μ)/√(σ² + ε), "mean": x − μ, or "variance": x/√(σ² + ε), where σ²
    is still the variance around the mean. γ and β follow, learned or fixed at 1 and 0.

    If `differentiated` is False, the gradient treats μ and σ² as constants. A bias before the norm
    then grows without bound while the loss does not change (Ioffe & Szegedy 2015, §2).
    """

    name = "ablated"
    initial_buffers = BatchNorm.initial_buffers

    def __init__(
        self,
        width: int,
        *,
        statistics: Literal["both", "mean", "variance"] = "both",
        differentiated: bool = True,
        learned: bool = True,
        keeps_bias: bool = False,
        **settings: Unpack[NormOptions],
    ) -> None:
        """Select the parts; for the other settings see `Norm`.

        Args:
            differentiated: whether the gradient passes through the batch statistics.
            learned: whether γ and β are learned; requires `affine` too.
            keeps_bias: whether the layer before the norm keeps its bias.
        """
        settings["affine"] = settings.get("affine", True) and learned
        super().__init__(width, **settings)
        self.centres = statistics != "variance"
        self.divides = statistics != "mean"
        self.differentiated, self.keeps_bias = differentiated, keeps_bias

    @property
    def absorbs_bias(self) -> bool:
        return not self.keeps_bias and (self.centres or self.beta is not None)

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """Use the fast kernels of batch normalization if no layer leaves out a part of it."""
        if all(isinstance(norm, AblatedBatchNorm) and norm.whole for norm in layers.norms):
            return BatchKernels(layers)
        return TensorKernels(layers)

    @property
    def whole(self) -> bool:
        """Return whether the forward and backward passes are the same as in BN."""
        return self.centres and self.divides and self.differentiated

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, AblatedCache]:
        if training:
            require_batch(x, "Batch normalization")
            mean = x.mean(batch_axes(x))
            centred = x - by_feature(mean, x)
            var = (centred * centred).mean(batch_axes(x))
            if not self.differentiated:
                # Detach the statistics from autograd too, because second derivatives are computed
                # through this pass.
                mean, var = mean.detach(), var.detach()
                centred = x - by_feature(mean, x)
        else:
            mean, var = self.buffers["running_mean"], self.buffers["running_var"]
            centred = x - by_feature(mean, x)
        inverse_std = (var + self.eps).rsqrt()
        scale = inverse_std if self.divides else torch.ones_like(inverse_std)
        normalized = (centred if self.centres else x) * by_feature(scale, x)
        cache = AblatedCache(
            normalized, centred * by_feature(inverse_std, x), mean, var, scale,
            training and self.differentiated,
        )  # fmt: skip
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: AblatedCache) -> Tensor:
        """dx = scale · (g − x̂ · mean(g · normalized) − mean g), g = γ dy; ablated terms are 0."""
        self._parameter_gradients(dy, cache.normalized)
        axes = batch_axes(dy)
        g = scale_and_shift(dy, self.gamma, None)
        dx = g
        if cache.follows_statistics and self.divides:
            mean_product = by_feature((g * cache.normalized).mean(axes), g)
            dx = dx - cache.standardized * mean_product
        if cache.follows_statistics and self.centres:
            dx = dx - by_feature(g.mean(axes), g)
        return dx * by_feature(cache.scale, g)

    def batch_statistics(self, cache: AblatedCache) -> Tensors:
        """Return the batch's mean and unbiased variance, even if one of them is unused."""
        count = values_per_feature(cache.normalized)
        return {"running_mean": cache.mean, "running_var": unbiased(cache.var, count)}

    def _inverse_length(self) -> Tensor:
        var = self.buffers["running_var"]
        return (var + self.eps).rsqrt() if self.divides else torch.ones_like(var)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """Return scale and shift as `CentredNorm` does; without centring, the shift is β."""
        scale, shift = super().inference_affine()
        if not self.centres:
            shift = torch.zeros_like(scale) if self.beta is None else self.beta
        return scale, shift
