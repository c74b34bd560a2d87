"""Ghost batch normalization (Hoffer et al. 2017): statistics over parts of a mini-batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from torch import Tensor

from bnviz.norms.axes import require_batch, scale_and_shift, values_per_feature
from bnviz.norms.base import NormLayers, Settings, TensorKernels, Tensors
from bnviz.norms.batch import BatchNorm
from bnviz.norms.kernels import Kernels, on_device


def part_sizes(examples: int, ghost_size: int) -> np.ndarray:
    """How many examples each part of a mini-batch has, in their order, int64 [P].

    No part is smaller than `ghost_size`, and none has more than one example more than another: what
    is left over is spread over the parts. A mini-batch smaller than that is one part.
    """
    count = max(examples // ghost_size, 1)
    fewest, left = divmod(examples, count)
    return np.array([fewest + 1] * left + [fewest] * (count - left))


@dataclass(frozen=True)
class Parts:
    """A mini-batch cut into parts.

    Attributes:
        of: the part of each example, int64 [N].
        average: of a part's examples, each 1/n, [P, N]: a product with it is a mean by part.
        values: how many values of a unit each part has [P].
    """

    of: Tensor
    average: Tensor
    values: Tensor

    @classmethod
    def cut(cls, x: Tensor, ghost_size: int) -> Parts:
        """Cut the examples of x [N, D] or [N, C, H, W] in their order."""
        sizes = part_sizes(len(x), ghost_size)
        of = np.repeat(np.arange(len(sizes)), sizes)
        average = (of == np.arange(len(sizes))[:, None]) / sizes[:, None]
        places = values_per_feature(x) // max(len(x), 1)
        return cls(
            on_device(of, x.device), on_device(average, x.device, x.dtype),
            on_device(sizes * places, x.device, x.dtype),
        )  # fmt: skip

    def mean(self, values: Tensor) -> Tensor:
        """The mean of each part by unit, [P, D]."""
        return self.average @ (values.flatten(2).mean(2) if values.ndim > 2 else values)

    def expand(self, by_part: Tensor, like: Tensor) -> Tensor:
        """A value a part and unit [P, D] for each example, in a shape that broadcasts against x."""
        found = by_part[self.of]
        return found.reshape(*found.shape, *[1] * (like.ndim - 2))


@dataclass(frozen=True)
class GhostCache:
    """What the backward pass needs of a forward pass in training mode.

    Attributes:
        parts: of the mini-batch.
        normalized: x̂, the shape of x.
        mean: of each part [P, D].
        var: biased, of each part [P, D].
        inverse_std: 1 / √(var + ε) [P, D].
    """

    parts: Parts
    normalized: Tensor
    mean: Tensor
    var: Tensor
    inverse_std: Tensor


class GhostBatchNorm(BatchNorm):
    """Batch normalization over parts of the mini-batch, of `ghost_size` examples or some more.

    In training mode each part is normalized by its own mean and biased variance, with one γ and β
    for all; the parts are neighbours in the mini-batch, whose order is random (`part_sizes`). A
    mini-batch that is one part alone is normalized as by `BatchNorm`. Inference mode is that of
    `BatchNorm`. A step moves the running averages once, towards the mean of the whole mini-batch
    and the variance within its parts, unbiased; Hoffer et al. 2017 move them once a part.
    """

    name = "ghost"
    stackable = False  # parts are cut along the examples of one network

    def __init__(self, width: int, *, ghost_size: int = 8, **settings: Unpack[Settings]) -> None:
        """Set up for parts of `ghost_size` examples at least, 2 or more; the rest as in `Norm`."""
        super().__init__(width, **settings)
        self.ghost_size = ghost_size
        # Of the last mini-batch's shape: networks see the same one again and again.
        self._parts: tuple[tuple[Any, ...], Parts] | None = None

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """The passes below."""
        return TensorKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize each part by its own statistics (training), or all by the running ones.

        Raises:
            ValueError: training mode, and each unit has a single value.
        """
        if not training:
            return super().forward(x, training=False)
        require_batch(x, "Batch normalization")
        parts = self._cut(x)
        mean = parts.mean(x)
        centred = x - parts.expand(mean, x)
        var = parts.mean(centred * centred)
        inverse_std = (var + self.eps).rsqrt()
        normalized = centred * parts.expand(inverse_std, x)
        cache = GhostCache(parts, normalized, mean, var, inverse_std)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy, means over each part."""
        if not isinstance(cache, GhostCache):
            return super().backward(dy, cache)
        self._parameter_gradients(dy, cache.normalized)
        parts, normalized = cache.parts, cache.normalized
        g = scale_and_shift(dy, self.gamma, None)
        mean, product = (parts.expand(parts.mean(each), g) for each in (g, g * normalized))
        return (g - mean - normalized * product) * parts.expand(cache.inverse_std, g)

    def batch_statistics(self, cache: Any) -> Tensors:
        """The mean of the whole mini-batch, and the unbiased variance within its parts."""
        if not isinstance(cache, GhostCache):
            return super().batch_statistics(cache)
        counts = cache.parts.values[:, None]
        within = (counts * cache.var).sum(0) / (counts.sum() - len(counts)).clamp(min=1)
        return {"running_mean": (counts * cache.mean).sum(0) / counts.sum(), "running_var": within}

    def _cut(self, x: Tensor) -> Parts:
        shape = (len(x), values_per_feature(x), x.dtype, x.device)
        if self._parts is None or self._parts[0] != shape:
            self._parts = shape, Parts.cut(x, self.ghost_size)
        return self._parts[1]
