"""What a forward and a backward pass give out: every intermediate, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor

from bnviz.norms.base import Tensors


@dataclass
class LayerTrace:
    """The values of one hidden layer for one batch, all [N, H], or [N, C, S, S] of a convolution.

    With the norm before the nonlinearity, normalized = norm(pre_activation) and activation =
    φ(normalized); with the norm after it, activation = φ(pre_activation) and normalized =
    norm(activation).

    Where the norm also drops values, what the layer sends on is that result times `mask`.

    At the end of a block with a skip connection, where the norm always comes first, activation =
    φ(summed), and summed = normalized + what the block got.

    Attributes:
        name: "layer 1", ...
        pre_activation: W h + b, before any normalization.
        normalized: what the norm gives.
        activation: what the nonlinearity gives.
        norm_cache: what the norm's backward pass needs.
        norm_first: whether the norm stands before the nonlinearity.
        summed: what the nonlinearity gets at the end of a block; None elsewhere.
        mask: what the result is multiplied by where values are dropped; None where none are.
    """

    name: str
    pre_activation: Tensor
    normalized: Tensor
    activation: Tensor
    norm_cache: Any
    norm_first: bool = True
    summed: Tensor | None = None
    mask: Tensor | None = None

    @property
    def norm_input(self) -> Tensor:
        """What the norm got."""
        return self.pre_activation if self.norm_first else self.activation

    @property
    def nonlinearity_input(self) -> Tensor:
        """What the nonlinearity got."""
        if self.summed is not None:
            return self.summed
        return self.normalized if self.norm_first else self.pre_activation

    @cached_property
    def output(self) -> Tensor:
        """What the next layer gets."""
        result = self.activation if self.norm_first else self.normalized
        return result if self.mask is None else result * self.mask


def unit_rows(values: Tensor) -> Tensor:
    """Values by unit: [N, H] as they are, [N, C, S, S] as [N·S·S, C].

    A feature map is a unit, and each of its places a sample, as batch normalization has it.
    """
    if values.dim() == 2:
        return values
    return values.movedim(1, -1).reshape(-1, values.shape[1])


@dataclass
class Trace:
    """One forward pass: inputs [N, D], the hidden layers' values, logits [N, C]."""

    inputs: Tensor
    layers: list[LayerTrace]
    logits: Tensor


@dataclass
class LayerGradients:
    """∂loss/∂ each value of one hidden layer; `norm`: ∂loss/∂ its norm's parameters, by name."""

    weight: Tensor
    bias: Tensor | None
    norm: Tensors
    pre_activation: Tensor
    normalized: Tensor
    activation: Tensor


@dataclass
class OutputGradients:
    """∂loss/∂ the output layer's weight [C, H], bias [C] and logits [N, C]."""

    weight: Tensor
    bias: Tensor
    logits: Tensor


@dataclass
class Gradients:
    """One backward pass."""

    layers: list[LayerGradients]
    output: OutputGradients

    @property
    def weights(self) -> list[Tensor]:
        """By the weights of each layer, then of the output."""
        return [*(layer.weight for layer in self.layers), self.output.weight]
