"""Logits of many examples in inference mode, without keeping intermediate values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.mlp import MLP
from bnviz.networks.products import product
from bnviz.norms.base import Norm
from bnviz.pieces import Pieces, run_to_end

# Number of rows per chunk on the CPU. The intermediate values of one chunk fit into a core's cache.
CHUNK = 256
# Number of rows per chunk on a GPU, limited by its memory: the intermediate values of one chunk
# take a gigabyte in a large network.
DEVICE_CHUNK = 2_048


def predict(network: Network, inputs: Tensor) -> Tensor:
    """Return the inference-mode logits [N, C], much faster than `Network.forward`.

    Norms that are affine in inference mode are folded into the preceding weights (Ioffe & Szegedy
    2015, Alg. 2).
    """
    return run_to_end(predict_in_pieces(network, inputs))


def predict_in_pieces(network: Network, inputs: Tensor) -> Pieces[Tensor]:
    """Run `predict`, yielding after each layer of each chunk of examples."""
    on_cpu = inputs.device.type == "cpu"
    if not on_cpu or not isinstance(network, MLP):
        chunks = []
        for part in inputs.split(CHUNK if on_cpu else DEVICE_CHUNK):
            trace = yield from network.forward_in_pieces(part, training=False)
            chunks.append(trace.logits)
            del trace  # Free the memory for the next chunk.
        return torch.cat(chunks)
    folded = [_fold(network, index) for index in range(len(network.layers))]
    yield
    parts = []
    for rows in inputs.split(CHUNK):
        values, block = rows.numpy(), np.empty(0)
        for index, layer in enumerate(folded):
            values = _through(network, index, values, layer, block)
            if index in network.skip_from:
                block = values
            yield
        last = torch.from_numpy(values)
        parts.append(product(last, network.output_weight.t(), network.output_bias))
    return torch.cat(parts)


def fold_norm(weight: Tensor, bias: Tensor | None, norm: Norm) -> tuple[Tensor, Tensor]:
    """Fold an inference-mode norm into the linear layer or convolution before it.

    The result is γ/√(Var + ε) · (W x + b) + (β − γ E/√(Var + ε)). A `bias` of None is 0.

    Raises:
        ValueError: if the norm is not affine in inference mode.
    """
    affine = norm.inference_affine()
    if affine is None:
        raise ValueError(
            f"Only a norm that scales and shifts each unit at inference can be folded; "
            f"{norm.name} does not."
        )
    scale, shift = affine
    folded = weight * scale.reshape(-1, *[1] * (weight.ndim - 1))
    return folded, shift if bias is None else shift + bias * scale


class _Folded(NamedTuple):
    """Weight [fan_in, H] and shift [H] of a layer; `complete` means that they include its norm."""

    weight: np.ndarray
    shift: np.ndarray | None
    complete: bool


def _fold(network: MLP, index: int) -> _Folded:
    layer = network.layers[index]
    weight, bias = layer.weight.t(), layer.bias
    if not network.norm_first or layer.norm.inference_affine() is None:
        return _Folded(weight.numpy(), None if bias is None else bias.numpy(), False)
    folded, shift = fold_norm(layer.weight, bias, layer.norm)
    return _Folded(folded.t().numpy(), shift.numpy(), True)


@np.errstate(all="ignore")
def _through(
    network: MLP, index: int, values: np.ndarray, layer: _Folded, block: np.ndarray
) -> np.ndarray:
    """Return a layer's output [N, H]; `block` is the input of the current block [N, H]."""
    values = np.matmul(values, layer.weight)
    if layer.shift is not None:
        np.add(values, layer.shift, out=values)
    norm, phi = network.layers[index].norm, network.activation
    if network.norm_first and not layer.complete:
        values = norm.forward(torch.from_numpy(values), training=False)[0].numpy()
    if network.skip_from[index] is not None:
        values = values + block
    phi.forward_array(values, values)
    if not network.norm_first:
        values = norm.forward(torch.from_numpy(values), training=False)[0].numpy()
    return values
