"""Shared parts of whitening norms: unit groups, covariances, passes and running matrices."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Unpack

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.axes import batch_axes, by_feature, require_batch, scale_and_shift
from bnviz.norms.base import (
    SCALE_AND_SHIFT,
    Initial,
    Learned,
    Norm,
    NormLayers,
    NormOptions,
    Tensors,
)
from bnviz.norms.inverse_root import Array
from bnviz.norms.kernels import Kernels, Shared, share

# Largest number of units that are whitened together. A usual mini-batch is large enough to estimate
# the covariance of one group, but 60 examples are too few for a layer of 100 units, and inference
# then fails. Huang et al. use groups for the same reason.
GROUP_SIZE = 16


class Constants(NamedTuple, Generic[Array]):
    """Positions of the units within the groups; the last group is padded with zeros.

    Attributes:
        units: ones at the units on the diagonals [G, K, K].
        identity: ones everywhere on the diagonals.
        sizes: number of units per group [G, 1, 1].
    """

    units: Array
    identity: Array
    sizes: Array


@dataclass(frozen=True)
class WhiteningCache:
    """Values for the backward pass. At inference, the statistics are running averages.

    Attributes:
        normalized: values before γ and β, with the shape of x.
        centred: x − μ per group [G, M, K], with M values per unit.
        whitening: whitening matrices [G, K, K].
        memory: cache of `whiten`, or None at inference.
    """

    normalized: Tensor
    centred: Tensor
    mean: Tensor
    whitening: Tensor
    memory: Any


class WhiteningNorm(Norm):
    """Centring over the mini-batch and multiplication by Σ^(−1/2) or an approximation of it.

    y = γ W (x − μ) + β with a symmetric W per group of at most 16 neighbouring units or feature
    maps. There are as few groups as possible, of equal size K, except that the last may be smaller.
    Inference mode uses running averages of μ and W; the running W starts as the identity.
    """

    initial_parameters = SCALE_AND_SHIFT
    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0}

    def __init__(self, width: int, **settings: Unpack[NormOptions]) -> None:
        super().__init__(width, **settings)
        groups = math.ceil(width / GROUP_SIZE)
        self.size = math.ceil(width / groups)
        self.groups = groups
        self._missing = groups * self.size - width
        real = torch.ones(groups * self.size, dtype=self.dtype, device=self.device)
        real[width:] = 0
        real = real.view(groups, self.size)
        identity = torch.diag_embed(torch.ones_like(real))
        sizes = real.sum(1)[:, None, None]
        self._tensors = Constants(torch.diag_embed(real), identity, sizes)
        self.buffers["running_whitening"] = identity.clone()

    def constants(self, like: Array) -> Constants[Array]:
        """Return the groups' constants as tensors or arrays, the same type as `like`."""
        if isinstance(like, Tensor):
            return self._tensors
        return Constants(*(value.numpy() for value in self._tensors))

    @property
    def absorbs_bias(self) -> bool:
        return True

    @abstractmethod
    def whiten(self, covariance: Array, count: int) -> tuple[Array, Any]:
        """Return whitening matrices for biased covariances [G, K, K], and a cache."""

    @abstractmethod
    def whiten_gradient(self, dwhitening: Array, memory: Any) -> Array:
        """Return the symmetric gradient [G, K, K] of the covariances from `dwhitening`."""

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return WhiteningKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, WhiteningCache]:
        memory = None
        if training:
            require_batch(x, "Whitening")
            mean = x.mean(batch_axes(x))
            centred = self._to_groups(x - by_feature(mean, x))
            count = centred.shape[1]
            whitening, memory = self.whiten(centred.mT @ centred / count, count)
        else:
            mean = self.buffers["running_mean"]
            centred = self._to_groups(x - by_feature(mean, x))
            whitening = self.buffers["running_whitening"].to(x.dtype)
        normalized = self._from_groups(centred @ whitening.mT, x)
        cache = WhiteningCache(normalized, centred, mean, whitening, memory)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: WhiteningCache) -> Tensor:
        """dx = dC − mean dC, with dC = g W + 2/M · C dΣ, g = γ dy and centred values C."""
        self._parameter_gradients(dy, cache.normalized)
        g = self._to_groups(scale_and_shift(dy, self.gamma, None))
        dcentred = g @ cache.whitening
        if cache.memory is None:
            return self._from_groups(dcentred, dy)
        dwhitening = cache.centred.mT @ g
        dcovariance = self.whiten_gradient((dwhitening + dwhitening.mT) / 2, cache.memory)
        dcentred = dcentred + cache.centred @ dcovariance * (2 / g.shape[1])
        return self._from_groups(dcentred - dcentred.mean(1, keepdim=True), dy)

    def batch_statistics(self, cache: WhiteningCache) -> Tensors:
        return {"running_mean": cache.mean, "running_whitening": cache.whitening}

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """Return γ times the running whitening matrix [D, D], which is 0 between groups."""
        whole = torch.block_diag(*self.buffers["running_whitening"])
        jacobian = whole[: self.width, : self.width]
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]

    def _to_groups(self, x: Tensor) -> Tensor:
        """Reshape [N, D] or [N, C, H, W] to groups [G, M, K]."""
        rows = x.movedim(1, -1).reshape(-1, x.shape[1])
        if self._missing:
            rows = torch.nn.functional.pad(rows, (0, self._missing))
        return rows.reshape(len(rows), self.groups, self.size).transpose(0, 1)

    def _from_groups(self, grouped: Tensor, like: Tensor) -> Tensor:
        """Undo `_to_groups`, returning the shape of `like`."""
        rows = grouped.transpose(0, 1).reshape(grouped.shape[1], -1)[:, : self.width]
        spread = (like.shape[0], *like.shape[2:], like.shape[1])
        return rows.reshape(spread).movedim(-1, 1)


