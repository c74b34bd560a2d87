"""Probe of the singular values of each layer's Jacobian."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import Tensor

from bnviz.probes.axis import SINGULAR_VALUE_PERCENTILES
from bnviz.probes.context import JACOBIAN_EXAMPLES, ProbeContext, as_floats
from bnviz.probes.sorting import sorted_quantiles
from bnviz.records import ProbeValues

LEVELS = np.array(SINGULAR_VALUE_PERCENTILES) / 100

# Share of the largest singular value of a layer, below which a singular value counts as zero.
ZERO = 1e-12
# Limits for eigenvalues of a Gram matrix, which are accurate to about 1e-15 of the largest
# eigenvalue. The first two limits are shares of the largest: above the first, an eigenvalue is
# certainly not zero, and above the second, its square root has seven correct digits. The third
# limit is absolute: below it, products may have left float64's range.
SURELY_NOT_ZERO, SEVEN_DIGITS, NORMAL = 1e-12, 1e-8, 1e-280
# Maximum product of examples, layers and width³ in a pooled measurement. It allows four matrices of
# 100×100 (0.5 ms each on one core).
AFFORDABLE = 4 * 100**3


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the singular values of each layer's Jacobian, at inference.

    The Jacobian is ∂ output / ∂ input of the layer, with norm and nonlinearity. Its singular values
    are pooled over one to four fixed probe examples. In a recurrent network it is
    ∂ state / ∂ previous state, and in a convolution ∂ all values / ∂ all values of the layer below.
    Skip connections are not included.

    Returns:
        `percentiles`: [L, 3], 10th, 50th and 90th; NaN if the Jacobian is not finite.
        `zeros`: [L], share of values below 1e-12 of the layer's largest.
    """
    trace = context.jacobian_inference
    count = examples(len(trace.layers), trace.layers[-1].output[0].numel())
    jacobians = (
        context.network.layer_jacobian(trace, index, count, narrow=True)
        for index in range(len(trace.layers))
    )
    layers = _one_by_one(jacobians) if context.on_cpu else pooled_there(list(jacobians))
    percentiles, zeros = [], []
    for values in layers:
        percentiles.append(sorted_quantiles(values, LEVELS))
        zeros.append(zero_share(values))
    return as_floats(percentiles=percentiles, zeros=zeros)


def _one_by_one(jacobians: Iterable[Tensor]) -> Iterator[np.ndarray]:
    by_gram = True
    for layer in jacobians:
        values, by_gram = pooled(layer.numpy(), by_gram=by_gram)
        yield values


