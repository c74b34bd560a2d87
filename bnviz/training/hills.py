"""A histogram (hill) of what a network's last hidden layer receives: 24 bins, drawn on maps."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.trace import unit_rows
from bnviz.pieces import Pieces

BINS = 24
# The outermost edges; bins are equally wide in asinh(z), and what is beyond counts in the last one.
REACH = 30.0


def bin_counts(values: Tensor) -> Tensor:
    """How many values [K, M] of each network are in each bin, int32 [K, BINS]."""
    edge = math.asinh(REACH)
    place = (values.asinh() + edge) * (BINS / (2 * edge))
    bins = place.nan_to_num(0.0).clamp(0, BINS - 1).long()
    counts = torch.zeros(len(values), BINS, dtype=torch.int32, device=values.device)
    return counts.scatter_add_(1, bins, torch.ones_like(bins, dtype=torch.int32))


def hills_from(counts: np.ndarray) -> list[bytes]:
    """Counts [K, BINS] as one byte per bin, for each network; its largest bin is 255."""
    highest = np.maximum(counts.max(1, keepdims=True), 1)
    return [row.tobytes() for row in np.rint(counts * (255 / highest)).astype(np.uint8)]


def hill_of(network: Network, inputs: Tensor) -> Pieces[bytes]:
    """Histogram of the pre-activations of the last hidden layer, at inference.

    Args:
        network: any.
        inputs: of test examples [P, D], on the network's device.
    """
    trace = yield from network.forward_in_pieces(inputs, training=False)
    last = unit_rows(trace.layers[-1].nonlinearity_input)
    return hills_from(bin_counts(last.reshape(1, -1)).cpu().numpy())[0]
