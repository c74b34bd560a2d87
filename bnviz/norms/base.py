"""Base classes of all norms, with explicit forward and backward passes and Jacobians."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypedDict

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.axes import batch_axes, scale_and_shift
from bnviz.norms.kernels import Kernels, Shared, share_units

# Index of the random stream for noise inside norms, among the streams of a run's seed.
NOISE_STREAM = 4
# Tensors by name, and initial values of such tensors [D] by name.
Tensors = dict[str, Tensor]
Initial = Mapping[str, float]
# Initial values of γ and β, and their constant values if they are not learned.
SCALE_AND_SHIFT: Initial = {"gamma": 1.0, "beta": 0.0}


class NormOptions(TypedDict, total=False):
    """Keyword arguments that every norm accepts; see `Norm`."""

    eps: float
    momentum: float | None
    affine: bool
    dtype: torch.dtype
    device: torch.device | str
    seed: int
    layer: int


class Norm(ABC):
    """Normalization of one hidden layer's values: [N, D], or feature maps [N, C, H, W].

    `forward` and `backward` change neither statistics nor parameters nor their arguments, so that
    probes can call them at any time. Autograd can differentiate both methods. `update_statistics`
    is called once per optimization step.

    A norm sees only values, not the weights that produced them. So weight normalization cannot be a
    `Norm`.

    Attributes:
        initial_parameters: initial values of the learned tensors [D] by name. Any names are
            allowed. A subclass with other shapes adds its tensors to `parameters` itself.
        stackable: whether `kernels` support stacks. A subclass with another forward or backward
            pass must set it to False.
        drops: whether values of the layer's output are dropped; see `mask`.
        buffers: tensors that training updates without a gradient ("running_mean" [D], ...).
        gradients: gradients of the parameters from the last `backward`.
        step: optimization step for noise and schedules, set by the caller.
        fixed_statistics: whether training, too, uses the running statistics, as constants and
            without noise. `Network.fixed_statistics` sets it. Callers check it, `forward` does not.
        taken_in: number of mini-batches in the running statistics, counted if `momentum` is None.
    """

    name: ClassVar[str]
    initial_parameters: ClassVar[Initial] = {}
    stackable: ClassVar[bool] = False
    drops: ClassVar[bool] = False
    initial_buffers: ClassVar[Initial] = {}

    def __init__(
        self,
        width: int,
        *,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
        seed: int = 0,
        layer: int = 0,
    ) -> None:
        """Set up a norm for `width` units or feature maps.

        Args:
            eps: constant added to the variance (or mean square) before the square root.
            momentum: weight of the new value in the running statistics, as in torch. If None, they
                are plain averages over all mini-batches.
            affine: whether `initial_parameters` are learned.
            seed: the run's seed, which determines any noise.
            layer: layer index from 0; each layer draws different noise.
        """
        self.width, self.eps, self.momentum, self.affine = width, eps, momentum, affine
        self.dtype, self.device = dtype, torch.device(device)
        self.seed, self.layer, self.step = seed, layer, 0
        self.fixed_statistics, self.taken_in = False, 0
        self.parameters = self._filled(self.initial_parameters if affine else {})
        self.buffers = self._filled(self.initial_buffers)
        self.gradients: Tensors = {}

    def _filled(self, initial: Initial) -> Tensors:
        return {
            name: torch.full((self.width,), value, dtype=self.dtype, device=self.device)
            for name, value in initial.items()
        }

    @property
    def gamma(self) -> Tensor | None:
        return self.parameters.get("gamma")

    @property
    def beta(self) -> Tensor | None:
        return self.parameters.get("beta")

    def scale_or_shift(self, name: str) -> Tensor:
        """Return γ or β [D] by name: if it is not learned, ones for γ or zeros for β."""
        learned = self.parameters.get(name)
        return self._filled(SCALE_AND_SHIFT)[name] if learned is None else learned

    @property
    def absorbs_bias(self) -> bool:
        """Return whether the preceding layer needs no bias.

        Norms over the batch cancel any bias. Norms over one example do not, but their β replaces
        it.
        """
        return "beta" in self.parameters

    @abstractmethod
    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize x. Return the result and a cache for `backward`.

        Raises:
            ValueError: if the norm is undefined for this shape, such as one value per unit.
        """

    @abstractmethod
    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """Return the gradient with respect to x for the output gradient dy; set `gradients`."""

    def mask(self, output: Tensor) -> Tensor | None:
        """Return dropout factors for a layer's output, constant within a step, or None."""
        return None

    def batch_statistics(self, cache: Any) -> Tensors:
        """Return the batch statistics that `buffers` average, with the same names and shapes."""
        return {}

    def update_statistics(self, cache: Any) -> None:
        """Update the running statistics, (1 − m)·running + m·new, unless they are fixed."""
        if not self.fixed_statistics:
            self.average_in(self.batch_statistics(cache))

    def use_batch_statistics(self) -> None:
        """Use mini-batch statistics in training mode, so that statistics can be recomputed."""
        self.fixed_statistics = False

    @property
    def share_of_new(self) -> float:
        return 1 / (self.taken_in + 1) if self.momentum is None else self.momentum

    def count_batch(self) -> None:
        if self.momentum is None:
            self.taken_in += 1

    def average_in(self, new: Tensors) -> None:
        """Update the running averages in `buffers` with new values."""
        share = self.share_of_new
        for name, value in new.items():
            self.buffers[name].mul_(1 - share).add_(value, alpha=share)
        self.count_batch()

    @abstractmethod
    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """Return dy/dx of one example [D] in inference mode: [D] if diagonal, else [D, D]."""

    def inference_affine(self) -> tuple[Tensor, Tensor] | None:
        """Return scale and shift [D] at inference, or None if the norm is not affine then."""
        return None

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels | None:
        """Return CPU training kernels for the norms of all layers, or None for the identity."""
        return TensorKernels(layers)

    def random(self) -> np.random.Generator:
        """Return a generator for this layer's noise at `step`. It always gives the same values."""
        return np.random.default_rng([self.seed, NOISE_STREAM, self.layer, self.step])

    def _scale_and_shift(self, normalized: Tensor) -> Tensor:
        return scale_and_shift(normalized, self.gamma, self.beta)

    def _parameter_gradients(self, dy: Tensor, normalized: Tensor) -> None:
        axes = batch_axes(dy)
        sums = {"gamma": lambda: (dy * normalized).sum(axes), "beta": lambda: dy.sum(axes)}
        self.gradients = {name: sums[name]() for name in self.parameters}


