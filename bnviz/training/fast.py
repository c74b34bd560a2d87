"""Training-mode forward and backward pass on the CPU, in preallocated memory.

The results match `MLP.forward` and `MLP.backward`, at about half the cost: nothing is allocated,
NumPy calls are cheaper on small arrays, and one [L, N, H] array per quantity lets the monitor check
all layers at once.

The same code runs a stack of networks, whose arrays have an additional axis. Each network gets the
same bits as if trained alone: matrix products are separate, and a row holds the values of only one
network, because vectorized loops compute the end of a row differently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.loss import LOSSES
from bnviz.networks.mlp import MLP
from bnviz.norms.base import NormLayers, TensorKernels, Tensors
from bnviz.norms.kernels import Kernels, MemberKernels, Shared, share


class FastPassResult(NamedTuple):
    """Loss and accuracy of a forward pass, scalars or [K] for a stack."""

    loss: np.ndarray
    accuracy: np.ndarray


class _FastLayer(NamedTuple):
    """Arrays of one hidden layer; in a stack, they have the networks as an additional first axis.

    At the end of a block with a skip connection, `normalized` is overwritten with the block's sum,
    because the norm's own result is not needed again.
    """

    weight: np.ndarray  # [fan_in, H]
    bias: np.ndarray | None  # [1, H]
    weight_gradient: np.ndarray
    bias_gradient: np.ndarray | None
    pre_activation: Shared  # [N, H]
    normalized: Shared  # output of the norm; without a norm, pre-activation or activation
    activation: Shared
    sent: Shared  # input of the next layer, after dropout
    added: np.ndarray | None  # [N, H] from a skip connection, added before the nonlinearity
    begins_block: bool  # whether a skip connection starts at this layer's output


class FastPass:
    """Forward and backward passes of one network or of a stack, for one mini-batch size.

    Attributes:
        fixed_statistics: whether the statistics were fixed at construction.
        inputs: inputs of the nonlinearities, [L, N, H] or [L, K, N, H].
        outputs: outputs of the nonlinearities, with the same shape.
    """

    def __init__(
        self, network: MLP, gradient: Tensor, batch: int, members: Sequence[MLP] = ()
    ) -> None:
        """Allocate memory for a network.

        Args:
            network: a CPU network whose parameters are used in place, or a stack with shapes [K,
                …].
            gradient: a tensor with the layout of `MLP.flat`, which `backward` fills.
            members: the networks of a stack, for norms that run on each network separately.
        """
        self.batch, self.fixed_statistics = batch, network.fixed_statistics
        self._norm_first, self._phi = network.norm_first, network.activation
        dtype, stacked = network.flat.dtype, tuple(network.flat.shape[:-1])
        views = network.views(gradient)
        self._kernels = _kernels(network, gradient, batch, members)
        depth, width = len(network.layers), network.layers[0].weight.shape[-2]
        stack = (depth, *stacked, batch, width)
        self._pre_activations = torch.empty(stack, dtype=dtype)
        self.outputs = torch.empty(stack, dtype=dtype)
        self.inputs, self._normalized = self._pre_activations, self._pre_activations
        if self._kernels is not None:
            self._normalized = torch.empty(stack, dtype=dtype)
        elif not self._norm_first:
            self._normalized = self.outputs
        if self._norm_first:
            self.inputs = self._normalized
        # For dropout: each network's norms that drop values, and the outputs after dropout [L, N,
        # H].
        self._droppers = [each.norms for each in members or (network,) if _drops(network)]
        self._sent = torch.empty(stack if self._droppers else 0, dtype=dtype)
        self._masks = [torch.empty(0)] * depth
        self._layers = [self._layer(network, index, views) for index in range(depth)]
        self._set_up_output(network, views)
        self._loss = self._squared if network.loss is LOSSES["squared"] else self._cross_entropy
        self._flat_inputs = self.inputs.view(depth, *stacked, batch * width).numpy()
        self._work = [share(torch.empty(stack[1:], dtype=dtype)) for _ in range(2)]
        # Gradient that flows through the skip connection around the current branch.
        skips = any(layer.begins_block for layer in self._layers)
        self._skipped = np.empty(stack[1:] if skips else 0, self._ones.dtype)

    def _layer(self, network: MLP, index: int, views: Tensors) -> _FastLayer:
        layer = network.layers[index]
        bias, bias_gradient = layer.bias, views.get(f"{layer.name}.bias")
        source = network.skip_from[index]
        return _FastLayer(
            weight=layer.weight.mT.numpy(),
            bias=None if bias is None else bias.unsqueeze(-2).numpy(),
            weight_gradient=views[f"{layer.name}.weight"].mT.numpy(),
            bias_gradient=None if bias_gradient is None else bias_gradient.numpy(),
            pre_activation=share(self._pre_activations[index]),
            normalized=share(self._normalized[index]),
            activation=share(self.outputs[index]),
            sent=share(self._sent_by(index)),
            added=None if source is None else self.outputs[source].numpy(),
            begins_block=index in network.skip_from,
        )

    def _sent_by(self, index: int) -> Tensor:
        """Return the array of a layer's output."""
        if self._droppers:
            return self._sent[index]
        return (self.outputs if self._norm_first else self._normalized)[index]

    def _set_up_output(self, network: MLP, views: Tensors) -> None:
        """Allocate logits as [C, N], because reductions over few classes are then faster."""
        dtype, batch, stacked = network.flat.dtype, self.batch, tuple(network.flat.shape[:-1])
        classes = network.output_weight.shape[-2]
        self._output_weight = network.output_weight.mT.numpy()  # [H, C]
        self._output_bias = network.output_bias.numpy()[..., None]  # [C, 1]
        self._output_weight_gradient = views["output.weight"].mT.numpy()
        self._output_bias_gradient = views["output.bias"].numpy()
        self._logits, self._dlogits = (
            torch.empty(*stacked, classes, batch, dtype=dtype).numpy() for _ in range(2)
        )
        self._peak, self._total = (
            torch.empty(*stacked, batch, dtype=dtype).numpy() for _ in range(2)
        )
        self._row = (*stacked, classes * batch)
        self._ones = torch.ones(batch, dtype=dtype).numpy()
        # Positions of the logits of class 0 in the flattened array.
        first = np.arange(math.prod(stacked)) * (classes * batch)
        self._columns = first.reshape(*stacked, 1) + np.arange(batch) if stacked else (
            np.arange(batch)
        )  # fmt: skip

    def fits(self, network: MLP, batch: int) -> bool:
        """Return whether this object still fits the network and mini-batch size."""
        return self.batch == batch and self.fixed_statistics == network.fixed_statistics

    def forward(self, inputs: np.ndarray, labels: np.ndarray) -> FastPassResult:
        """Compute all values and the logits' gradient; inputs are [N, D], in a stack [K, N, D]."""
        self._batch_inputs = values = inputs
        kernels, phi = self._kernels, self._phi
        for index, layer in enumerate(self._layers):
            z = layer.pre_activation
            np.matmul(values, layer.weight, out=z.array)
            if layer.bias is not None:
                np.add(z.array, layer.bias, out=z.array)
            if self._norm_first:
                if kernels is not None:
                    kernels.forward(index, z, layer.normalized)
                if layer.added is not None:
                    np.add(layer.normalized.array, layer.added, out=layer.normalized.array)
                phi.forward_into(layer.normalized, layer.activation)
            else:
                phi.forward_into(z, layer.activation)
                if kernels is not None:
                    kernels.forward(index, layer.activation, layer.normalized)
            if self._droppers:
                self._drop(index, layer)
            values = layer.sent.array
        return self._forward_output(values, labels)

    def _drop(self, index: int, layer: _FastLayer) -> None:
        """Apply dropout to a layer's result."""
        result = (layer.activation if self._norm_first else layer.normalized).tensor
        own = result.view(-1, *result.shape[-2:])  # a member each
        drawn = (norms[index].mask(x) for norms, x in zip(self._droppers, own, strict=True))
        mask = torch.stack([each for each in drawn if each is not None]).view(result.shape)
        torch.mul(result, mask, out=layer.sent.tensor)
        self._masks[index] = mask

    def _forward_output(self, values: np.ndarray, labels: np.ndarray) -> FastPassResult:
        logits = self._logits
        np.matmul(self._output_weight.mT, values.mT, out=logits)
        np.add(logits, self._output_bias, out=logits)
        correct = np.count_nonzero(logits.argmax(-2) == labels, axis=-1)
        return FastPassResult(self._loss(labels), np.divide(correct, self.batch))

    def _squared(self, labels: np.ndarray) -> np.ndarray:
        dlogits, rows = self._dlogits, self._dlogits.reshape(self._row)
        np.copyto(dlogits, self._logits)
        dlogits.reshape(-1)[labels * self.batch + self._columns] -= 1
        loss = np.vecdot(rows, rows).astype(np.float64) / (2 * self.batch)
        np.multiply(dlogits, 1 / self.batch, out=dlogits)
        return loss

    def _cross_entropy(self, labels: np.ndarray) -> np.ndarray:
        logits, dlogits, total = self._logits, self._dlogits, self._total
        np.maximum.reduce(logits, -2, out=self._peak)
        np.subtract(logits, self._peak[..., None, :], out=logits)
        chosen = labels * self.batch + self._columns
        picked = logits.reshape(-1)[chosen]
        np.exp(logits, out=dlogits)
        np.add.reduce(dlogits, -2, out=total)
        loss = np.vecdot(np.log(total) - picked, self._ones).astype(np.float64) / self.batch
        np.reciprocal(total, out=total)
        np.multiply(total, 1 / self.batch, out=total)
        np.multiply(dlogits, total[..., None, :], out=dlogits)
        dlogits.reshape(-1)[chosen] -= 1 / self.batch
        return loss

    def mean_square(self) -> np.ndarray:
        """Return the mean square of each layer's nonlinearity input, [L] or [L, K]."""
        flat = self._flat_inputs
        return np.vecdot(flat, flat) / flat.shape[-1]

    def logits_finite(self) -> np.ndarray:
        """Return whether the last logits were finite, [K]; cross-entropy subtracts their maxima."""
        rows = self._logits.reshape(self._row)
        # The sum of squares is a faster check, but it may overflow for finite values.
        finite = np.isfinite(np.vecdot(rows, rows))
        return finite if finite.all() else finite | np.isfinite(rows).all(-1)

    def backward(self) -> None:
        """Fill `gradient` for the last forward pass."""
        dlogits, (doutput, other) = self._dlogits, self._work
        np.matmul(self._layers[-1].sent.array.mT, dlogits.mT, out=self._output_weight_gradient)
        np.matmul(dlogits, self._ones, out=self._output_bias_gradient)
        np.matmul(dlogits.mT, self._output_weight.mT, out=doutput.array)
        for index in range(len(self._layers) - 1, -1, -1):
            layer = self._layers[index]
            if self._droppers:
                torch.mul(doutput.tensor, self._masks[index], out=doutput.tensor)
            if layer.begins_block:
                np.add(doutput.array, self._skipped, out=doutput.array)
            dpre, spare = self._backward_layer(index, layer, doutput, other)
            below = self._below(index)
            np.matmul(below.mT, dpre.array, out=layer.weight_gradient)
            if layer.bias_gradient is not None:
                np.matmul(self._ones, dpre.array, out=layer.bias_gradient)
            if index:
                np.matmul(dpre.array, layer.weight.mT, out=spare.array)
                doutput, other = spare, dpre

    def _below(self, index: int) -> np.ndarray:
        return self._layers[index - 1].sent.array if index else self._batch_inputs

    def _backward_layer(
        self, index: int, layer: _FastLayer, doutput: Shared, other: Shared
    ) -> tuple[Shared, Shared]:
        """Return the pre-activation's gradient in one of two work arrays, and the other array."""
        kernels, phi = self._kernels, self._phi
        if kernels is None or self._norm_first:
            z = layer.normalized if self._norm_first else layer.pre_activation
            phi.backward_into(doutput, z, layer.activation, other)
            if layer.added is not None:
                np.copyto(self._skipped, other.array)
            if kernels is None:
                return other, doutput
            kernels.backward(index, other, doutput)
            return doutput, other
        kernels.backward(index, doutput, other)
        phi.backward_into(other, layer.pre_activation, layer.activation, doutput)
        return doutput, other

    def update_statistics(self) -> None:
        """Update the norms' running statistics with the last forward pass."""
        if self._kernels is not None:
            self._kernels.update_statistics()


def _drops(network: MLP) -> bool:
    """Return whether the network applies dropout to layer outputs."""
    return any(norm.drops for norm in network.norms)


def _kernels(network: MLP, gradient: Tensor, batch: int, members: Sequence[MLP]) -> Kernels | None:
    """Return fast kernels if all layers have the same norm, otherwise general kernels."""
    kinds = {type(norm) for norm in network.norms}
    kind = next(iter(kinds))
    # Fast kernels use mini-batch statistics, so fixed statistics need general kernels.
    plain = len(kinds) > 1 or any(norm.fixed_statistics for norm in network.norms)
    if members and (plain or not kind.stackable):
        rows = zip(members, gradient, strict=True)
        own = [_kernels(member, row, batch, ()) for member, row in rows]
        return MemberKernels([kernels for kernels in own if kernels is not None])
    views = network.views(gradient)
    gradients = [
        {key: views[f"{layer.name}.{key}"] for key in layer.norm.parameters}
        for layer in network.layers
    ]
    stacked = tuple(gradient.shape[:-1])
    layers = NormLayers(network.norms, batch, gradients, network.stacked_buffers, stacked)
    return TensorKernels(layers) if plain else kind.kernels(layers)
