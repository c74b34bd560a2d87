"""Intermediate values of a forward pass, and gradients of a backward pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor

from bnviz.norms.base import Tensors


@dataclass
class LayerTrace:
    """Values of one hidden layer for one batch, [N, H], or [N, C, S, S] for a convolution.

    Norm before the nonlinearity: normalized = norm(pre_activation), activation = φ(normalized).
    Norm after the nonlinearity: activation = φ(pre_activation), normalized = norm(activation). End
    of a block with a skip connection (norm always first): activation = φ(summed).

    Attributes:
        name: "layer 1", …
        pre_activation: W h + b, before normalization.
        norm_cache: cache for the norm's backward pass.
        summed: normalized + input of the block, or None except at the end of a block.
        mask: dropout mask that multiplies the layer's output, or None.
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
        return self.pre_activation if self.norm_first else self.activation

    @property
    def nonlinearity_input(self) -> Tensor:
        if self.summed is not None:
            return self.summed
        return self.normalized if self.norm_first else self.pre_activation

    @cached_property
    def output(self) -> Tensor:
        """Output of the layer, and input of the next layer."""
        result = self.activation if self.norm_first else self.normalized
        return result if self.mask is None else result * self.mask


def unit_rows(values: Tensor) -> Tensor:
    """Reshape feature maps [N, C, S, S] to units [N·S·S, C]. Leave values [N, H] unchanged."""
    if values.dim() == 2:
        return values
    return values.movedim(1, -1).reshape(-1, values.shape[1])


@dataclass
class Trace:
    """Values of a forward pass: inputs [N, D], values of the hidden layers, logits [N, C]."""

    inputs: Tensor
    layers: list[LayerTrace]
    logits: Tensor


@dataclass
class LayerGradients:
    """Gradients of the loss for one hidden layer; `norm` contains them by norm parameter."""

    weight: Tensor
    bias: Tensor | None
    norm: Tensors
    pre_activation: Tensor
    normalized: Tensor
    activation: Tensor


@dataclass
class OutputGradients:
    """Gradients of the loss for the output layer: weight [C, H], bias [C] and logits [N, C]."""

    weight: Tensor
    bias: Tensor
    logits: Tensor


@dataclass
class Gradients:
    """Gradients of all layers from one backward pass."""

    layers: list[LayerGradients]
    output: OutputGradients

    @property
    def weights(self) -> list[Tensor]:
        """Gradients of the weights of each hidden layer, then of the output layer."""
        return [*(layer.weight for layer in self.layers), self.output.weight]