def examples(depth: int, width: int) -> int:
    """Return the number of examples at which Jacobians [width, width] are measured, 1 to 4."""
    return int(np.clip(AFFORDABLE // (depth * width**3), 1, JACOBIAN_EXAMPLES))


def pooled(jacobians: np.ndarray, *, by_gram: bool = True) -> tuple[np.ndarray, bool]:
    """Return the pooled singular values of one layer's Jacobians [E, m, n], ascending, float64.

    Gram matrices take three quarters of the time, but square the condition number: values far below
    the largest lose their digits, and zeros look like small values. They are used only if all
    percentiles keep seven digits. The second result says whether they were used. If not, pass
    `by_gram=False` for the next layers. Values are NaN where a matrix is not finite.
    """
    matrices, zeros = _without_zero_rows(jacobians)
    if by_gram:
        squares = np.sort(np.concatenate([_gram_eigenvalues(matrix) for matrix in matrices]))
        if _suffice(squares, zeros):
            return np.append(np.zeros(zeros), np.sqrt(squares)), True
    values = [_exact(matrix[None])[0] for matrix in matrices]
    return np.sort(np.concatenate([np.zeros(zeros), *values])), False


def pooled_there(jacobians: list[Tensor]) -> list[np.ndarray]:
    """Apply `pooled` to the Jacobians of all layers on their device, one call per shape."""
    found: list[np.ndarray] = [np.empty(0)] * len(jacobians)
    for shape in dict.fromkeys(layer.shape for layer in jacobians):
        chosen = [index for index, layer in enumerate(jacobians) if layer.shape == shape]
        for index, values in zip(
            chosen, _together(torch.stack([jacobians[index] for index in chosen])), strict=True
        ):
            found[index] = values
    return found


def _together(matrices: Tensor) -> list[np.ndarray]:
    """Return the ascending singular values of each of K layers with Jacobians [K, E, m, n]."""
    rows, columns = matrices.shape[2:]
    grams = matrices @ matrices.mT if rows <= columns else matrices.mT @ matrices
    # Replace matrices that are not finite, because the eigenvalue solver raises an error for them.
    finite = torch.isfinite(grams).all(-1).all(-1)
    squares = torch.linalg.eigvalsh(torch.where(finite[..., None, None], grams, 0))
    kept = (matrices != 0).any(-1).sum(-1)
    zeros = grams.shape[-1] - kept.clamp(max=columns)  # counted as in `_without_zero_rows`
    facts = torch.cat([squares, zeros[..., None], finite[..., None]], -1).cpu().numpy()
    found, exact = [], []
    for index, layer in enumerate(facts):
        ascending = np.sort(np.concatenate([row[int(row[-2]) : -2] for row in layer]))
        count = int(layer[:, -2].sum())
        if not (layer[:, -1].all() and _suffice(ascending, count)):
            exact.append(index)
        with np.errstate(invalid="ignore"):
            found.append(np.append(np.zeros(count), np.sqrt(ascending)))
    if exact:
        for index, values in zip(exact, _exact_there(matrices[exact]), strict=True):
            found[index] = values
    return found


def _exact_there(matrices: Tensor) -> np.ndarray:
    """Return the results of `_exact` for K layers, ascending: [K, E · min(m, n)]."""
    finite = torch.isfinite(matrices).all(-1).all(-1)[..., None]
    values = torch.linalg.svdvals(torch.where(finite[..., None], matrices, 0))
    values = torch.where(finite, values, torch.nan).flatten(1).sort(1).values
    return np.asarray(values.cpu().numpy())


def _without_zero_rows(jacobians: np.ndarray) -> tuple[list[np.ndarray], int]:
    """Remove zero rows (half of all with ReLU). Also return the number of zero singular values."""
    matrices, size = [], min(jacobians.shape[1:])
    for jacobian in jacobians:
        kept = jacobian.any(axis=1)
        matrices.append(jacobian if kept.all() else jacobian[kept])
    return matrices, sum(size - min(matrix.shape) for matrix in matrices)


def _gram_eigenvalues(matrix: np.ndarray) -> np.ndarray:
    """Return the squared singular values, ascending, or NaN if rounding hides the smallest."""
    with np.errstate(all="ignore"):
        wide = matrix.shape[0] <= matrix.shape[1]
        gram = matrix @ matrix.T if wide else matrix.T @ matrix
        lengths = gram.diagonal()
        # The largest eigenvalue is at least the largest diagonal entry, and the smallest eigenvalue
        # is at most the smallest diagonal entry.
        if lengths.size and not NORMAL < lengths.min() >= SURELY_NOT_ZERO * lengths.max() < np.inf:
            return np.full(lengths.size, np.nan)
    return np.asarray(np.linalg.eigvalsh(gram))


def _suffice(squares: np.ndarray, zeros: int) -> bool:
    """Return whether no value can be zero and the percentiles have seven correct digits."""
    if not squares.size:
        return True
    lower = np.floor(LEVELS * (squares.size + zeros - 1)).astype(np.int64) - zeros
    used = np.append(lower, np.minimum(lower + 1, squares.size - 1))
    lowest = squares[used[used >= 0].min(initial=squares.size - 1)]
    return bool(
        squares[0] >= max(SURELY_NOT_ZERO * squares[-1], NORMAL)
        and lowest >= SEVEN_DIGITS * squares[-1]
    )


def singular_values(jacobians: np.ndarray) -> np.ndarray:
    """Return singular values [E, min(m, n)], descending, to six digits; NaN if not finite."""
    with np.errstate(all="ignore"):
        wide = jacobians.shape[1] <= jacobians.shape[2]
        turned = jacobians.transpose(0, 2, 1)
        gram = jacobians @ turned if wide else turned @ jacobians
    if np.isfinite(gram).all():
        squares = np.linalg.eigvalsh(gram)
        enough = np.maximum(SEVEN_DIGITS * squares[:, -1], NORMAL)
        if (squares[:, 0] >= enough).all():
            return np.sqrt(squares[:, ::-1])
    return _exact(jacobians)


def _exact(jacobians: np.ndarray) -> np.ndarray:
    """Return `singular_values` by singular value decomposition, which resolves small values."""
    found = np.full((len(jacobians), min(jacobians.shape[1:])), np.nan)
    finite = np.isfinite(jacobians).all(axis=(1, 2))
    found[finite] = np.linalg.svd(jacobians[finite], compute_uv=False)
    return found


def zero_share(values: np.ndarray) -> float:
    if np.isnan(values).any():
        return float("nan")
    return np.count_nonzero(values <= ZERO * values.max()) / values.size
