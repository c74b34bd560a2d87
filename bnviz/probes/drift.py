"""Probe of how distributions shift during training (internal covariate shift)."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import Distribution
from bnviz.records import ProbeValues

# Number of evenly spaced levels at which a layer's quantile function is stored. For a layer with at
# most this many values, the function is exact. So few levels fit into every checkpoint.
LEVELS = 512


def measure(context: ProbeContext) -> ProbeValues:
    """Measure how far each layer's distribution has shifted since step 0 and since the last frame.

    Distributions are over all units, on the probe set in training mode. Row 0 is W h + b. Row 1 is
    the nonlinearity input, whose mean and standard deviation BN fixes to β and γ per unit, unless a
    skip connection adds to it. `start` compares with step 0, `last` with the previous measurement.

    Returns:
        `w1_start`, `w1_last`: [2, L], Wasserstein-1 distance in standard deviations.
        `mean_start`, `mean_last`: [2, L], shift of the mean in standard deviations.
        `log_sigma_start`, `log_sigma_last`: [2, L], log of the ratio of standard deviations.
    """
    with np.errstate(all="ignore"):
        now = _shape(context)
        start = context.from_start("drift.start.", _shape)
        last = {part: context.memory.get(f"drift.last.{part}", now[part]) for part in now}
        context.memory.update({f"drift.last.{part}": values for part, values in now.items()})
        return {**_moved(start, now, "start"), **_moved(last, now, "last")}


def _shape(context: ProbeContext) -> ProbeValues:
    """Return `quantiles` [2, L, K], `mean` and `std` [2, L], before and after the norm."""
    both = (context.distribution_before, context.distribution_after)
    return {
        "quantiles": np.stack([_thin(each) for each in both]),
        "mean": np.stack([each.mean for each in both]),
        "std": np.stack([each.std for each in both]),
    }


def _thin(values: Distribution) -> np.ndarray:
    """Return the quantile function [L, K] of each layer's values, at up to `LEVELS` levels."""
    if values.count <= LEVELS:
        return values.ordered
    return values.at(((np.arange(LEVELS) + 0.5) * values.count / LEVELS).astype(np.int64))


def _moved(reference: ProbeValues, now: ProbeValues, name: str) -> ProbeValues:
    distance = np.abs(now["quantiles"] - reference["quantiles"]).mean(axis=2, dtype=np.float64)
    std = reference["std"]
    return as_floats(**{
        f"w1_{name}": distance / std,
        f"mean_{name}": (now["mean"] - reference["mean"]) / std,
        f"log_sigma_{name}": np.log(now["std"] / std),
    })  # fmt: skip
