"""Lanczos iteration for the extreme eigenvalues of a matrix, using only matrix–vector products."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.pieces import Pieces

# Share of the largest eigenvalue below which the residual counts as zero. The basis then spans an
# invariant subspace, and the iteration stops.
BREAKDOWN = 1e-10


class Ends(NamedTuple):
    """Largest (`high`) and smallest (`low`) eigenvalue, and the number of products used."""

    high: float
    low: float
    products: int


UNKNOWN = Ends(np.nan, np.nan, 0)


def ends_in_pieces(
    product: Callable[[Tensor], Tensor],
    start: Tensor,
    *,
    most: int,
    least: int = 1,
    tolerance: float = 0.0,
    low_tolerance: float | None = None,
) -> Pieces[Ends]:
    """Find the largest and the smallest eigenvalue by Lanczos with full reorthogonalization.

    Each piece does one matrix–vector product. Unlike power iteration, Lanczos separates the two
    eigenvalues even if their magnitudes are similar (Lanczos 1950; for Hessians Ghorbani et al.
    2019). The eigenvalues are NaN if a product is not finite.

    Args:
        start: Nonzero vector [n], close to the wanted eigenvectors but not an eigenvector itself.
        most, least: Limits on the number of products.
        tolerance: Relative error of the largest eigenvalue at which to stop.
        low_tolerance: Error of the smallest eigenvalue, relative to the larger magnitude of the
            two;
            None means `tolerance`.
    """
    low_tolerance = tolerance if low_tolerance is None else low_tolerance
    most = min(most, len(start))
    basis = start.new_empty(most, len(start))
    basis[0] = start / torch.linalg.vector_norm(start)
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    found = UNKNOWN
    for index in range(most):
        vector = product(basis[index])
        yield
        diagonal.append(float(torch.dot(basis[index], vector)))
        spanned = basis[: index + 1]
        for _ in range(2):  # twice, because one pass leaves rounding errors
            vector = vector - spanned.t() @ (spanned @ vector)
        off_diagonal.append(float(torch.linalg.vector_norm(vector)))
        if not np.isfinite(diagonal[-1] + off_diagonal[-1]):
            return UNKNOWN._replace(products=index + 1)
        found, high_error, low_error = _ends(diagonal, off_diagonal)
        size = max(abs(found.high), abs(found.low))
        known = high_error <= tolerance * abs(found.high) and low_error <= low_tolerance * size
        if (known and index + 1 >= least) or off_diagonal[-1] <= BREAKDOWN * size:
            break
        if index + 1 < most:
            basis[index + 1] = vector / off_diagonal[-1]
    return found


def _ends(diagonal: list[float], off_diagonal: list[float]) -> tuple[Ends, float, float]:
    """Return the extreme eigenvalues of the tridiagonal matrix, and estimates of their errors."""
    matrix = np.diag(diagonal) + np.diag(off_diagonal[:-1], 1) + np.diag(off_diagonal[:-1], -1)
    values, vectors = np.linalg.eigh(matrix)
    residuals = off_diagonal[-1] * np.abs(vectors[-1])
    gaps = np.diff(values) if len(values) > 1 else np.zeros(1)
    high, low = (_error(float(residuals[end]), float(gaps[end])) for end in (-1, 0))
    return Ends(float(values[-1]), float(values[0]), len(values)), high, low


def _error(residual: float, gap: float) -> float:
    """Bound an eigenvalue's error by its residual, or residual² ÷ (gap − residual) if smaller."""
    return min(residual, residual**2 / (gap - residual)) if gap > 2 * residual else residual
