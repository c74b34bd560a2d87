"""Copy of the engine's network made of torch's layers, to test the engine's passes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from bnviz.networks.mlp import MLP
from bnviz.norms.base import Norm

TWINS: dict[str, Callable[[Norm], nn.Module]] = {
    "batch": lambda norm: nn.BatchNorm1d(norm.width, eps=norm.eps, momentum=norm.momentum),
    "layer": lambda norm: nn.LayerNorm(norm.width, eps=norm.eps),
}


def torch_network(network: MLP) -> tuple[nn.Sequential, list[str]]:
    """Build torch's equivalent of a tanh network with batch or layer normalization.

    Returns:
        Module with copied parameters and running averages, and the names of our parameters in the
        order of the module's parameters.
    """
    parts: list[nn.Module] = []
    names: list[str] = []
    for layer in network.layers:
        norm = layer.norm
        fan_out, fan_in = layer.weight.shape
        linear = nn.Linear(fan_in, fan_out, bias=False)
        parts += [linear, TWINS[norm.name](norm), nn.Tanh()]
        names += [f"{layer.name}.{name}" for name in ("weight", "gamma", "beta")]
    classes, width = network.output_weight.shape
    module = nn.Sequential(*parts, nn.Linear(width, classes))
    names += ["output.weight", "output.bias"]
    module.to(network.flat.dtype)
    ours = network.parameters()
    with torch.no_grad():
        for name, parameter in zip(names, module.parameters(), strict=True):
            parameter.copy_(ours[name])
        for layer, twin in zip(network.layers, list(module)[1::3], strict=True):
            for name, value in layer.norm.buffers.items():
                twin.get_buffer(name).copy_(value)
    return module, names
