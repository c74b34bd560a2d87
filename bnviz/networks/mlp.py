"""Fully connected networks that give out every intermediate, with an explicit backward pass."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.base import Kit, Network, activation_of, finish
from bnviz.networks.layered import Layered
from bnviz.networks.products import product
from bnviz.networks.trace import Trace
from bnviz.norms.none import NoNorm


class MLP(Layered):
    """A multilayer perceptron; weights are [fan_out, fan_in]."""

    def _linear(self, index: int, x: Tensor) -> Tensor:
        layer = self.layers[index]
        return product(x, layer.weight.t(), layer.bias)

    def _linear_gradients(self, index: int, dy: Tensor, x: Tensor) -> tuple[Tensor, Tensor | None]:
        return product(dy.t(), x), product(dy, self.layers[index].weight) if index else None

    def layer_jacobian(
        self, trace: Trace, index: int, count: int, *, narrow: bool = False
    ) -> Tensor:
        """Norm and nonlinearity times the weights; see `Network.layer_jacobian`."""
        weight = self.layers[index].weight.double()
        outer = self._past_weights(trace, index, count)
        inner = narrowed(weight) if narrow else weight
        return outer[:, :, None] * inner if outer.dim() == 2 else outer @ inner

    def input_jacobian(self, trace: Trace, count: int) -> Tensor:
        """The layers' Jacobians, multiplied from the output; see `Network.input_jacobian`."""
        found = self.output_weight.double().expand(count, -1, -1)
        for index in reversed(range(len(self.layers))):
            outer = self._past_weights(trace, index, count)
            inner = found * outer[:, None, :] if outer.dim() == 2 else found @ outer
            found = inner @ self.layers[index].weight.double()
        return found

    def _past_weights(self, trace: Trace, index: int, count: int) -> Tensor:
        """∂ output / ∂ pre-activation of a layer: [E, H] where all are diagonal, else [E, H, H]."""
        values, slope = trace.layers[index], self.slope(trace, index, count)
        norm = self.layers[index].norm
        if isinstance(norm, NoNorm):
            return slope
        affine = norm.inference_affine()
        if affine is not None:
            return slope * affine[0].double()
        rows = (values.pre_activation if self.norm_first else values.activation)[:count].double()
        through = torch.stack([norm.inference_jacobian(row) for row in rows]).double()
        if through.dim() == 2:
            return slope * through
        return slope[:, :, None] * through if self.norm_first else through * slope[:, None, :]


def narrowed(weight: Tensor) -> Tensor:
    """A square matrix with the singular values of a wide [H, n], whatever stands left of it.

    W = Rᵀ Qᵀ with orthonormal Q, so that A W and A Rᵀ have the same singular values.
    """
    if weight.shape[1] <= weight.shape[0]:
        return weight
    return torch.linalg.qr(weight.mT, mode="r").R.mT


def build(config: RunConfig, features: int, classes: int, kit: Kit) -> Network:
    """A network of `config.depth` layers of `config.width` units."""
    sizes = [features, *[config.width] * config.depth, classes]
    shapes = [(fan_out, fan_in) for fan_in, fan_out in pairwise(sizes)]
    network = MLP(
        kit.weights(config, shapes), kit.norms(config, config.depth), activation_of(config),
        norm_position=kit.norm_position(config),
    )  # fmt: skip
    return finish(network, config)
