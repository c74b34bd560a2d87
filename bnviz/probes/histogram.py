"""Distributions, layer by layer."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import BINS, EDGES
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues

FULL_SCALE = 65535
# Bins: 0 is below the axis, 1 to BINS on it, BINS + 1 above; one more holds what is not finite.
NONFINITE = BINS + 2


def measure(context: ProbeContext) -> ProbeValues:
    """How the inputs of the nonlinearity are distributed in each layer, on one fixed axis.

    Over the probe set and all units, in training mode.

    Returns:
        `pre_activation` uint16 [L, 64]: share of the values in each bin of `axis.EDGES` × 65535;
        `underflow`, `overflow` float32 [L]: share of the finite values beyond the axis;
        `nonfinite` float32 [L]: share that is NaN or infinite.
    """
    inputs = context.nonlinearity_inputs
    shares = counts(inputs.reshape(len(inputs), -1)) / inputs[0].size
    return {
        "pre_activation": np.rint(shares[:, 1 : BINS + 1] * FULL_SCALE).astype(np.uint16),
        "underflow": shares[:, 0].astype(np.float32),
        "overflow": shares[:, BINS + 1].astype(np.float32),
        "nonfinite": shares[:, NONFINITE].astype(np.float32),
    }


def counts(values: np.ndarray) -> np.ndarray:
    """Values [L, n] counted in the bins above: int64 [L, 67], as `np.histogram` counts."""
    layers = len(values)
    with np.errstate(all="ignore"):
        bins = _bins(values)
    bins[~np.isfinite(values)] = NONFINITE
    bins += (np.arange(layers) * (NONFINITE + 1))[:, None]
    found = np.bincount(bins.ravel(), minlength=layers * (NONFINITE + 1))
    return found.reshape(layers, NONFINITE + 1)


def _bins(values: np.ndarray) -> np.ndarray:
    """The bin of each value: computed from the axis' formula, then held to its rounded edges."""
    edges = EDGES.astype(values.dtype)
    # The last bin includes its upper edge.
    starts = np.concatenate([[-np.inf], edges[:-1], [np.nextafter(edges[-1], np.inf)]])
    ends = np.append(starts[1:], np.inf).astype(values.dtype)
    starts = starts.astype(values.dtype)
    half = BINS / 2
    position = np.arcsinh(values)
    position *= half / np.arcsinh(edges[-1])
    position += half + 1
    np.nan_to_num(position, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
    bins = np.clip(position, 0, BINS + 1, out=position).astype(np.int64)
    bins -= values < starts[bins]
    bins += values >= ends[bins]
    return bins
