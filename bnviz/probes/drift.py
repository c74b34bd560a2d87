"""How distributions move: what the paper calls internal covariate shift, as such."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import Distribution
from bnviz.records import ProbeValues

# A layer's distribution is kept as its quantile function at this many evenly spaced levels: exact
# where there are no more values, and small enough for every checkpoint.
LEVELS = 512


def measure(context: ProbeContext) -> ProbeValues:
    """How far each layer's distribution has moved since step 0 and since the last frame.

    All units of a layer together (of a convolution, all places of all feature maps) on the probe
    set, in training mode; row 0 is W h + b, row 1 what the nonlinearity gets, whose first two
    moments batch normalization pins to β and γ (but where a skip connection adds to it).

    Returns:
        float32 [2, L] each, for `_start` (against step 0) and `_last` (against the last
        measurement; 0 in the first one): `w1_…`, the Wasserstein-1 distance, and `mean_…`, the
        shift of the mean, both in standard deviations of the reference; `log_sigma_…`, the natural
        logarithm of the ratio of standard deviations.
    """
    with np.errstate(all="ignore"):
        now = _shape(context)
        start = context.from_start("drift.start.", _shape)
        last = {part: context.memory.get(f"drift.last.{part}", now[part]) for part in now}
        context.memory.update({f"drift.last.{part}": values for part, values in now.items()})
        return {**_moved(start, now, "start"), **_moved(last, now, "last")}


def _shape(context: ProbeContext) -> ProbeValues:
    """Distributions of the layers' values, row 0 before the norm, row 1 after it.

    Returns:
        `quantiles` [2, L, K]; `mean`, `std` float64 [2, L].
    """
    both = (context.distribution_before, context.distribution_after)
    return {
        "quantiles": np.stack([_thin(each) for each in both]),
        "mean": np.stack([each.mean for each in both]),
        "std": np.stack([each.std for each in both]),
    }


def _thin(values: Distribution) -> np.ndarray:
    """The quantile function [L, K] of each layer's values."""
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
