"""How distributions move: what the paper calls internal covariate shift, as such."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnviz.probes.context import Memory, ProbeContext, as_float32
from bnviz.probes.order import Distribution
from bnviz.records import ProbeValues

# A layer's distribution is kept as its quantile function at this many evenly spaced levels: exact
# where there are no more values, and small enough for every checkpoint.
LEVELS = 512


@dataclass(frozen=True)
class Shape:
    """Distributions of the layers' values, row 0 before the norm, row 1 after it.

    Attributes:
        quantiles: [2, L, K].
        mean: float64 [2, L].
        std: float64 [2, L].
    """

    quantiles: np.ndarray
    mean: np.ndarray
    std: np.ndarray


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
        start = _recall(context.memory, "start")
        if start is None:
            start = now if context.step == 0 else _shape(context.at_start())
            _keep(context.memory, "start", start)
        last = _recall(context.memory, "last") or now
        _keep(context.memory, "last", now)
        return {**_moved(start, now, "start"), **_moved(last, now, "last")}


def _shape(context: ProbeContext) -> Shape:
    both = (context.distribution_before, context.distribution_after)
    return Shape(
        np.stack([_thin(each) for each in both]),
        np.stack([each.mean for each in both]),
        np.stack([each.std for each in both]),
    )


def _thin(values: Distribution) -> np.ndarray:
    """The quantile function [L, K] of each layer's values."""
    if values.count <= LEVELS:
        return values.ordered
    return values.at(((np.arange(LEVELS) + 0.5) * values.count / LEVELS).astype(np.int64))


def _moved(reference: Shape, now: Shape, name: str) -> ProbeValues:
    distance = np.abs(now.quantiles - reference.quantiles).mean(axis=2, dtype=np.float64)
    moved = {
        f"w1_{name}": distance / reference.std,
        f"mean_{name}": (now.mean - reference.mean) / reference.std,
        f"log_sigma_{name}": np.log(now.std / reference.std),
    }
    return {key: as_float32(value) for key, value in moved.items()}


def _recall(memory: Memory, name: str) -> Shape | None:
    if f"drift.{name}.mean" not in memory:
        return None
    return Shape(*(memory[f"drift.{name}.{part}"] for part in ("quantiles", "mean", "std")))


def _keep(memory: Memory, name: str, shape: Shape) -> None:
    for part in ("quantiles", "mean", "std"):
        memory[f"drift.{name}.{part}"] = getattr(shape, part)
