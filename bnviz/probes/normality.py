"""Probe of how close each unit's values are to a normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bnviz.networks.trace import LayerTrace, unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# Places in column order: a layer's input, its pre-activation, and the output of its norm.
PLACES = ("input", "pre_activation", "normalized")
# Critical value × √n of the Kolmogorov–Smirnov distance at the 5 % level, for n above 30
# (Lilliefors 1967). Above it, a sample counts as not normal.
CRITICAL = 0.886
# Maximum range of a constant unit, in rounding errors of its largest absolute value.
ROUNDINGS = 16


@dataclass(frozen=True)
class Normality:
    """Shape of each unit's distribution at one place, [H] each; NaN for constant units.

    Attributes:
        skewness, kurtosis: Mean of z³, and mean of z⁴ minus 3, where z are standardized values.
        distance: Kolmogorov–Smirnov distance of z from the standard normal distribution.
        zeros: Share of values that are exactly 0; not NaN for constant units.
    """

    skewness: np.ndarray
    kurtosis: np.ndarray
    distance: np.ndarray
    zeros: np.ndarray


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure how far each unit's values are from normal at three places of a layer.

    The places are the layer's input u, the pre-activation Wu (+ b), and the norm's output, whose
    distribution has the same shape as the distribution of x̂, because γ and β only scale and shift
    it. Without a norm the third place is Wu again. The probe set is used in training mode, without
    constant units (except in `zeros`). The result is empty for recurrent networks, whose layers
    receive the state and an input at once.

    Returns:
        `skewness`, `kurtosis`, `distance`: [L, 3], medians over units of |skewness|, excess
            kurtosis and Kolmogorov–Smirnov distance.
        `not_normal`: [L, 3], share of units with a distance above .886/√n (Lilliefors 1967, 5 %).
        `zeros`: [L, 3], share of values that are exactly 0. All are NaN if a value is not finite.
    """
    if context.config.network == "recurrent":
        return {}
    below = context.probe_training.inputs
    rows: list[list[tuple[float, ...]]] = []
    for layer in context.probe_training.layers:
        rows.append([numbers_of(values.cpu().numpy()) for values in _places(below, layer)])
        below = layer.output
        yield
    names = ("skewness", "kurtosis", "distance", "not_normal", "zeros")
    by_name = np.array(rows).transpose(2, 0, 1)  # [5, L, 3]
    return as_floats(**dict(zip(names, by_name, strict=True)))


def _places(below: torch.Tensor, layer: LayerTrace) -> Sequence[torch.Tensor]:
    return [unit_rows(values) for values in (below, layer.pre_activation, layer.normalized)]


def numbers_of(rows: np.ndarray) -> tuple[float, ...]:
    """Return the five results of `measure` for the values [n, H] at one place."""
    with np.errstate(all="ignore"):
        found = normality(rows)
        if not np.isfinite(rows).all():
            return (float("nan"),) * 5
    varies = ~np.isnan(found.distance)
    zeros = float(found.zeros.mean())
    if not varies.any():
        return (*(float("nan"),) * 4, zeros)
    distance = found.distance[varies]
    return (
        float(np.median(np.abs(found.skewness[varies]))),
        float(np.median(found.kurtosis[varies])),
        float(np.median(distance)),
        float(np.mean(distance > CRITICAL / np.sqrt(len(rows)))),
        zeros,
    )


@np.errstate(all="ignore")
def normality(rows: np.ndarray) -> Normality:
    """Return the shape of the distribution of each column of `rows` [n, H]."""
    zeros = np.mean(rows == 0, axis=0)
    values = np.sort(rows.astype(np.float64), axis=0)
    centred = values - values.mean(axis=0)
    std = np.sqrt(np.mean(centred * centred, axis=0))
    size = np.maximum(np.abs(values[0]), np.abs(values[-1]))
    std[~(values[-1] - values[0] > ROUNDINGS * np.finfo(rows.dtype).eps * size)] = np.nan
    z = centred / std
    squares = z * z
    return Normality(
        skewness=np.mean(squares * z, axis=0),
        kurtosis=np.mean(squares * squares, axis=0) - 3,
        distance=_distance(z),
        zeros=zeros,
    )


def _distance(z: np.ndarray) -> np.ndarray:
    """Return the Kolmogorov–Smirnov distance of sorted columns [n, H] from a standard normal."""
    count = len(z)
    expected = torch.special.ndtr(torch.from_numpy(z)).numpy()
    ranks = np.arange(count)[:, None]
    above = (ranks + 1) / count - expected
    under = expected - ranks / count
    return np.asarray(np.maximum(above, under).max(axis=0))
