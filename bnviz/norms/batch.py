"""Batch normalization: Algorithms 1 and 2 of Ioffe & Szegedy 2015, with the exact gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bnviz.norms.base import Norm
from bnviz.norms.batch_kernels import BatchKernels
from bnviz.norms.kernels import Kernels


@dataclass(frozen=True)
class BatchCache:
    """What the backward pass needs of a forward pass.

    Attributes:
        normalized: x̂, the shape of x.
        mean: batch mean by feature [D], or the running mean in inference mode.
        var: biased batch variance [D], or the running variance in inference mode.
        inverse_std: 1 / √(var + ε) [D].
        gamma: scale [D], or None for 1.
        count: number of values behind each mean.
        training: whether the statistics are the batch's own.
    """

    normalized: Tensor
    mean: Tensor
    var: Tensor
    inverse_std: Tensor
    gamma: Tensor | None
    count: int
    training: bool = True


def batch_norm_forward(
    x: Tensor, gamma: Tensor | None, beta: Tensor | None, eps: float
) -> tuple[Tensor, BatchCache]:
    """Normalize each feature over the batch, then scale and shift it.

    y = γ (x − μ) / √(σ² + ε) + β, with the biased variance σ² (Ioffe & Szegedy 2015, Alg. 1).

    Args:
        x: [N, D], normalized over N; or [N, C, H, W], normalized over N, H and W.
        gamma: [D] or [C]; None for 1.
        beta: [D] or [C]; None for 0.
        eps: ε, added to the variance.

    Returns:
        y, the shape of x, and the cache for `batch_norm_backward`.
    """
    axes = _batch_axes(x)
    mean = x.mean(axes)
    centred = x - _by_feature(mean, x)
    var = (centred * centred).mean(axes)
    inverse_std = (var + eps).rsqrt()
    normalized = centred * _by_feature(inverse_std, x)
    count = x.numel() // max(x.shape[1], 1)
    cache = BatchCache(normalized, mean, var, inverse_std, gamma, count)
    return _affine(normalized, gamma, beta), cache


def batch_norm_backward(dy: Tensor, cache: BatchCache) -> tuple[Tensor, Tensor, Tensor]:
    """The exact gradient, including the paths through mean and variance.

    dx = (γ/σ)(dy − mean dy − x̂ · mean(dy · x̂)), dγ = Σ dy · x̂, dβ = Σ dy. Where the forward pass
    used running statistics (inference mode), they are constants: dx = (γ/σ) dy.

    Args:
        dy: gradient of the loss by y, the shape of y.
        cache: from `batch_norm_forward`.

    Returns:
        dx, the shape of x; dgamma and dbeta [D].
    """
    axes = _batch_axes(dy)
    dgamma = (dy * cache.normalized).sum(axes)
    dbeta = dy.sum(axes)
    scale = cache.inverse_std if cache.gamma is None else cache.inverse_std * cache.gamma
    if cache.training:
        mean_dy = _by_feature(dbeta / cache.count, dy)
        mean_product = _by_feature(dgamma / cache.count, dy)
        dy = dy - mean_dy - cache.normalized * mean_product
    return dy * _by_feature(scale, dy), dgamma, dbeta


def _batch_axes(x: Tensor) -> tuple[int, ...]:
    return tuple(axis for axis in range(x.ndim) if axis != 1)


def _by_feature(values: Tensor, x: Tensor) -> Tensor:
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


def _affine(normalized: Tensor, gamma: Tensor | None, beta: Tensor | None) -> Tensor:
    y = normalized if gamma is None else normalized * _by_feature(gamma, normalized)
    return y if beta is None else y + _by_feature(beta, normalized)


class BatchNorm(Norm):
    """Batch normalization of a fully connected layer.

    Training mode uses the batch's mean and biased variance. Inference mode uses running averages,
    which store the unbiased variance as torch does: running ← (1 − m)·running + m·new.
    """

    name = "batch"
    parameter_names = ("gamma", "beta")

    def __init__(
        self,
        width: int,
        *,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__(
            width, eps=eps, momentum=momentum, affine=affine, dtype=dtype, device=device
        )
        self.buffers = {
            "running_mean": torch.zeros(width, dtype=dtype, device=device),
            "running_var": torch.ones(width, dtype=dtype, device=device),
        }

    @property
    def absorbs_bias(self) -> bool:
        """Always: the mean takes out any constant."""
        return True

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """γ / √(running variance + ε), and β less that times the running mean."""
        scale = self.inference_jacobian(self.buffers["running_mean"])
        shift = -self.buffers["running_mean"] * scale
        return scale, shift if self.beta is None else shift + self.beta

    @classmethod
    def kernels(
        cls,
        norms: Sequence[Norm],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
        buffers: Mapping[str, Tensor],
    ) -> Kernels:
        """The fast training pass."""
        return BatchKernels(norms, batch, gradients, buffers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, BatchCache]:
        """Normalize with the batch's statistics (training) or the running ones (inference)."""
        if training:
            return batch_norm_forward(x, self.gamma, self.beta, self.eps)
        mean, var = self.buffers["running_mean"], self.buffers["running_var"]
        inverse_std = (var + self.eps).rsqrt()
        normalized = (x - mean) * inverse_std
        cache = BatchCache(normalized, mean, var, inverse_std, self.gamma, len(x), training=False)
        return _affine(normalized, self.gamma, self.beta), cache

    def backward(self, dy: Tensor, cache: BatchCache) -> Tensor:
        """Exact gradient; see `batch_norm_backward`."""
        dx, dgamma, dbeta = batch_norm_backward(dy, cache)
        found = {"gamma": dgamma, "beta": dbeta}
        self.gradients = {name: found[name] for name in self.parameters}
        return dx

    def update_statistics(self, cache: BatchCache) -> None:
        """Move the running mean and (unbiased) variance towards the batch's."""
        unbiased = cache.var * (cache.count / max(cache.count - 1, 1))
        for name, new in (("running_mean", cache.mean), ("running_var", unbiased)):
            self.buffers[name].mul_(1 - self.momentum).add_(new, alpha=self.momentum)

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """The diagonal γ / √(running variance + ε) [D]."""
        scale = (self.buffers["running_var"] + self.eps).rsqrt()
        return scale if self.gamma is None else scale * self.gamma
