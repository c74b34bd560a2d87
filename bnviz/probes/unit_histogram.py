"""Probe of the distributions of single units, now and at step 0."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import UNIT_EDGES, units
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

FULL_SCALE = 255


def measure(context: ProbeContext) -> ProbeValues:
    """Measure histograms of nonlinearity inputs of the units `axis.units`, now and at step 0.

    Returns:
        `now`, `start`: uint8 [L, 8, 64], 255 × share of values per bin of `axis.UNIT_EDGES`.
        `beyond`: [L, 8], share of the current values that are outside the bins or not finite.
        `mean`, `mean_start`: [L, 8], means, which are not finite if a value is not finite.
    """
    now = _distributions(context)
    start = context.from_start("unit_histogram.", _distributions)
    return {
        "now": now["shares"],
        "start": start["shares"],
        "beyond": now["beyond"],
        "mean": now["mean"],
        "mean_start": start["mean"],
    }


def _distributions(context: ProbeContext) -> ProbeValues:
    """Return the share of values in each bin, the share outside all bins, and the mean."""
    chosen = units(context.nonlinearity_inputs.shape[2])
    values = context.nonlinearity_inputs[:, :, chosen].transpose(0, 2, 1)  # [L, 8, P]
    edges = UNIT_EDGES.astype(values.dtype)
    edges[-1] = np.nextafter(edges[-1], values.dtype.type(np.inf))
    count = values.shape[2]
    rows = np.sort(values.reshape(-1, count), axis=1)
    found = np.array([np.diff(np.searchsorted(row, edges)) for row in rows])
    counts = found.reshape(*values.shape[:2], -1)
    with np.errstate(all="ignore"):
        return {
            "shares": np.rint(counts * FULL_SCALE / count).astype(np.uint8),
            "beyond": as_float32(1 - counts.sum(axis=2) / count),
            "mean": as_float32(np.mean(values, axis=2, dtype=np.float64)),
        }
