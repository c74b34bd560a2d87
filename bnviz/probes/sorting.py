"""Sorting of each layer's values, shared by the probes of distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from bnviz.pieces import Pieces

# Maximum number of values in a row that is sorted exactly. Longer rows are sorted by 16-bit keys.
# On some processors this takes an eighth of the time of NumPy's float sort (0.05 ms instead of 0.44
# ms for 25,600 values).
EXACT = 4096
KEYS = 2**16
# Number of values sorted per piece of work, which takes some milliseconds.
PIECE_VALUES = 400_000


def _quickest_sort() -> Literal["quicksort", "stable"]:
    """Return the faster way to sort 16-bit keys: AVX-512 quicksort if available, or radix sort."""
    # NumPy leaves this list out if the processor has no such extensions.
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return "quicksort" if "AVX512_ICL" in found else "stable"


SORT = _quickest_sort()


@dataclass(frozen=True)
class Distribution:
    """Sorted values of each layer.

    On the CPU, rows with more than `EXACT` values are stored as 16-bit keys. This rounds values to
    1/10,000 of the standard deviation, or of the distance from the mean if that is larger.

    Attributes:
        ranked: Values [L, n], ascending, NaN last, or their keys, uint16.
        centre: Zero point of the keys, the mean up to rounding, float64 [L].
    """

    ranked: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    dtype: np.dtype
    centre: np.ndarray

    @property
    def count(self) -> int:
        """Number of values n per layer."""
        return self.ranked.shape[1]

    @property
    def ordered(self) -> np.ndarray:
        """All values [L, n], ascending, NaN last."""
        return self.at(np.arange(self.count))

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """Return the values [L, K] at these ranks, which count from 0."""
        found = self.ranked.take(ranks, axis=1)
        if not self._keyed:
            return found
        values = _levels(self.count)[0].take(found)
        with np.errstate(over="ignore"):
            return (values * self.std[:, None] + self.centre[:, None]).astype(self.dtype)

    def quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles as `sorted_quantiles` does, float64 [L, Q]."""
        lower, upper, share = _places(self.count, levels)
        return _between(self.at(lower), self.at(upper), share, self.at(np.array([self.count - 1])))

    def below(self, borders: np.ndarray) -> np.ndarray:
        """Return the number of values below each border, int64 [L, K]."""
        if not self._keyed:
            return np.array([np.searchsorted(row, borders) for row in self.ranked])
        with np.errstate(over="ignore"):
            standardized = (borders - self.centre[:, None]) / self.std[:, None]
        first = np.ceil(_position(standardized, self.count) - 0.5)
        keys = np.clip(first, 0, KEYS - 1).astype(np.uint16)
        found = np.array(
            [np.searchsorted(row, key) for row, key in zip(self.ranked, keys, strict=True)]
        )
        return np.where(first < KEYS, found, self.count)

    @property
    def _keyed(self) -> bool:
        return self.ranked.dtype == np.uint16


def distribution_in_pieces(rows: np.ndarray) -> Pieces[Distribution]:
    """Sort each layer's values [L, n] in pieces. Use no keys if a layer is constant or not
    finite.
    """
    depth, count = rows.shape
    mean, std, centre = np.empty((3, depth))
    keys = np.empty(rows.shape, np.uint16)
    blocks = [slice(at, at + _rows(count)) for at in range(0, depth, _rows(count))]
    for block in blocks:
        # Work row by row, so that the intermediate values stay in the cache of the core.
        for index in range(depth)[block]:
            centre[index], mean[index], std[index] = _rank(rows[index], keys[index])
        yield
    odd = not (np.isfinite(std) & (std > 0)).all()
    exact = count <= EXACT or odd
    ranked = rows.copy() if exact else keys
    for block in blocks:
        ranked[block].sort(axis=1, kind=None if exact else SORT)
        yield
    return Distribution(ranked, mean, std, rows.dtype, centre)


def sorted_there(values: Tensor) -> Distribution:
    """Sort the values [L, …] of each layer exactly on their device, then copy them to the CPU."""
    rows = values.flatten(1)
    var, mean = torch.var_mean(rows.double(), 1, correction=0)
    found_mean, found_var = torch.stack([mean, var]).cpu().numpy()
    ranked = rows.sort(1).values.cpu().numpy()
    return Distribution(ranked, found_mean, np.sqrt(found_var), ranked.dtype, found_mean)


def _rows(count: int) -> int:
    return max(1, PIECE_VALUES // count)


@np.errstate(all="ignore")
def _rank(row: np.ndarray, keys: np.ndarray) -> tuple[float, float, float]:
    """Write the keys if there are many values. Return centre, mean and standard deviation."""
    centred, centre, mean, std = _centred(row)
    if len(row) > EXACT:
        centred /= centred.dtype.type(std)
        np.copyto(keys, _position(centred, len(row), out=centred), casting="unsafe")
    return centre, mean, std


def _centred(row: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Return the centred values, the subtracted centre, the mean and the standard deviation."""
    ones = _ones(len(row), row.dtype)
    centre = float(row @ ones) / len(row)
    if not math.isfinite(centre):
        # The sum may be outside float32's range, so compute the mean in float64.
        centre = float(row.mean(dtype=np.float64))
    about = row.dtype.type(centre)
    centred = row - about
    mean = float(about) + float(centred @ ones) / len(row)
    return centred, float(about), mean, euclidean_norm(centred) / math.sqrt(len(row))


@lru_cache(maxsize=8)
def _ones(count: int, dtype: np.dtype) -> np.ndarray:
    return np.ones(count, dtype)


def _position(rows: np.ndarray, count: int, out: np.ndarray | None = None) -> np.ndarray:
    """Return key positions, from 0, of standardized values; keys are evenly spaced in asinh."""
    position = np.arcsinh(rows, out=out)
    position *= (KEYS - 1) / 2 / _levels(count)[1]
    position += KEYS / 2
    return position


@lru_cache(maxsize=8)
def _levels(count: int) -> tuple[np.ndarray, float]:
    """Return the values of all keys, and their limit asinh(√n): no |z| of n values exceeds √n."""
    limit = float(np.arcsinh(np.sqrt(count)))
    return np.sinh(np.linspace(-limit, limit, KEYS)), limit


def euclidean_norm(values: np.ndarray) -> float:
    row = values.ravel(order="K")
    with np.errstate(all="ignore"):
        square = float(np.dot(row, row))
        if not 1e-30 < square < 1e30:
            # The squares may be outside float32's range, so add them in float64.
            square = float(np.square(row, dtype=np.float64).sum())
    return math.sqrt(square)


def sorted_quantiles(ordered: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return quantiles of sorted rows [..., n] as `np.quantile` does, float64 [..., Q]."""
    lower, upper, share = _places(ordered.shape[-1], levels)
    return _between(ordered[..., lower], ordered[..., upper], share, ordered[..., -1:])


def _places(count: int, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the lower and upper rank around each level, and its distance from the lower rank."""
    position = levels * (count - 1)
    lower = np.floor(position).astype(np.int64)
    return lower, np.minimum(lower + 1, count - 1), position - lower


def _between(low: np.ndarray, high: np.ndarray, share: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Interpolate between `low` and `high` [..., Q]; NaN if the last value [..., 1] is NaN."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):
        # Do not interpolate between equal values: the difference of two infinities is NaN.
        found = np.where(low == high, low, low + (high - low) * share)
    return np.where(np.isnan(last), np.nan, found)
