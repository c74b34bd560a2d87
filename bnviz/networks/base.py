"""What every network offers: its parameters in one flat tensor, and passes that hide nothing.

All parameters of a network lie in one flat tensor, so that an optimizer step is a few operations
whatever the depth.
"""

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

# Parameters start on 64-byte borders: vector instructions then treat each run's alike.
ALIGNMENT = 16


@dataclass(frozen=True)
class NetworkParts:
    """What a network is built with, besides its config and the size of the data.

    Attributes:
        norm: a key of `NORMS`.
        dtype: of everything in the network.
        device: of everything in the network.
    """

    norm: str
    dtype: torch.dtype = torch.float32
    device: torch.device | str = "cpu"

    def norms(self, config: RunConfig, count: int, *, first: int = 0) -> list[Norm]:
        """One norm for each of `count` layers; none where BN taken apart leaves a layer out.

        Args:
            config: of the run.
            count: number of layers.
            first: norms that are noisy tell their noise apart by numbers from here on.
        """
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
        """Initial matrices of these shapes (fan_out, fan_in), the same for every norm."""
        drawn = draw_weights(config.init, config.init_std, shapes, config.seed)
        return [torch.tensor(each, dtype=self.dtype, device=self.device) for each in drawn]

    def norm_first(self, config: RunConfig) -> bool:
        """Whether norms stand before the nonlinearity."""
        return NORMS[self.norm].stands_first(config.norm_position)


