"""Networks of one shape with their parameters in one tensor, so that one pass runs all of them."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from bnviz.networks.mlp import MLP


def stack(networks: Sequence[MLP]) -> tuple[MLP, list[MLP]]:
    """Copies of networks that share memory.

    Args:
        networks: fully connected, of one shape, nonlinearity and norm, on the CPU; they stay as
            they are. Norms may differ in their noise.

    Returns:
        The whole stack as one network, whose `flat` is [K, P] and whose parameters and buffers
        begin with the members [K, …]; and the members, whose own are rows of those.
    """
    flat = torch.stack([network.flat for network in networks])
    members = [
        network.twin(row, copy_buffers=True) for network, row in zip(networks, flat, strict=True)
    ]
    whole = networks[0].twin(flat)
    buffers = {
        key: torch.stack([network.stacked_buffers[key] for network in networks], dim=1)
        for key in networks[0].stacked_buffers
    }
    for index, member in enumerate(members):
        _use(member, {key: values[:, index] for key, values in buffers.items()})
    _use(whole, buffers)
    return whole, members


def _use(network: MLP, buffers: dict[str, torch.Tensor]) -> None:
    """Have a network's norms use these running statistics [L, …]."""
    if not buffers:
        return  # norms of several kinds keep their own
    network.stacked_buffers = buffers
    for layer, norm in enumerate(network.norms):
        norm.buffers = {key: values[layer] for key, values in buffers.items()}
