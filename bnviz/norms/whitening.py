"""What whitening norms share: groups of units, batch covariance, the passes, running matrices."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Unpack

import torch
from torch import Tensor

from bnviz.norms.axes import batch_axes, by_feature, require_batch, scale_and_shift
from bnviz.norms.base import SCALE_AND_SHIFT, Norm, Settings
from bnviz.norms.inverse_root import Array
from bnviz.norms.kernels import Kernels
from bnviz.norms.whitening_kernels import WhiteningKernels

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
        gamma: [D], or None for 1.
    """

    normalized: Tensor
    centred: Tensor
    mean: Tensor
    whitening: Tensor
    memory: Any
    gamma: Tensor | None


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
    initial_buffers: ClassVar[Mapping[str, float]] = {"running_mean": 0.0}

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
    def kernels(
        cls,
        norms: Sequence[Norm],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
        buffers: Mapping[str, Tensor],
        members: tuple[int, ...] = (),
    ) -> Kernels:
        """The fast training pass."""
        own = [norm for norm in norms if isinstance(norm, WhiteningNorm)]
        return WhiteningKernels(own, batch, gradients)

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
        cache = WhiteningCache(normalized, centred, mean, whitening, memory, self.gamma)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: WhiteningCache) -> Tensor:
        """The exact gradient, through the covariance and the mean.

        With g = γ dy, C the centred values and M of them a unit: dW = Cᵀ g, made symmetric; dΣ from
        it; dC = g W + 2/M · C dΣ; dx = dC − mean dC.
        """
        self._parameter_gradients(dy, cache.normalized)
        g = self._to_groups(scale_and_shift(dy, cache.gamma, None))
        dcentred = g @ cache.whitening
        if cache.memory is None:
            return self._from_groups(dcentred, dy)
        dwhitening = cache.centred.mT @ g
        dcovariance = self.whiten_gradient((dwhitening + dwhitening.mT) / 2, cache.memory)
        dcentred = dcentred + cache.centred @ dcovariance * (2 / g.shape[1])
        return self._from_groups(dcentred - dcentred.mean(1, keepdim=True), dy)

    def batch_statistics(self, cache: WhiteningCache) -> dict[str, Tensor]:
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
