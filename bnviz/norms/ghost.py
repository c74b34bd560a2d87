"""Ghost batch normalization (Hoffer et al. 2017), with statistics over parts of a mini-batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from torch import Tensor

from bnviz.norms.axes import require_batch, scale_and_shift, values_per_feature
from bnviz.norms.base import NormLayers, NormOptions, TensorKernels, Tensors
from bnviz.norms.batch import BatchNorm
from bnviz.norms.kernels import Kernels, on_device


def part_sizes(examples: int, ghost_size: int) -> np.ndarray:
    """Return part sizes, int64 [P], that differ by at most 1 and reach `ghost_size` if possible."""
    count = max(examples // ghost_size, 1)
    fewest, left = divmod(examples, count)
    return np.array([fewest + 1] * left + [fewest] * (count - left))


@dataclass(frozen=True)
class Parts:
    """Division of a mini-batch into parts.

    Attributes:
        of: part index of each example, int64 [N].
        average: matrix [P, N] whose product with values gives the mean per part.
        values: number of values per part and unit [P].
    """

    of: Tensor
    average: Tensor
    values: Tensor

    @classmethod
    def cut(cls, x: Tensor, ghost_size: int) -> Parts:
        """Split x [N, D] or [N, C, H, W] into parts of consecutive examples."""
        sizes = part_sizes(len(x), ghost_size)
        of = np.repeat(np.arange(len(sizes)), sizes)
        average = (of == np.arange(len(sizes))[:, None]) / sizes[:, None]
        places = values_per_feature(x) // max(len(x), 1)
        return cls(
            on_device(of, x.device), on_device(average, x.device, x.dtype),
            on_device(sizes * places, x.device, x.dtype),
        )  # fmt: skip

    def mean(self, values: Tensor) -> Tensor:
        """Return the mean per part and unit, [P, D]."""
        return self.average @ (values.flatten(2).mean(2) if values.ndim > 2 else values)

    def expand(self, by_part: Tensor, like: Tensor) -> Tensor:
        """Expand values per part and unit [P, D] to all examples, in a shape that fits `like`."""
        found = by_part[self.of]
        return found.reshape(*found.shape, *[1] * (like.ndim - 2))


@dataclass(frozen=True)
class GhostCache:
    """Values for the backward pass: x̂ with the shape of x, and statistics per part [P, D]."""

    parts: Parts
    normalized: Tensor
    mean: Tensor
    var: Tensor
    inverse_std: Tensor


class GhostBatchNorm(BatchNorm):
    """Batch normalization over parts of the mini-batch with `ghost_size` or more examples each.

    In training mode each part is normalized by its own mean and biased variance, with one γ and β
    for all parts. The parts are consecutive examples of the mini-batch, whose order is random.
    Inference mode is the same as in `BatchNorm`.

    Each step updates the running averages once, with the mean of the whole mini-batch and the
    unbiased variance within its parts. Hoffer et al. 2017 update them once per part.
    """

    name = "ghost"
    stackable = False  # Parts are consecutive examples of one network.

    def __init__(self, width: int, *, ghost_size: int = 8, **settings: Unpack[NormOptions]) -> None:
        """Set up for parts of at least `ghost_size` ≥ 2 examples; for the rest see `Norm`."""
        super().__init__(width, **settings)
        self.ghost_size = ghost_size
        # Cached parts for the last mini-batch shape, since the shape rarely changes.
        self._parts: tuple[tuple[Any, ...], Parts] | None = None

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return TensorKernels(layers)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
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
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy and means per part."""
        if not isinstance(cache, GhostCache):
            return super().backward(dy, cache)
        self._parameter_gradients(dy, cache.normalized)
        parts, normalized = cache.parts, cache.normalized
        g = scale_and_shift(dy, self.gamma, None)
        mean, product = (parts.expand(parts.mean(each), g) for each in (g, g * normalized))
        return (g - mean - normalized * product) * parts.expand(cache.inverse_std, g)

    def batch_statistics(self, cache: Any) -> Tensors:
        """Return the mini-batch mean, and the unbiased variance within the parts."""
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