@dataclass
class _WhitenedLayer:
    """Norm of one layer, values of its forward pass, and memory for its gradients."""

    norm: WhiteningNorm
    mean: Shared  # [D]
    centred: np.ndarray  # [G, M, K]
    normalized: Shared  # [M, D]
    learned: Learned
    whitening: np.ndarray | None = None  # [G, K, K]
    memory: Any = None


class WhiteningKernels(Kernels):
    """Kernels in NumPy, which multiplies many small matrices three times as fast as torch."""

    def __init__(self, layers: NormLayers) -> None:
        norms = [norm for norm in layers.norms if isinstance(norm, WhiteningNorm)]
        first, batch = norms[0], layers.batch
        dtype, width = first.dtype, first.width
        self._batch, self._width = batch, width
        self._average = torch.full((batch,), 1 / batch, dtype=dtype).numpy()
        self._ones = torch.ones(batch, dtype=dtype).numpy()
        # Rows contain all groups. The padding after the last unit stays zero.
        self._rows = torch.zeros(batch, first.groups * first.size, dtype=dtype).numpy()
        self._grouped = self._rows.reshape(batch, first.groups, first.size).swapaxes(0, 1)
        self._units = share(torch.from_numpy(self._rows)[:, :width])
        self._work = torch.empty(batch, width, dtype=dtype).numpy()
        self._layers = [
            _WhitenedLayer(
                norm=norm,
                mean=share(torch.empty(width, dtype=dtype)),
                centred=np.empty(self._grouped.shape, self._rows.dtype),
                normalized=share(torch.empty(batch, width, dtype=dtype)),
                learned=layers.learned(index),
            )
            for index, norm in enumerate(norms)
        ]

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """y = γ W (x − μ) + β."""
        state = self._layers[layer]
        norm, centred, normalized = state.norm, state.centred, state.normalized
        np.matmul(self._average, x.array, out=state.mean.array)
        torch.sub(x.tensor, state.mean.tensor, out=self._units.tensor)
        np.copyto(centred, self._grouped)
        covariance = centred.mT @ centred
        covariance /= self._batch
        state.whitening, state.memory = norm.whiten(covariance, self._batch)
        np.copyto(self._grouped, centred @ state.whitening)
        np.copyto(normalized.array, self._units.array)
        gamma, beta = state.learned.gamma.tensor, state.learned.beta.tensor
        torch.addcmul(beta, normalized.tensor, gamma, out=y.tensor)
        self._clear()

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """dC = g W + 2/M · C dΣ with g = γ dy; dx = dC − mean dC."""
        state = self._layers[layer]
        norm, centred, learned = state.norm, state.centred, state.learned
        assert state.whitening is not None
        np.multiply(dy.array, state.normalized.array, out=self._work)
        np.matmul(self._ones, self._work, out=learned.dgamma)
        np.matmul(self._ones, dy.array, out=learned.dbeta)
        torch.mul(dy.tensor, learned.gamma.tensor, out=self._units.tensor)
        g = np.ascontiguousarray(self._grouped)
        dwhitening = centred.mT @ g
        dcovariance = norm.whiten_gradient((dwhitening + dwhitening.mT) / 2, state.memory)
        dcentred = g @ state.whitening
        dcentred += centred @ (dcovariance * (2 / self._batch))
        np.copyto(self._grouped, dcentred)
        mean = torch.from_numpy(np.matmul(self._average, self._units.array))
        torch.sub(self._units.tensor, mean, out=dx.tensor)
        self._clear()

    def _clear(self) -> None:
        """Zero the padding, because products would spread non-finite values from it."""
        self._rows[:, self._width :] = 0

    def update_statistics(self) -> None:
        for state in self._layers:
            assert state.whitening is not None
            whitening = torch.from_numpy(state.whitening)
            state.norm.average_in(
                {"running_mean": state.mean.tensor, "running_whitening": whitening}
            )
