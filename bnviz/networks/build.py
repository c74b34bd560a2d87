"""Construction of a network at step 0 from a config."""

from __future__ import annotations

import torch

from bnviz.config import RunConfig
from bnviz.networks import NETWORKS
from bnviz.networks.base import Network, NetworkParts
from bnviz.networks.loss import LOSSES


def build_network(
    config: RunConfig,
    norm: str,
    features: int,
    classes: int,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Network:
    """Build the network of a run at step 0; initial weights are the same for every norm."""
    build = NETWORKS[config.network].resolve()
    network: Network = build(config, features, classes, NetworkParts(norm, dtype, device))
    network.loss = LOSSES[config.loss]
    network.fixed_statistics = config.fixed_statistics
    return network
