"""The same network made of torch's own layers: what the engine's passes are held against."""

from __future__ import annotations

import torch
from torch import nn

from bnviz.networks.mlp import MLP


def torch_network(network: MLP) -> tuple[nn.Sequential, list[str]]:
    """A network of `torch.nn.Linear` and `torch.nn.BatchNorm1d`, in training mode.

    Args:
        network: a tanh network with BN, whose parameters and running statistics are copied.

    Returns:
        The module; and the names of our parameters, in the order of its own.
    """
    parts: list[nn.Module] = []
    names: list[str] = []
    for layer in network.layers:
        norm = layer.norm
        fan_out, fan_in = layer.weight.shape
        linear = nn.Linear(fan_in, fan_out, bias=False)
        twin = nn.BatchNorm1d(norm.width, eps=norm.eps, momentum=norm.momentum)
        parts += [linear, twin, nn.Tanh()]
        names += [f"{layer.name}.{name}" for name in ("weight", "gamma", "beta")]
    classes, width = network.output_weight.shape
    module = nn.Sequential(*parts, nn.Linear(width, classes))
    names += ["output.weight", "output.bias"]
    module.to(network.flat.dtype)
    ours = network.parameters()
    with torch.no_grad():
        for name, parameter in zip(names, module.parameters(), strict=True):
            parameter.copy_(ours[name])
        for layer, twin in zip(network.layers, batch_norms(module), strict=True):
            for name, value in layer.norm.buffers.items():
                twin.get_buffer(name).copy_(value)
    return module, names


def batch_norms(module: nn.Sequential) -> list[nn.BatchNorm1d]:
    """The module's batch normalizations, input side first."""
    return [part for part in module if isinstance(part, nn.BatchNorm1d)]
