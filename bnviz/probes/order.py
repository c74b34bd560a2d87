"""Quantiles from values that are sorted already, so that probes share one sort."""

from __future__ import annotations

import numpy as np


def sorted_quantiles(ordered: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Quantiles of rows that are sorted, interpolated linearly as `np.quantile` does.

    Args:
        ordered: [..., n], ascending along the last axis, NaN last.
        levels: [Q], each between 0 and 1.

    Returns:
        float64 [..., Q]; NaN where a value is NaN.
    """
    position = levels * (ordered.shape[-1] - 1)
    lower = np.floor(position).astype(np.int64)
    upper = np.minimum(lower + 1, ordered.shape[-1] - 1)
    low, high = ordered[..., lower].astype(np.float64), ordered[..., upper].astype(np.float64)
    with np.errstate(all="ignore"):
        # No interpolation between equals: the difference of two infinities is not a number.
        found = np.where(low == high, low, low + (high - low) * (position - lower))
    found[np.isnan(ordered[..., -1])] = np.nan
    return np.asarray(found)
