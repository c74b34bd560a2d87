"""What every normalization offers: an explicit forward and backward pass, and its Jacobian."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypedDict

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.axes import batch_axes, scale_and_shift
from bnviz.norms.kernels import Kernels, Shared, share_units

# Among the streams of random numbers that a run's seed is split into, that of noise inside norms.
NOISE_STREAM = 4
# Tensors by name; and what each of them, [D], begins with.
Tensors = dict[str, Tensor]
Initial = Mapping[str, float]
# What γ and β begin with, and what they are where they are not learned.
SCALE_AND_SHIFT: Initial = {"gamma": 1.0, "beta": 0.0}


class Settings(TypedDict, total=False):
    """The keyword arguments that every norm takes; see `Norm`."""

    eps: float
    momentum: float | None
    affine: bool
    dtype: torch.dtype
    device: torch.device | str
    seed: int
    layer: int


class Norm(ABC):
    """One normalization of one hidden layer's values: [N, D], or feature maps [N, C, H, W].

    `forward` and `backward` change no statistics and no parameters, so that probes can call them
    at any time; `update_statistics` is called once an optimization step. Both are made of
    operations that autograd can differentiate, and leave their arguments as they are.

    A norm gets values, never the weights that made them: weight normalization cannot be a `Norm`.

    Attributes:
        initial_parameters: what each learned tensor [D] begins with, by name: `SCALE_AND_SHIFT`,
            one of these, others or none. Networks, optimizers and checkpoints take whatever names
            there are. A subclass with tensors of other shapes puts them into `parameters` itself.
        parameters: learned tensors by name; empty where there are none.
        stackable: whether `kernels` also run the norms of a stack at once; a subclass that passes
            through other steps says that they do not.
        drops: whether values of what a layer sends on are dropped; see `mask`.
        buffers: tensors that training updates without a gradient ("running_mean" [D], ...).
        gradients: what the last `backward` found for each parameter.
        step: the optimization step that noise is drawn for and schedules go by; whoever runs the
            network sets it.
        fixed_statistics: whether training mode, too, uses the running statistics, as constants
            that stay as they are, and adds no noise; `Network.fixed_statistics` sets it. Whoever
            asks for training mode looks at it; `forward` does not.
        taken_in: mini-batches in the running statistics; counted where `momentum` is None.
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
            width: number of units D.
            eps: added to the variance (or mean square) before the square root.
            momentum: weight of the new value in running statistics (torch's convention). None:
                running statistics are plain averages of all mini-batches so far.
            affine: whether `initial_parameters` are learned.
            dtype: of all tensors.
            device: of all tensors.
            seed: the run's seed; decides the noise of norms that have some.
            layer: which layer this is, counted from 0; each draws noise of its own.
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
        """The learned scale [D], if any."""
        return self.parameters.get("gamma")

    @property
    def beta(self) -> Tensor | None:
        """The learned shift [D], if any."""
        return self.parameters.get("beta")

    def scale_or_shift(self, name: str) -> Tensor:
        """γ or β [D] by its name; 1 or 0 per unit where it is not learned."""
        learned = self.parameters.get(name)
        return self._filled(SCALE_AND_SHIFT)[name] if learned is None else learned

    @property
    def absorbs_bias(self) -> bool:
        """Whether the layer before keeps no bias: the norm takes it out again, or β stands for it.

        Norms over the batch take out any constant. Norms of one example do not: a bias of each unit
        of its own changes their σ; that β alone is kept is a choice.
        """
        return "beta" in self.parameters

    @abstractmethod
    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize x; returns the result, of its shape, and what `backward` needs.

        Raises:
            ValueError: the norm is undefined for values of this shape.
        """

    @abstractmethod
    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """Gradient of x from that of the result; fills `gradients`."""

    def mask(self, output: Tensor) -> Tensor | None:
        """What a layer's output, after norm and nonlinearity, is multiplied by in training mode.

        The same at one step, however often it is asked for; None where nothing is dropped.
        """
        return None

    def batch_statistics(self, cache: Any) -> Tensors:
        """What a training-mode forward pass says about each of `buffers`, in their shapes.

        Running statistics are moving averages of these, population statistics plain means.
        """
        return {}

    def update_statistics(self, cache: Any) -> None:
        """Take one training batch into the running statistics: (1 − m)·running + m·new.

        Fixed statistics stay as they are.
        """
        if not self.fixed_statistics:
            self.average_in(self.batch_statistics(cache))

    def use_batch_statistics(self) -> None:
        """In training mode, normalize by the mini-batch's own statistics from now on.

        For whoever recomputes statistics. Norms of one example stay as they are.
        """
        self.fixed_statistics = False

    @property
    def share_of_new(self) -> float:
        """Weight of the next mini-batch in the running statistics."""
        return 1 / (self.taken_in + 1) if self.momentum is None else self.momentum

    def count_batch(self) -> None:
        """Count a mini-batch that was taken into the running statistics."""
        if self.momentum is None:
            self.taken_in += 1

    def average_in(self, new: Tensors) -> None:
        """Take new values of `buffers` into the running ones."""
        share = self.share_of_new
        for name, value in new.items():
            self.buffers[name].mul_(1 - share).add_(value, alpha=share)
        self.count_batch()

    @abstractmethod
    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """dy/dx of one example [D] in inference mode: [D] if diagonal, else [D, D]."""

    def inference_affine(self) -> tuple[Tensor, Tensor] | None:
        """Scale and shift [D] that the norm amounts to in inference mode; None if it is not so."""
        return None

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels | None:
        """How a training step on the CPU runs the norms of all layers; None for the identity."""
        return TensorKernels(layers)

    def random(self) -> np.random.Generator:
        """Noise of this layer at `step`: the same each time it is asked for."""
        return np.random.default_rng([self.seed, NOISE_STREAM, self.layer, self.step])

    def _scale_and_shift(self, normalized: Tensor) -> Tensor:
        return scale_and_shift(normalized, self.gamma, self.beta)

    def _parameter_gradients(self, dy: Tensor, normalized: Tensor) -> None:
        """Fill `gradients` for γ and β."""
        axes = batch_axes(dy)
        sums = {"gamma": lambda: (dy * normalized).sum(axes), "beta": lambda: dy.sum(axes)}
        self.gradients = {name: sums[name]() for name in self.parameters}


class CentredNorm(Norm):
    """A norm that subtracts each unit's mean over the mini-batch and divides by a length.

    In inference mode both are running averages: y = γ (x − μ) / length + β.
    """

    initial_parameters = SCALE_AND_SHIFT

    @property
    def absorbs_bias(self) -> bool:
        """Always: the mean takes out any constant."""
        return True

    @abstractmethod
    def _inverse_length(self) -> Tensor:
        """1 / the running length [D]."""

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """The diagonal γ / length [D]."""
        scale = self._inverse_length()
        return scale if self.gamma is None else scale * self.gamma

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """γ / length, and β less that times the running mean."""
        mean = self.buffers["running_mean"]
        scale = self.inference_jacobian(mean)
        shift = -mean * scale
        return scale, shift if self.beta is None else shift + self.beta


class Learned(NamedTuple):
    """γ and β of a layer, 1 and 0 where they are not learned, and where their gradients go [D].

    All begin with the members of a stack.
    """

    gamma: Shared
    beta: Shared
    dgamma: np.ndarray
    dbeta: np.ndarray


class NormLayers(NamedTuple):
    """The norms of all hidden layers, as `Norm.kernels` takes them.

    Attributes:
        norms: the norm of each hidden layer.
        batch: mini-batch size N.
        gradients: where to write the gradients of the parameters, by layer and name.
        buffers: the buffers of all layers by name, [L, …] each; `Norm.buffers` are their rows.
        members: (K,) for the norms of a stack, whose parameters and buffers are [K, …]; only norms
            that are `stackable` are asked so.
    """

    norms: Sequence[Norm]
    batch: int
    gradients: Sequence[Tensors]
    buffers: Mapping[str, Tensor]
    members: tuple[int, ...] = ()

    def learned(self, layer: int) -> Learned:
        """Return the parameters that a layer's norm learns, and the memory for their gradients."""
        norm, gradients = self.norms[layer], self.gradients[layer]
        unused = torch.empty(2, *self.members, norm.width, dtype=norm.dtype)
        return Learned(
            gamma=share_units(norm.scale_or_shift("gamma")),
            beta=share_units(norm.scale_or_shift("beta")),
            dgamma=gradients.get("gamma", unused[0]).numpy(),
            dbeta=gradients.get("beta", unused[1]).numpy(),
        )


class TensorKernels(Kernels):
    """Any norm, through its own `forward` and `backward`."""

    def __init__(self, layers: NormLayers) -> None:
        self._norms, self._gradients = layers.norms, layers.gradients
        self._caches: list[Any] = [None] * len(layers.norms)

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """See `Kernels`."""
        norm = self._norms[layer]
        result, self._caches[layer] = norm.forward(x.tensor, training=not norm.fixed_statistics)
        y.tensor.copy_(result)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """See `Kernels`."""
        norm = self._norms[layer]
        dx.tensor.copy_(norm.backward(dy.tensor, self._caches[layer]))
        for name, gradient in self._gradients[layer].items():
            gradient.copy_(norm.gradients[name])

    def update_statistics(self) -> None:
        """See `Kernels`."""
        for norm, cache in zip(self._norms, self._caches, strict=True):
            norm.update_statistics(cache)
