"""The outermost eigenvalues of a symmetric matrix of which only products are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.pieces import Pieces

# Below this share of the largest eigenvalue nothing is left outside of the space spanned.
BREAKDOWN = 1e-10


class Ends(NamedTuple):
    """What the Lanczos iteration found.

    Attributes:
        high: the largest eigenvalue.
        low: the smallest.
        products: multiplications by the matrix.
    """

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
    """The largest and the smallest eigenvalue, by Lanczos with full reorthogonalization; a product
    a piece.

    Unlike power iteration it tells both ends apart where they are of one size (Lanczos 1950; of
    Hessians Ghorbani et al. 2019).

    Args:
        product: multiplies a vector [n] by the matrix.
        start: [n], not zero; should lean towards the eigenvectors wanted without being one.
        most: products at most.
        least: products at least.
        tolerance: stop when the largest eigenvalue is known to this share of itself ...
        low_tolerance: ... and the smallest to this share of the larger of both in size; None for
            `tolerance`.

    Returns:
        NaN throughout where a product is not finite.
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
        for _ in range(2):  # once leaves rounding behind
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
    """Both ends of the tridiagonal matrix's spectrum, and estimates of the errors of high and low.

    Args:
        diagonal: α [k].
        off_diagonal: β [k], the last one being the length of what is left over.
    """
    matrix = np.diag(diagonal) + np.diag(off_diagonal[:-1], 1) + np.diag(off_diagonal[:-1], -1)
    values, vectors = np.linalg.eigh(matrix)
    residuals = off_diagonal[-1] * np.abs(vectors[-1])
    gaps = np.diff(values) if len(values) > 1 else np.zeros(1)
    high, low = (_error(float(residuals[end]), float(gaps[end])) for end in (-1, 0))
    return Ends(float(values[-1]), float(values[0]), len(values)), high, low


def _error(residual: float, gap: float) -> float:
    """An eigenvalue lies within the residual, and within its square ÷ the gap to the next one."""
    return min(residual, residual**2 / (gap - residual)) if gap > 2 * residual else residual
