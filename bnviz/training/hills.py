"""Histograms ("hills") of the inputs of the last hidden nonlinearity, drawn on maps."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.trace import unit_rows
from bnviz.pieces import Pieces

BINS = 24
# The outermost bin edges are ±`REACH`. Bins are equally wide in asinh(z). Values beyond the edges
# count in the outermost bins.
REACH = 30.0


def bin_counts(values: Tensor) -> Tensor:
    """Return the number of values [K, M] per bin for each network, int32 [K, BINS]."""
    edge = math.asinh(REACH)
    place = (values.asinh() + edge) * (BINS / (2 * edge))
    bins = place.nan_to_num(0.0).clamp(0, BINS - 1).long()
    counts = torch.zeros(len(values), BINS, dtype=torch.int32, device=values.device)
    return counts.scatter_add_(1, bins, torch.ones_like(bins, dtype=torch.int32))


def hills_from(counts: np.ndarray) -> list[bytes]:
    """Scale counts [K, BINS] to one byte per bin, with 255 for each network's largest bin."""
    highest = np.maximum(counts.max(1, keepdims=True), 1)
    return [row.tobytes() for row in np.rint(counts * (255 / highest)).astype(np.uint8)]


def hill_of(network: Network, inputs: Tensor) -> Pieces[bytes]:
    """Return the network's histogram for test inputs [P, D] in inference mode."""
    trace = yield from network.forward_in_pieces(inputs, training=False)
    last = unit_rows(trace.layers[-1].nonlinearity_input)
    return hills_from(bin_counts(last.reshape(1, -1)).cpu().numpy())[0]
