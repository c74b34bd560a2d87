"""What whitening norms share: groups of units, batch covariance, the passes, running matrices."""

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
    Settings,
    Tensors,
)
from bnviz.norms.inverse_root import Array
from bnviz.norms.kernels import Kernels, Shared, share

# Units are whitened in groups of at most so many. The covariance of a group can be estimated from a
# mini-batch of usual size; that of a whole layer of 100 units from 60 examples cannot, and what it
# learns then fails in inference mode. Huang et al. whiten in groups for the same reason.
GROUP_SIZE = 16


class Constants(NamedTuple, Generic[Array]):
    """Of the groups: which of their K places are units; the last group is filled up with zeros.

    Attributes:
        units: ones on the diagonals [G, K, K] at units.
        identity: ones on the diagonals at all places.
        sizes: how many units each group has [G, 1, 1].
    """

    units: Array
    identity: Array
    sizes: Array


@dataclass(frozen=True)
class WhiteningCache:
    """What the backward pass needs.

    Attributes:
        normalized: what γ multiplies, the shape of x.
        centred: x − μ by group [G, M, K], M values a unit.
        mean: of the batch, or the running one [D].
        whitening: the matrices [G, K, K] that the centred values are multiplied by.
        memory: what the derivative of the whitening matrices needs; None in inference mode.
    """

    normalized: Tensor
    centred: Tensor
    mean: Tensor
    whitening: Tensor
    memory: Any


class WhiteningNorm(Norm):
    """Values are centred over the mini-batch and multiplied by Σ^(−1/2), or close to it.

    y = γ W (x − μ) + β with a symmetric W, within groups of at most 16 neighbouring units or
    feature maps (as few groups as possible, of sizes as equal as possible; unlike sizes leave the
    last one smaller). Inference mode uses running averages of μ and W.

    Attributes:
        size: K, the units of a group.
        groups: G, how many groups there are.
    """

    initial_parameters = SCALE_AND_SHIFT
    initial_buffers: ClassVar[Initial] = {"running_mean": 0.0}

    def __init__(self, width: int, **settings: Unpack[Settings]) -> None:
        """Set up for `width` units; running matrices begin as the identity; see `Norm`."""
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
        """What is known of the groups, as tensors or as arrays."""
        if isinstance(like, Tensor):
            return self._tensors
        return Constants(*(value.numpy() for value in self._tensors))

    @property
    def absorbs_bias(self) -> bool:
        """Always: the mean takes out any constant."""
        return True

    @abstractmethod
    def whiten(self, covariance: Array, count: int) -> tuple[Array, Any]:
        """Whitening matrices, and what `whiten_gradient` needs; of tensors or arrays alike.

        Args:
            covariance: biased covariances [G, K, K], zero where there is no unit.
            count: M, the number of values behind them.
        """

    @abstractmethod
    def whiten_gradient(self, dwhitening: Array, memory: Any) -> Array:
        """Gradient of the covariances from that of the matrices, symmetric [G, K, K]."""

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """The fast training pass."""
        return WhiteningKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, WhiteningCache]:
        """Whiten with the batch's statistics (training) or the running ones (inference).

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
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
        """The exact gradient, through the covariance and the mean.

        With g = γ dy, C the centred values and M of them a unit: dW = Cᵀ g, made symmetric; dΣ from
        it; dC = g W + 2/M · C dΣ; dx = dC − mean dC.
        """
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
        """The batch's mean and whitening matrices."""
        return {"running_mean": cache.mean, "running_whitening": cache.whitening}

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """γ times the running whitening matrix [D, D], 0 between groups."""
        whole = torch.block_diag(*self.buffers["running_whitening"])
        jacobian = whole[: self.width, : self.width]
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]

    def _to_groups(self, x: Tensor) -> Tensor:
        """[N, D] or [N, C, H, W] by group: [G, M, K]."""
        rows = x.movedim(1, -1).reshape(-1, x.shape[1])
        if self._missing:
            rows = torch.nn.functional.pad(rows, (0, self._missing))
        return rows.reshape(len(rows), self.groups, self.size).transpose(0, 1)

    def _from_groups(self, grouped: Tensor, like: Tensor) -> Tensor:
        """What `_to_groups` made of something of the shape of `like`, back in that shape."""
        rows = grouped.transpose(0, 1).reshape(grouped.shape[1], -1)[:, : self.width]
        spread = (like.shape[0], *like.shape[2:], like.shape[1])
        return rows.reshape(spread).movedim(-1, 1)


@dataclass
class _Layer:
    """One layer's norm, what a forward pass left behind, and where gradients go."""

    norm: WhiteningNorm
    mean: Shared  # [D]
    centred: np.ndarray  # [G, M, K]
    normalized: Shared  # [M, D]
    learned: Learned
    whitening: np.ndarray | None = None  # [G, K, K]
    memory: Any = None


class WhiteningKernels(Kernels):
    """All whitening norms of one network, for mini-batches of one size, on NumPy arrays.

    Products of many small matrices are three times as fast in NumPy as in torch.
    """

    def __init__(self, layers: NormLayers) -> None:
        norms = [norm for norm in layers.norms if isinstance(norm, WhiteningNorm)]
        first, batch = norms[0], layers.batch
        dtype, width = first.dtype, first.width
        self._batch, self._width = batch, width
        self._average = torch.full((batch,), 1 / batch, dtype=dtype).numpy()
        self._ones = torch.ones(batch, dtype=dtype).numpy()
        # Rows as wide as all groups together; what is beyond the units stays zero.
        self._rows = torch.zeros(batch, first.groups * first.size, dtype=dtype).numpy()
        self._grouped = self._rows.reshape(batch, first.groups, first.size).swapaxes(0, 1)
        self._units = share(torch.from_numpy(self._rows)[:, :width])
        self._work = torch.empty(batch, width, dtype=dtype).numpy()
        self._layers = [
            _Layer(
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
        """What is not finite must not stay beyond the units, where products would spread it."""
        self._rows[:, self._width :] = 0

    def update_statistics(self) -> None:
        """Running means and whitening matrices."""
        for state in self._layers:
            assert state.whitening is not None
            whitening = torch.from_numpy(state.whitening)
            state.norm.average_in(
                {"running_mean": state.mean.tensor, "running_whitening": whitening}
            )
