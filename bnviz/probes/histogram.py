"""Distributions, layer by layer."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import BINS, LIMIT
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues

FULL_SCALE = 65535
# Bin 0 is below the axis, 1 to BINS on it, BINS + 1 above; the last holds what is not finite.
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
    """How many of the values [L, n] lie in each of the bins above: int64 [L, 67].

    The bins are even in asinh; each holds its lower edge.
    """
    position = np.arcsinh(values)
    position *= BINS / 2 / np.arcsinh(LIMIT)
    position += BINS / 2 + 1
    # A sum is not finite where a value is not: cheaper than asking each value.
    with np.errstate(all="ignore"):
        finite = np.isfinite(position.sum())
    if not finite:
        strange = ~np.isfinite(position)
        position[strange] = 0
    bins = np.clip(position, 0, BINS + 1, out=position).astype(np.int64)
    if not finite:
        bins[strange] = NONFINITE
    bins += (np.arange(len(values)) * (NONFINITE + 1))[:, None]
    found = np.bincount(bins.ravel(), minlength=len(values) * (NONFINITE + 1))
    return found.reshape(len(values), NONFINITE + 1)
