"""Base class of all networks, with access to every intermediate value and gradient."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.activations import Activation
from bnviz.networks.init import draw_weights
from bnviz.networks.loss import LOSSES, Loss
from bnviz.networks.rate_groups import RateGroups
from bnviz.networks.trace import Gradients, Trace
from bnviz.norms import NORMS
from bnviz.norms.base import Norm, Tensors
from bnviz.pieces import Pieces, run_to_end

# Alignment of parameters, in values: every parameter starts at a multiple of 16 values (64 bytes in
# float32), so that vector instructions treat it in the same way in every run.
ALIGNMENT = 16


@dataclass(frozen=True)
class NetworkParts:
    """Norm, dtype and device of a network under construction. `norm` is a key of `NORMS`."""

    norm: str
    dtype: torch.dtype = torch.float32
    device: torch.device | str = "cpu"

    def norms(self, config: RunConfig, count: int, *, first: int = 0) -> list[Norm]:
        """Create one norm per layer, numbered from `first`. An ablation may skip some layers."""
        entry = NORMS[self.norm]
        options = {name: getattr(config, knob) for name, knob in entry.options.items()}
        chosen = config.ablation_layers if self.norm == "ablated" else None
        found = []
        for layer in range(count):
            here = entry if chosen is None or layer + 1 in chosen else NORMS["none"]
            norm: Norm = here.resolve()(
                config.width, eps=config.norm_eps, momentum=config.norm_momentum,
                affine=config.norm_affine, dtype=self.dtype, device=self.device, seed=config.seed,
                layer=first + layer, **(options if here is entry else {}),
            )  # fmt: skip
            found.append(norm)
        return found

    def weights(self, config: RunConfig, shapes: list[tuple[int, int]]) -> list[Tensor]:
        """Return initial matrices of these shapes (fan_out, fan_in), the same for every norm."""
        drawn = draw_weights(config.init, config.init_std, shapes, config.seed)
        return [torch.tensor(each, dtype=self.dtype, device=self.device) for each in drawn]

    def norm_first(self, config: RunConfig) -> bool:
        """Return whether norms are placed before the nonlinearity."""
        return NORMS[self.norm].stands_first(config.norm_position)


class Network(ABC):
    """Classifier of examples [N, D] that consists of layers.

    Attributes:
        layer_names: "layer 1", … (or "time 1", …), the row names of all per-layer results.
        names: names of the parameter groups; the last is "output".
        norm_first: whether norms are placed before the nonlinearity.
        flat: all parameters in one tensor, with gaps of zeros, so that an optimizer step takes few
            operations at any depth. `parameters` are views of `flat`.
        rate_groups: groups of parameters that may have separate learning rates.
    """

    layer_names: tuple[str, ...]
    names: tuple[str, ...]
    norms: list[Norm]

    def __init__(self, activation: Activation, *, norm_first: bool = True) -> None:
        self.activation = activation
        self.norm_first = norm_first
        self.loss: Loss = LOSSES["cross_entropy"]
        self._step = 0
        self._fixed_statistics = False

    def _lay_out(self, initial: Mapping[str, Tensor]) -> None:
        """Allocate `flat`, fill it with these initial values and bind all views to it."""
        # Matrices are stored as [fan_in, fan_out]; see `views`.
        self._shapes = {
            name: tuple(value.shape[::-1] if value.dim() == 2 else value.shape)
            for name, value in initial.items()
        }
        self._sizes = [-(-each.numel() // ALIGNMENT) * ALIGNMENT for each in initial.values()]
        learned = {key for norm in self.every_norm() for key in norm.parameters}
        self.rate_groups = RateGroups(self._shapes, self._sizes, learned)
        self.flat = next(iter(initial.values())).new_zeros(sum(self._sizes))
        self._parameters = self.views(self.flat)
        for name, value in initial.items():
            self._parameters[name].copy_(value)
        self._bind({})

    def views(self, flat: Tensor) -> Tensors:
        """Return the parameters by name, as views of a tensor that has the layout of `flat`.

        Matrices are stored as [fan_in, fan_out], which makes the matrix product faster. The views
        are transposed to [fan_out, fan_in]. For a stack of K networks, `flat` is [K, P] and every
        view has a leading axis K.
        """
        # `split` lets autograd assemble the gradient in one operation. Separate slices would each
        # add a full-size gradient of `flat`.
        pieces = flat.split(self._sizes, dim=-1)
        found = {}
        for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True):
            view = piece[..., : math.prod(shape)].unflatten(-1, shape)
            found[name] = view.mT if len(shape) == 2 else view
        return found

    def layout(self) -> list[tuple[str, tuple[int, ...], int]]:
        """Return name, shape, and first element in `flat` of each parameter.

        Shapes are those in memory: matrices are transposed to [fan_in, fan_out].
        """
        starts = accumulate(self._sizes, initial=0)
        shapes = self._shapes.items()
        return [(*named, start) for named, start in zip(shapes, starts, strict=False)]

    def layer_at(self, place: int) -> str:
        """Return the name of the layer that owns the element of `flat` at index `place`."""
        name = list(self._shapes)[bisect_right(list(accumulate(self._sizes)), place)]
        return name.rpartition(".")[0]

    def parameters(self) -> Tensors:
        """Parameters by name ("layer 1.weight" [fan_out, fan_in], …), as writable views."""
        return dict(self._parameters)

    def hidden_weights(self) -> list[Tensor]:
        """Views of the hidden weights, from input to output; shared weights occur once."""
        return [self._parameters[f"{name}.weight"] for name in self.names[:-1]]

    @abstractmethod
    def named_norms(self) -> list[tuple[str, Norm]]:
        """Return all norms with their names; a layer may have more than one norm."""

    def every_norm(self) -> list[Norm]:
        return [norm for _, norm in self.named_norms()]

    def buffers(self) -> Tensors:
        return {
            f"{name}.{key}": value
            for name, norm in self.named_norms()
            for key, value in norm.buffers.items()
        }

    def whole_buffers(self) -> list[Tensor]:
        """All running statistics, in as few tensors as possible."""
        return list(self.buffers().values())

    def forward(self, inputs: Tensor, *, training: bool) -> Trace:
        """Compute all values for inputs [N, D] in new tensors; running statistics do not change."""
        return run_to_end(self.forward_in_pieces(inputs, training=training))

    @abstractmethod
    def forward_in_pieces(self, inputs: Tensor, *, training: bool) -> Pieces[Trace]:
        """Run `forward`, yielding after each layer."""

    @abstractmethod
    def backward(self, trace: Trace, labels: Tensor) -> tuple[Tensor, Gradients]:
        """Return the mean loss and all gradients, in the mode of `trace`. Do not wait for a GPU."""

    @abstractmethod
    def named_gradients(self, gradients: Gradients) -> Tensors:
        """Return the gradients of the parameters by name; see `parameters`."""

    @abstractmethod
    def update_statistics(self, trace: Trace) -> None:
        """Update the running statistics from a training-mode pass, unless they are fixed."""

    @abstractmethod
    def layer_jacobian(
        self, trace: Trace, index: int, count: int, *, narrow: bool = False
    ) -> Tensor:
        """Return ∂(layer output) / ∂(output of the layer below) at inference, float64 [count, m,
        n].

        If `narrow`, a matrix with more columns than rows may be replaced by a smaller matrix with
        the same singular values. `count` examples are taken from the start of the batch.
        """

    @abstractmethod
    def input_jacobian(self, trace: Trace, count: int) -> Tensor:
        """Return ∂ logits / ∂ inputs at inference, for `count` examples, float64 [count, C, D]."""

    @abstractmethod
    def _bind(self, own: dict[int, Norm]) -> None:
        """Bind views to `_parameters` and replace norms; `own` maps old norms' ids to new norms."""

    @property
    def step(self) -> int:
        """Number of updates so far, which determines the noise of noisy norms."""
        return self._step

    @step.setter
    def step(self, step: int) -> None:
        self._step = step
        for norm in self.every_norm():
            norm.step = step

    @property
    def fixed_statistics(self) -> bool:
        """Return whether training mode uses the running statistics and keeps them constant."""
        return self._fixed_statistics

    @fixed_statistics.setter
    def fixed_statistics(self, fixed: bool) -> None:
        self._fixed_statistics = fixed
        for norm in self.every_norm():
            norm.fixed_statistics = fixed and bool(norm.buffers)

    @property
    def taken_in(self) -> int:
        """Number of mini-batches in the running statistics; 0 unless they are plain averages."""
        return max(norm.taken_in for norm in self.every_norm())

    @taken_in.setter
    def taken_in(self, count: int) -> None:
        for norm in self.every_norm():
            norm.taken_in = count

    def with_batch_statistics(self) -> Self:
        """Return a copy whose norms use mini-batch statistics in training; tensors are shared."""
        other = self.twin(self.flat)
        other.fixed_statistics = False
        for norm in other.every_norm():
            norm.use_batch_statistics()
        return other

    def twin(self, flat: Tensor, *, copy_buffers: bool = False) -> Self:
        """Return a copy of the network whose parameters are views of another flat tensor.

        The copy is differentiable with respect to `flat`. It shares the running statistics, unless
        `copy_buffers` is true or `flat` has another dtype. In the latter case, the statistics are
        converted to this dtype.
        """
        other = copy.copy(self)
        other.flat = flat
        other._parameters = other.views(flat)
        own = {}
        for norm in self.every_norm():
            new = copy.copy(norm)
            new.parameters, new.gradients = dict(norm.parameters), {}
            new.dtype = flat.dtype
            if copy_buffers or flat.dtype != self.flat.dtype:
                new.buffers = {
                    key: value.to(flat.dtype, copy=True) for key, value in norm.buffers.items()
                }
            else:
                new.buffers = dict(norm.buffers)
            own[id(norm)] = new
        other._bind(own)
        return other

    def slope(self, trace: Trace, index: int, count: int) -> Tensor:
        """Return φ′ of a layer, recomputed in float64: 1 − h² loses digits near saturation."""
        inputs = trace.layers[index].nonlinearity_input[:count].double()
        return self.activation.derivative(inputs, self.activation.forward(inputs))
