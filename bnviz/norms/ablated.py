"""Batch normalization taken apart: which of its pieces do the work."""

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
from bnviz.norms.base import CentredNorm, NormLayers, Settings, TensorKernels, Tensors
from bnviz.norms.batch import BatchNorm, unbiased
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels


@dataclass(frozen=True)
class AblatedCache:
    """What the backward pass needs.

    Attributes:
        normalized: what γ multiplies, the shape of x.
        standardized: (x − μ)/√(σ² + ε) whatever is left out of `normalized`.
        mean: of the batch, or the running one [D].
        var: biased variance of the batch, or the running one [D].
        scale: what x is multiplied by [D]; 1 where the variance is left alone.
        follows_statistics: whether the gradient passes through them.
    """

    normalized: Tensor
    standardized: Tensor
    mean: Tensor
    var: Tensor
    scale: Tensor
    follows_statistics: bool


class AblatedBatchNorm(CentredNorm):
    """Batch normalization with pieces left out.

    Statistics "both": (x − μ)/√(σ² + ε). "mean": x − μ. "variance": x/√(σ² + ε), σ² still measured
    around the mean. Then γ and β, if they are learned; else γ = 1 and β = 0. Running statistics as
    in `BatchNorm`. Which layers have it is for the network to decide.

    With `differentiated` off, μ and σ² are constants to the gradient: what Ioffe & Szegedy 2015, §2
    warn of. A bias kept before it then grows without bound while the loss does not change.
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
        **settings: Unpack[Settings],
    ) -> None:
        """Choose the pieces; the rest as in `Norm`.

        Args:
            width: number of units or feature maps.
            statistics: what is normalized.
            differentiated: whether the gradient passes through the batch's statistics.
            learned: whether γ and β are learned; also needs `affine`.
            keeps_bias: whether the layer before keeps its bias all the same.
            settings: see `Norm`.
        """
        settings["affine"] = settings.get("affine", True) and learned
        super().__init__(width, **settings)
        self.centres = statistics != "variance"
        self.divides = statistics != "mean"
        self.differentiated, self.keeps_bias = differentiated, keeps_bias

    @property
    def absorbs_bias(self) -> bool:
        """Whether a mean is taken out or a shift learned, unless the bias is to be kept."""
        return not self.keeps_bias and (self.centres or self.beta is not None)

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """Batch normalization's fast pass where nothing is missing."""
        if all(isinstance(norm, AblatedBatchNorm) and norm.whole for norm in layers.norms):
            return BatchKernels(layers)
        return TensorKernels(layers)

    @property
    def whole(self) -> bool:
        """Whether forward and backward are those of batch normalization."""
        return self.centres and self.divides and self.differentiated

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, AblatedCache]:
        """Normalize by what is left of the statistics.

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
        if training:
            require_batch(x, "Batch normalization")
            mean = x.mean(batch_axes(x))
            centred = x - by_feature(mean, x)
            var = (centred * centred).mean(batch_axes(x))
            if not self.differentiated:
                # Constants to autograd too: second derivatives are taken through this pass.
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
        """The exact gradient, or with the statistics as constants.

        With g = γ dy: through the variance, − x̂ · mean(g · normalized); through the mean, − mean g;
        all times the scale.
        """
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
        """The batch's mean and unbiased variance, also of what is left out."""
        count = values_per_feature(cache.normalized)
        return {"running_mean": cache.mean, "running_var": unbiased(cache.var, count)}

    def _inverse_length(self) -> Tensor:
        var = self.buffers["running_var"]
        return (var + self.eps).rsqrt() if self.divides else torch.ones_like(var)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """As in `CentredNorm`; the shift is β alone where the mean stays."""
        scale, shift = super().inference_affine()
        if not self.centres:
            shift = torch.zeros_like(scale) if self.beta is None else self.beta
        return scale, shift
