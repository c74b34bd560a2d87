"""Whether what passes through a layer is shaped like a normal distribution, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bnviz.networks.trace import LayerTrace, unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# In the order of the columns: what a layer gets, what its weights make of it, what its norm gives.
PLACES = ("input", "pre_activation", "normalized")
# Lilliefors 1967: beyond this share of 1/√n a sample is called not normal at the level of 5 %,
# for n above 30.
CRITICAL = 0.886
# A unit whose values lie within so many roundings of their size is constant.
ROUNDINGS = 16


@dataclass(frozen=True)
class Normality:
    """The shapes of a layer's units at one place; of constant units NaN, [H] each.

    Attributes:
        skewness: the mean of z³, z being the values less their mean, by their std.
        kurtosis: the mean of z⁴, less 3: what it is of normal values.
        distance: Kolmogorov–Smirnov, of z from the standard normal distribution.
        zeros: share of values that are exactly 0, of all units.
    """

    skewness: np.ndarray
    kurtosis: np.ndarray
    distance: np.ndarray
    zeros: np.ndarray


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """How far each layer's values are from normal before the weights, after them, and normalized.

    Three places, in this order: u, which the layer gets; Wu (+ b), what its weights make of it; and
    what its norm gives, which is shaped as x̂: γ and β only stretch and move it. Without a norm that
    is Wu again. On the probe set, in training mode, every unit against the normal distribution of
    its own mean and std; units that do not vary are left out, but count among the zeros. Of a
    convolution a feature map is a unit, with all its places. Nothing in a recurrent network, whose
    layers get the state and an input at once.

    Returns:
        float32 [L, 3] each, NaN where no unit varies or a value is not finite: of the median unit
        `skewness` (without its sign), `kurtosis` (excess: 0 of normal values) and `distance`
        (Kolmogorov–Smirnov, 0 to 1); `not_normal`, the share of units whose distance is above
        .886/√n (Lilliefors 1967, 5 %); and `zeros`, the share of values that are exactly 0.
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
    """The five numbers of values [n, H]."""
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
    """The shape of each column of values [n, H]."""
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
    """Kolmogorov–Smirnov: of ascending values [n, H] from the standard normal distribution.

    The largest difference between the share of values up to a point and what it is of normal ones;
    it is found at a value, just before it or there.
    """
    count = len(z)
    expected = torch.special.ndtr(torch.from_numpy(z)).numpy()
    ranks = np.arange(count)[:, None]
    above = (ranks + 1) / count - expected
    under = expected - ranks / count
    return np.asarray(np.maximum(above, under).max(axis=0))