class Network(ABC):
    """A classifier of examples [N, D], layer by layer.

    Attributes:
        layer_names: "layer 1", … (or "time 1", …): the rows of everything measured by layer.
        names: of every group of parameters; the last is "output".
        norms: the norm of each layer.
        norm_first: whether norms stand before the nonlinearity.
        flat: every parameter, in one tensor with gaps of zeros; `parameters` are views of it.
        rate_groups: the groups of parameters that may have learning rates of their own.
        loss: the loss that training lowers.
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
        """Make `flat` for parameters that begin with these values, and bind everything to it."""
        # Matrices are stored by input; see `views`.
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
        """Views of a tensor laid out as `flat` (parameters, gradients), by parameter name.

        Matrices are stored by input, [fan_in, fan_out], because that product is the faster one; the
        views show them as [fan_out, fan_in].

        Args:
            flat: [P], or [K, P] of a stack: the views then begin with the members [K, …].
        """
        # One cut into pieces: autograd puts their gradients together at once, where each slice on
        # its own would add up a whole `flat`.
        pieces = flat.split(self._sizes, dim=-1)
        found = {}
        for (name, shape), piece in zip(self._shapes.items(), pieces, strict=True):
            view = piece[..., : math.prod(shape)].unflatten(-1, shape)
            found[name] = view.mT if len(shape) == 2 else view
        return found

    def layer_at(self, place: int) -> str:
        """The layer to whose parameters an element of `flat` belongs."""
        name = list(self._shapes)[bisect_right(list(accumulate(self._sizes)), place)]
        return name.rpartition(".")[0]

    def parameters(self) -> Tensors:
        """Views by name ("layer 1.weight" [fan_out, fan_in], …, "output.bias"); write in place."""
        return dict(self._parameters)

    def hidden_weights(self) -> list[Tensor]:
        """The weights of the hidden layers in place, [fan_out, fan_in] or as the layer has them.

        One a layer, input side first; where layers share their weights, each matrix once.
        """
        return [self._parameters[f"{name}.weight"] for name in self.names[:-1]]

    @abstractmethod
    def named_norms(self) -> list[tuple[str, Norm]]:
        """All norms, of which a layer may have more than one, each after what it is called."""

    def every_norm(self) -> list[Norm]:
        """All norms."""
        return [norm for _, norm in self.named_norms()]

    def buffers(self) -> Tensors:
        """The norms' running statistics by name ("layer 1.running_mean", …)."""
        return {
            f"{name}.{key}": value
            for name, norm in self.named_norms()
            for key, value in norm.buffers.items()
        }

    def whole_buffers(self) -> list[Tensor]:
        """All running statistics in as few tensors as they lie in."""
        return list(self.buffers().values())

    def forward(self, inputs: Tensor, *, training: bool) -> Trace:
        """Every intermediate for inputs [N, D], in new tensors; no statistics are updated.

        Args:
            inputs: of the network's dtype and device.
            training: whether norms use the batch's own statistics, unless these are fixed.
        """
        return run_to_end(self.forward_in_pieces(inputs, training=training))

    @abstractmethod
    def forward_in_pieces(self, inputs: Tensor, *, training: bool) -> Pieces[Trace]:
        """`forward`, a layer at a time."""

    @abstractmethod
    def backward(self, trace: Trace, labels: Tensor) -> tuple[Tensor, Gradients]:
        """Mean loss of a forward pass, and its gradient by every intermediate; waits for no device.

        Args:
            trace: from `forward`, in the mode in which the gradient is wanted.
            labels: int64 [N].
        """

    @abstractmethod
    def named_gradients(self, gradients: Gradients) -> Tensors:
        """The parameters' gradients, under the names of `parameters`."""

    @abstractmethod
    def update_statistics(self, trace: Trace) -> None:
        """Take a training-mode forward pass into every norm's running statistics.

        Nothing while these are fixed.
        """

    @abstractmethod
    def layer_jacobian(
        self, trace: Trace, index: int, count: int, *, narrow: bool = False
    ) -> Tensor:
        """∂ output of a layer / ∂ what it gets from the layer below, in inference mode.

        Args:
            trace: of an inference-mode forward pass.
            index: of the layer, from 0.
            count: at how many examples, from the first.
            narrow: fewer columns will do where there are more columns than rows, as long as the
                singular values are the same.

        Returns:
            float64 [count, m, n].
        """

    @abstractmethod
    def input_jacobian(self, trace: Trace, count: int) -> Tensor:
        """∂ logits / ∂ inputs in inference mode, float64 [count, C, D].

        Args:
            trace: of an inference-mode forward pass.
            count: at how many examples, from the first.
        """

    @abstractmethod
    def _bind(self, own: dict[int, Norm]) -> None:
        """Bind to the parameters in `_parameters` again, and to the norms that replace its own."""

    @property
    def step(self) -> int:
        """Updates taken so far: decides the noise of norms that have some."""
        return self._step

    @step.setter
    def step(self, step: int) -> None:
        self._step = step
        for norm in self.every_norm():
            norm.step = step

    @property
    def fixed_statistics(self) -> bool:
        """Whether training mode normalizes by the running statistics, as constants.

        They then stay as they are. Norms without running statistics go on as ever, and so does
        dropout.
        """
        return self._fixed_statistics

    @fixed_statistics.setter
    def fixed_statistics(self, fixed: bool) -> None:
        self._fixed_statistics = fixed
        for norm in self.every_norm():
            norm.fixed_statistics = fixed and bool(norm.buffers)

    @property
    def taken_in(self) -> int:
        """Mini-batches in the running statistics where these are averages of all so far."""
        return max(norm.taken_in for norm in self.every_norm())

    @taken_in.setter
    def taken_in(self, count: int) -> None:
        for norm in self.every_norm():
            norm.taken_in = count

    def with_batch_statistics(self) -> Self:
        """The same network; its norms use the mini-batch's own statistics in training mode."""
        other = self.twin(self.flat)
        other.fixed_statistics = False
        for norm in other.every_norm():
            norm.use_batch_statistics()
        return other

    def twin(self, flat: Tensor, *, copy_buffers: bool = False) -> Self:
        """The same network with its parameters read from another tensor laid out as `flat`.

        Differentiable by `flat`. Running statistics are shared unless they are copied.

        Args:
            flat: may be of another dtype; buffers are then copied to it.
            copy_buffers: give the twin running statistics of its own.
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
        """φ′ of a layer at the first examples, float64, computed again from φ's input.

        Near saturation 1 − h² of a float32 h has few digits left.
        """
        inputs = trace.layers[index].nonlinearity_input[:count].double()
        return self.activation.derivative(inputs, self.activation.forward(inputs))
