"""From a config to a network at step 0."""

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
    """The network of a run at step 0.

    Args:
        config: kind of network, depth, width, activation, initial weights, norm settings and seed;
            whether statistics are fixed.
        norm: a key of `NORMS`; every norm gets the same initial weights.
        features: number of inputs.
        classes: number of logits.
        dtype: of everything in the network.
        device: of everything in the network.
    """
    build = NETWORKS[config.network].resolve()
    network: Network = build(config, features, classes, NetworkParts(norm, dtype, device))
    network.loss = LOSSES[config.loss]
    network.fixed_statistics = config.fixed_statistics
    return network
