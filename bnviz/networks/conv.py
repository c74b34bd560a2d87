"""Small convolutional networks with the same layer structure as the fully connected network.

The first layer maps an image of any size to a 4×4 grid. Every further layer is a 3×3 convolution on
that grid. A feature map takes the role of a unit.
"""

from __future__ import annotations

from math import isqrt

import torch
from torch import Tensor
from torch.nn import functional, grad

from bnviz.config import RunConfig
from bnviz.networks import GRID, KERNEL
from bnviz.networks.activations import ACTIVATIONS, Activation
from bnviz.networks.base import Network, NetworkParts
from bnviz.networks.layered import Layered
from bnviz.norms.base import Norm


class ConvNet(Layered):
    """Convolutional network; weights are [C_out, C_in, k, k], values [N, C, 4, 4], padding is 1."""

    def __init__(
        self,
        weights: list[Tensor],
        norms: list[Norm],
        activation: Activation,
        side: int,
        *,
        norm_first: bool = True,
    ) -> None:
        """Build a network for images of side×side pixels; for other arguments see `Layered`."""
        self.side = side
        super().__init__(weights, norms, activation, norm_first=norm_first)

    def _prepare(self, inputs: Tensor) -> Tensor:
        return inputs.view(len(inputs), 1, self.side, self.side)

    def _stride(self, index: int) -> int:
        return 1 if index else self.side // GRID

    def _linear(self, index: int, x: Tensor) -> Tensor:
        layer = self.layers[index]
        return functional.conv2d(x, layer.weight, layer.bias, self._stride(index), padding=1)

    def _linear_gradients(self, index: int, dy: Tensor, x: Tensor) -> tuple[Tensor, Tensor | None]:
        weight, stride = self.layers[index].weight, self._stride(index)
        dweight = grad.conv2d_weight(x, weight.shape, dy, stride, padding=1)
        if not index:
            return dweight, None
        return dweight, grad.conv2d_input(x.shape, weight, dy, stride, padding=1)

    def _matrix(self, index: int, *, narrow: bool = False) -> Tensor:
        weight = self.layers[index].weight.double()
        side = GRID if index else self.side
        count = weight.shape[1] * side * side
        basis = torch.eye(count, dtype=weight.dtype, device=weight.device)
        basis = basis.view(count, weight.shape[1], side, side)
        return functional.conv2d(basis, weight, None, self._stride(index), padding=1).flatten(1).t()

    def _norm_jacobians(self, norm: Norm, rows: Tensor) -> Tensor:
        return torch.stack([_norm_jacobian(norm, row) for row in rows])


def _norm_jacobian(norm: Norm, row: Tensor) -> Tensor:
    """Return ∂ norm(x) / ∂x of one example [C, S, S] in inference mode, [n, n].

    In inference mode examples are independent. So one backward pass through n copies of the
    example, with one unit vector per copy, gives the n rows of the Jacobian.
    """
    count = row.numel()
    _, cache = norm.forward(row.expand(count, *row.shape), training=False)
    rows = torch.eye(count, dtype=row.dtype, device=row.device).view(count, *row.shape)
    return norm.backward(rows, cache).reshape(count, count)


def build(config: RunConfig, features: int, classes: int, parts: NetworkParts) -> Network:
    """Build a network of `config.depth` layers with `config.width` feature maps each."""
    side = isqrt(features)
    first, width = side // GRID + 2, config.width
    kernels = [(1, first), *[(width, KERNEL)] * (config.depth - 1)]
    shapes = [(width, inputs * kernel**2) for inputs, kernel in kernels]
    *filters, output = parts.weights(config, [*shapes, (classes, width * GRID**2)])
    weights = [
        matrix.view(width, inputs, kernel, kernel)
        for matrix, (inputs, kernel) in zip(filters, kernels, strict=True)
    ]
    return ConvNet(
        [*weights, output], parts.norms(config, config.depth), ACTIVATIONS[config.activation], side,
        norm_first=parts.norm_first(config),
    )  # fmt: skip
