"""The same network made of torch's own layers: what the engine's passes are held against."""

from __future__ import annotations

import torch
from torch import nn

from bnviz.networks.mlp import MLP
from bnviz.norms.batch import BatchNorm


def torch_network(network: MLP) -> tuple[nn.Sequential, list[str]]:
    """A tanh network with BN, of `torch.nn.Linear` and `torch.nn.BatchNorm1d`, in training mode.

    Args:
        network: whose parameters are copied; its running statistics as they begin, as torch's do.

    Returns:
        The module; and the names of our parameters, in the order of its own.
    """
    parts: list[nn.Module] = []
    names: list[str] = []
    for layer in network.layers:
        norm = layer.norm
        if not isinstance(norm, BatchNorm):
            raise TypeError(f"A network with batch normalization is needed, got {norm.name}.")
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
    return module, names
