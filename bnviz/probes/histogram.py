"""Distributions, layer by layer."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import BINS, EDGES
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues

FULL_SCALE = 65535
# Bin 0 is below the axis, 1 to BINS on it, BINS + 1 above; the last holds what is not finite.
NONFINITE = BINS + 2


def measure(context: ProbeContext) -> ProbeValues:
    """How the inputs of the nonlinearity are distributed in each layer, on one fixed axis.

    Over the probe set and all units (of a convolution, all places of all feature maps), in training
    mode. In a recurrent network every time step is a layer.

    Returns:
        `pre_activation` uint16 [L, 64]: share of the values in each bin of `axis.EDGES` × 65535;
        `underflow`, `overflow` float32 [L]: share of the finite values beyond the axis;
        `nonfinite` float32 [L]: share that is NaN or infinite.
    """
    ordered = context.distribution_after.ordered
    shares = counts(ordered) / ordered.shape[1]
    return {
        "pre_activation": np.rint(shares[:, 1 : BINS + 1] * FULL_SCALE).astype(np.uint16),
        "underflow": shares[:, 0].astype(np.float32),
        "overflow": shares[:, BINS + 1].astype(np.float32),
        "nonfinite": shares[:, NONFINITE].astype(np.float32),
    }


def counts(ordered: np.ndarray) -> np.ndarray:
    """How many of the values [L, n], ascending, lie in each of the bins above: int64 [L, 67].

    Each bin holds its lower edge, the last one both, as in `np.histogram`.
    """
    edges = EDGES.astype(ordered.dtype)
    edges[-1] = np.nextafter(edges[-1], ordered.dtype.type(np.inf))
    borders = np.concatenate([[np.nextafter(-np.inf, 0, dtype=edges.dtype)], edges, [np.inf]])
    borders = borders.astype(edges.dtype)
    found = np.diff([np.searchsorted(row, borders) for row in ordered], axis=1)
    strange = ordered.shape[1] - found.sum(axis=1, keepdims=True)
    return np.concatenate([found, strange], axis=1)
