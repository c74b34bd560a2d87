"""Distributions, layer by layer."""

from __future__ import annotations

from functools import cache

import numpy as np

from bnviz.probes.axis import BINS, EDGES
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import Distribution
from bnviz.records import ProbeValues

FULL_SCALE = 65535
# Bin 0 is below the axis, 1 to BINS on it, BINS + 1 above; the last holds what is not finite.
NONFINITE = BINS + 2


def measure(context: ProbeContext) -> ProbeValues:
    """How the inputs of the nonlinearity are distributed in each layer, on one fixed axis.

    Over the probe set and all units (of a convolution, all places of all feature maps), in training
    mode. In a recurrent network every time step is a layer.

    Returns:
        `nonlinearity_input` uint16 [L, 64]: 65535 × share of the values in each bin of
        `axis.EDGES`;
        `underflow`, `overflow` float32 [L]: share of the finite values beyond the axis;
        `nonfinite` float32 [L]: share that is NaN or infinite.
    """
    values = context.distribution_after
    shares = counts(values) / values.count
    return {
        "nonlinearity_input": full_scale(shares[:, 1 : BINS + 1]),
        **as_floats(
            underflow=shares[:, 0], overflow=shares[:, BINS + 1], nonfinite=shares[:, NONFINITE]
        ),
    }


def full_scale(shares: np.ndarray) -> np.ndarray:
    """Shares from 0 to 1 as whole numbers, uint16."""
    return np.rint(shares * FULL_SCALE).astype(np.uint16)


def counts(values: Distribution) -> np.ndarray:
    """How many of the values lie in each of the bins above: int64 [L, 67].

    Each bin holds its lower edge, the last one both, as in `np.histogram`.
    """
    below = values.below(_borders(values.dtype))
    found = np.diff(below, axis=1)
    strange = values.count - found.sum(axis=1, keepdims=True)
    return np.concatenate([found, strange], axis=1)


@cache
def _borders(dtype: np.dtype) -> np.ndarray:
    """The least finite number, the edges, and infinity: what lies below the next is in the bin."""
    edges = EDGES.astype(dtype)
    edges[-1] = np.nextafter(edges[-1], dtype.type(np.inf))
    return np.concatenate([[np.finfo(dtype).min], edges, [np.inf]]).astype(dtype)
