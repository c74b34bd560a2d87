"""The values of each layer in order, so that probes of distributions share one sort."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from bnviz.pieces import Pieces

# Above this many values a row is sorted by 16-bit keys, which takes an eighth of the time that
# NumPy's float sort takes on some processors (25,600 values: 0.05 against 0.44 ms).
EXACT = 4096
KEYS = 2**16
# So many values are sorted in some milliseconds.
PIECE_VALUES = 400_000


def _quickest_sort() -> Literal["quicksort", "stable"]:
    """For 16 bits: NumPy's stable sort is a radix sort; some processors have a quicker one."""
    # NumPy names neither what it has not got: on a processor with nothing extra there is no list.
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return "quicksort" if "AVX512_ICL" in found else "stable"


SORT = _quickest_sort()


@dataclass(frozen=True)
class Distribution:
    """All values of each layer, in order.

    Above `EXACT` values the CPU rounds them: to 1/10,000 of the standard deviation near the mean
    and of the distance from it far out. They are then kept as keys, and only those that somebody
    asks for become numbers again.

    Attributes:
        ranked: [L, n], ascending: the values, NaN last; or keys, uint16.
        mean: float64 [L].
        std: float64 [L].
        dtype: of the values.
        centre: what keys are counted from, the mean but for rounding, float64 [L].
    """

    ranked: np.ndarray
    mean: np.ndarray
    std: np.ndarray
    dtype: np.dtype
    centre: np.ndarray

    @property
    def count(self) -> int:
        """The number of values n of a layer."""
        return self.ranked.shape[1]

    @property
    def ordered(self) -> np.ndarray:
        """All values [L, n], ascending, NaN last."""
        return self.at(np.arange(self.count))

    def at(self, ranks: np.ndarray) -> np.ndarray:
        """The values at these places of the order, counted from 0: [L, K]."""
        found = self.ranked.take(ranks, axis=1)
        if not self._keyed:
            return found
        values = _levels(self.count)[0].take(found)
        with np.errstate(over="ignore"):
            return (values * self.std[:, None] + self.centre[:, None]).astype(self.dtype)

    def quantiles(self, levels: np.ndarray) -> np.ndarray:
        """As `sorted_quantiles`: float64 [L, Q]."""
        lower, upper, share = _places(self.count, levels)
        return _between(self.at(lower), self.at(upper), share, self.at(np.array([self.count - 1])))

    def below(self, borders: np.ndarray) -> np.ndarray:
        """How many of the values lie below each of these: int64 [L, K]."""
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
    """Sort the values [L, n] of each layer, some layers at a time.

    Exactly where one is not finite, or all are equal.
    """
    depth, count = rows.shape
    mean, std, centre = np.empty((3, depth))
    keys = np.empty(rows.shape, np.uint16)
    blocks = [slice(at, at + _rows(count)) for at in range(0, depth, _rows(count))]
    for block in blocks:
        # Row by row: what lies between then stays in a core's cache.
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
    """Values of each layer [L, …] sorted on their own device, all exactly, then copied once."""
    rows = values.flatten(1)
    var, mean = torch.var_mean(rows.double(), 1, correction=0)
    found_mean, found_var = torch.stack([mean, var]).cpu().numpy()
    ranked = rows.sort(1).values.cpu().numpy()
    return Distribution(ranked, found_mean, np.sqrt(found_var), ranked.dtype, found_mean)


def _rows(count: int) -> int:
    """How many rows make a piece."""
    return max(1, PIECE_VALUES // count)


@np.errstate(all="ignore")
def _rank(row: np.ndarray, keys: np.ndarray) -> tuple[float, float, float]:
    """Write the keys of values, if there are many; returns centre, mean and standard deviation."""
    centred, centre, mean, std = _centred(row)
    if len(row) > EXACT:
        centred /= centred.dtype.type(std)
        np.copyto(keys, _position(centred, len(row), out=centred), casting="unsafe")
    return centre, mean, std


def _centred(row: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Values less about their mean; what was taken away, the mean, and the standard deviation."""
    ones = _ones(len(row), row.dtype)
    centre = float(row @ ones) / len(row)
    if not math.isfinite(centre):
        # Their sum may have left float32's range.
        centre = float(row.mean(dtype=np.float64))
    about = row.dtype.type(centre)
    centred = row - about
    mean = float(about) + float(centred @ ones) / len(row)
    return centred, float(about), mean, euclidean_norm(centred) / math.sqrt(len(row))


@lru_cache(maxsize=8)
def _ones(count: int, dtype: np.dtype) -> np.ndarray:
    return np.ones(count, dtype)


def _position(rows: np.ndarray, count: int, out: np.ndarray | None = None) -> np.ndarray:
    """Where values of mean 0 and standard deviation 1 lie among the keys, evenly in asinh.

    Between 0 and `KEYS`: no value lies beyond √n standard deviations.
    """
    position = np.arcsinh(rows, out=out)
    position *= (KEYS - 1) / 2 / _levels(count)[1]
    position += KEYS / 2
    return position


@lru_cache(maxsize=8)
def _levels(count: int) -> tuple[np.ndarray, float]:
    """The value of each key, and the largest asinh: no value lies beyond √n standard deviations."""
    limit = float(np.arcsinh(np.sqrt(count)))
    return np.sinh(np.linspace(-limit, limit, KEYS)), limit


def euclidean_norm(values: np.ndarray) -> float:
    """The root of the sum of squares, of any shape."""
    row = values.ravel(order="K")
    with np.errstate(all="ignore"):
        square = float(np.dot(row, row))
        if not 1e-30 < square < 1e30:
            # Squares may have left float32's range.
            square = float(np.square(row, dtype=np.float64).sum())
    return math.sqrt(square)


def sorted_quantiles(ordered: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Quantiles of rows that are sorted, interpolated linearly as `np.quantile` does.

    Args:
        ordered: [..., n], ascending along the last axis, NaN last.
        levels: [Q], each between 0 and 1.

    Returns:
        float64 [..., Q]; NaN where a value is NaN.
    """
    lower, upper, share = _places(ordered.shape[-1], levels)
    return _between(ordered[..., lower], ordered[..., upper], share, ordered[..., -1:])


def _places(count: int, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Between which two of `count` values in order each level lies, and how far from the lower."""
    position = levels * (count - 1)
    lower = np.floor(position).astype(np.int64)
    return lower, np.minimum(lower + 1, count - 1), position - lower


def _between(low: np.ndarray, high: np.ndarray, share: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Interpolated, [..., Q]; NaN where the last of all values [..., 1] is."""
    low, high = low.astype(np.float64), high.astype(np.float64)
    with np.errstate(all="ignore"):
        # No interpolation between equals: the difference of two infinities is not a number.
        found = np.where(low == high, low, low + (high - low) * share)
    return np.where(np.isnan(last), np.nan, found)
