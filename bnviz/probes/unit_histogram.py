"""Distributions of single units, now and at the start."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import UNIT_EDGES, units
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

FULL_SCALE = 255


def measure(context: ProbeContext) -> ProbeValues:
    """How what eight units of each layer receive is distributed, now and at step 0.

    The input of the nonlinearity on the probe set, in training mode, of the units `axis.units`; of
    a convolution, a feature map with all its places.

    Returns:
        `now`, `start` uint8 [L, 8, 64]: 255 × share of the values in each bin of
        `axis.UNIT_EDGES`;
        `beyond` float32 [L, 8]: share of the present values that lies on no bin, or is not finite;
        `mean`, `mean_start` float32 [L, 8]: not finite where a value is not.
    """
    start = context.from_start("unit_histogram.", _at_start)
    inputs = _inputs(context)
    counts = _counts(inputs)
    return {
        "now": _full_scale(counts, inputs),
        "start": start["shares"],
        "beyond": as_float32(1 - counts.sum(axis=2) / inputs.shape[2]),
        "mean": _mean(inputs),
        "mean_start": start["mean"],
    }


def _at_start(context: ProbeContext) -> ProbeValues:
    """The distributions of step 0, and their means."""
    inputs = _inputs(context)
    return {"shares": _full_scale(_counts(inputs), inputs), "mean": _mean(inputs)}


def _inputs(context: ProbeContext) -> np.ndarray:
    """What the units receive [L, 8, P]."""
    inputs = context.nonlinearity_inputs
    return inputs[:, :, units(inputs.shape[2])].transpose(0, 2, 1)


def _counts(inputs: np.ndarray) -> np.ndarray:
    """How many of each unit's values lie in each bin [L, 8, 64]; the last bin has both edges."""
    rows = np.sort(inputs.reshape(-1, inputs.shape[2]), axis=1)
    edges = UNIT_EDGES.astype(rows.dtype)
    edges[-1] = np.nextafter(edges[-1], rows.dtype.type(np.inf))
    counts = np.array([np.diff(np.searchsorted(row, edges)) for row in rows])
    return counts.reshape(*inputs.shape[:2], -1)


def _full_scale(counts: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    return np.rint(counts * FULL_SCALE / inputs.shape[2]).astype(np.uint8)


def _mean(inputs: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return as_float32(np.mean(inputs, axis=2, dtype=np.float64))