class CentredNorm(Norm):
    """Norm that subtracts each unit's batch mean and divides by a length, such as σ.

    In inference mode μ and the length are running averages: y = γ (x − μ) / length + β.
    """

    initial_parameters = SCALE_AND_SHIFT

    @property
    def absorbs_bias(self) -> bool:
        return True

    @abstractmethod
    def _inverse_length(self) -> Tensor:
        """Return 1 / running length [D]."""

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        scale = self._inverse_length()
        return scale if self.gamma is None else scale * self.gamma

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        mean = self.buffers["running_mean"]
        scale = self.inference_jacobian(mean)
        shift = -mean * scale
        return scale, shift if self.beta is None else shift + self.beta


class Learned(NamedTuple):
    """γ and β of a layer, ones and zeros if not learned, and their gradients, [D] or [K, D]."""

    gamma: Shared
    beta: Shared
    dgamma: np.ndarray
    dbeta: np.ndarray


class NormLayers(NamedTuple):
    """Norms of all hidden layers, the input of `Norm.kernels`.

    Attributes:
        batch: mini-batch size N.
        gradients: tensors to write parameter gradients to, by layer and name.
        buffers: running statistics of all layers [L, …] by name. Each row is in the `buffers` of
            one norm.
        members: (K,) for a stack of `stackable` norms, whose parameters and buffers are [K, …].
    """

    norms: Sequence[Norm]
    batch: int
    gradients: Sequence[Tensors]
    buffers: Mapping[str, Tensor]
    members: tuple[int, ...] = ()

    def learned(self, layer: int) -> Learned:
        """Return a layer's γ and β, and the arrays for their gradients."""
        norm, gradients = self.norms[layer], self.gradients[layer]
        unused = torch.empty(2, *self.members, norm.width, dtype=norm.dtype)
        return Learned(
            gamma=share_units(norm.scale_or_shift("gamma")),
            beta=share_units(norm.scale_or_shift("beta")),
            dgamma=gradients.get("gamma", unused[0]).numpy(),
            dbeta=gradients.get("beta", unused[1]).numpy(),
        )


class TensorKernels(Kernels):
    """Kernels for any norm, using its own `forward` and `backward`."""

    def __init__(self, layers: NormLayers) -> None:
        self._norms, self._gradients = layers.norms, layers.gradients
        self._caches: list[Any] = [None] * len(layers.norms)

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        norm = self._norms[layer]
        result, self._caches[layer] = norm.forward(x.tensor, training=not norm.fixed_statistics)
        y.tensor.copy_(result)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        norm = self._norms[layer]
        dx.tensor.copy_(norm.backward(dy.tensor, self._caches[layer]))
        for name, gradient in self._gradients[layer].items():
            gradient.copy_(norm.gradients[name])

    def update_statistics(self) -> None:
        for norm, cache in zip(self._norms, self._caches, strict=True):
            norm.update_statistics(cache)
