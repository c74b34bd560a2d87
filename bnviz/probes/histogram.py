"""Probe of the distribution of each layer's values."""

from __future__ import annotations

from functools import cache

import numpy as np

from bnviz.probes.axis import BINS, EDGES
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import Distribution
from bnviz.records import ProbeValues

FULL_SCALE = 65535
# Index of the bin for values that are not finite. Bin 0 is below the axis, bins 1 to BINS are on
# it, and bin BINS + 1 is above it.
NONFINITE = BINS + 2


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the histogram of each layer's nonlinearity inputs, on one fixed axis.

    The values are of all units on the probe set, in training mode.

    Returns:
        `nonlinearity_input`: uint16 [L, 64], 65535 × share of values per bin of `axis.EDGES`.
        `underflow`, `overflow`: [L], share of values that are finite but beyond the axis.
        `nonfinite`: [L], share of values that are NaN or infinite.
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
    """Return shares from 0 to 1 as uint16, with 65535 for 1."""
    return np.rint(shares * FULL_SCALE).astype(np.uint16)


def counts(values: Distribution) -> np.ndarray:
    """Count the values per bin, int64 [L, 67]. The last bin of the axis includes its two edges."""
    below = values.below(_borders(values.dtype))
    found = np.diff(below, axis=1)
    strange = values.count - found.sum(axis=1, keepdims=True)
    return np.concatenate([found, strange], axis=1)


@cache
def _borders(dtype: np.dtype) -> np.ndarray:
    """Return the borders of all bins: the lowest finite number, the edges, and infinity."""
    edges = EDGES.astype(dtype)
    edges[-1] = np.nextafter(edges[-1], dtype.type(np.inf))
    return np.concatenate([[np.finfo(dtype).min], edges, [np.inf]]).astype(dtype)
