"""Fully connected networks with an explicit backward pass."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.base import Network, NetworkParts
from bnviz.networks.layered import Layer, Layered
from bnviz.networks.products import product
from bnviz.networks.skips import block_count
from bnviz.norms.base import Norm


class MLP(Layered):
    """Multilayer perceptron with optional skip connections; weights are [fan_out, fan_in]."""

    def _linear(self, index: int, x: Tensor) -> Tensor:
        layer = self.layers[index]
        return product(x, layer.weight.t(), layer.bias)

    def _linear_gradients(self, index: int, dy: Tensor, x: Tensor) -> tuple[Tensor, Tensor | None]:
        return product(dy.t(), x), product(dy, self.layers[index].weight) if index else None

    def _matrix(self, index: int, *, narrow: bool = False) -> Tensor:
        weight = self.layers[index].weight.double()
        return narrowed(weight) if narrow else weight

    def _norm_jacobians(self, norm: Norm, rows: Tensor) -> Tensor:
        affine = norm.inference_affine()
        if affine is not None:
            return affine[0].double()
        return torch.stack([norm.inference_jacobian(row) for row in rows]).double()


def narrowed(weight: Tensor) -> Tensor:
    """Return Rᵀ [H, H] with the singular values of W [H, n] if W is wide, otherwise W.

    W = Rᵀ Qᵀ with orthonormal Q, so A W and A Rᵀ have the same singular values for every A.
    """
    if weight.shape[1] <= weight.shape[0]:
        return weight
    return torch.linalg.qr(weight.mT, mode="r").R.mT


def start_branches(layers: list[Layer], skip: int, start: float) -> None:
    """Scale the initial output of every residual branch by `start` (0 to 1), in place, at step 0.

    The last γ of each branch is multiplied by `start`. If the last layer has no γ, its weights are
    multiplied instead. A norm without γ cancels any factor except 0. With `start` = 0, every branch
    initially outputs zero and every block φ(h) (Goyal et al. 2017 for γ).

    If `start` is 0 and a branch of k = `skip` layers has no norm at all, the other weights of the
    branch are multiplied by L^(−1/(2k − 2)), where L is the number of branches (Fixup, Zhang et al.
    2019). Then an update of all L branches changes the function at most as much as an update of one
    branch would.
    """
    if start == 1:
        return
    count = block_count(len(layers), skip)
    for block in range(count):
        branch = layers[block * skip + 1 : (block + 1) * skip + 1]
        last = branch[-1]
        part = last.weight if last.norm.gamma is None else last.norm.gamma
        part.mul_(start)
        if start == 0 and all(layer.norm.name == "none" for layer in branch):
            for layer in branch[:-1]:
                layer.weight.mul_(count ** (-1 / (2 * skip - 2)))


def build(config: RunConfig, features: int, classes: int, parts: NetworkParts) -> Network:
    """Build a network of `config.depth` layers of `config.width` units."""
    sizes = [features, *[config.width] * config.depth, classes]
    shapes = [(fan_out, fan_in) for fan_in, fan_out in pairwise(sizes)]
    network = MLP(
        parts.weights(config, shapes), parts.norms(config, config.depth),
        ACTIVATIONS[config.activation], norm_first=parts.norm_first(config), skip=config.skip,
    )  # fmt: skip
    start_branches(network.layers, config.skip, config.branch_start)
    return network
