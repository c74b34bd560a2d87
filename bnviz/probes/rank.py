"""How many dimensions a layer's outputs fill, and how alike its units are."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# A unit whose standard deviation is below this many roundings of its size is constant.
ROUNDINGS = 16


def measure(context: ProbeContext) -> ProbeValues:
    """How many dimensions each layer's outputs fill, and how strongly its units correlate.

    On the probe set, in training mode; in a convolution every place of every example is a sample.

    Returns:
        `participation` float32 [L]: (Σs²)²/Σs⁴ with the singular values s of the layer's outputs,
        samples by units and not centred, as in Daneshmand et al. 2020; between 1 and the smaller
        of both numbers. NaN where all outputs are zero or one is not finite;
        `correlation` float32 [L]: mean |ρ| between two units of what the nonlinearity gets; NaN
        where fewer than two units vary or a value is not finite.
    """
    outputs = (unit_rows(layer.output) for layer in context.probe_training.layers)
    with np.errstate(all="ignore"):
        return as_floats(
            participation=[participation(_array(rows)) for rows in outputs],
            correlation=[correlation(rows) for rows in context.nonlinearity_inputs],
        )


def participation(rows: np.ndarray) -> float:
    """Participation ratio of the singular values of a matrix [n, H].

    Of the Gram matrix G it is (tr G)²/‖G‖², whichever of XᵀX and XXᵀ is the smaller.
    """
    # Squares of values scaled so neither overflow nor vanish.
    scaled = rows / np.abs(rows).max()
    gram = scaled.T @ scaled if rows.shape[0] >= rows.shape[1] else scaled @ scaled.T
    return float(np.trace(gram, dtype=np.float64) ** 2 / _square_sum(gram))


def correlation(rows: np.ndarray) -> float:
    """Mean |ρ| between different columns of [n, H], columns that do not vary left out."""
    size = np.abs(rows).max(axis=0)
    size[size == 0] = 1
    centred = rows - rows.mean(axis=0)
    std = np.sqrt(np.mean((centred / size) ** 2, axis=0)) * size
    varies = ~(std <= ROUNDINGS * np.finfo(rows.dtype).eps * size)
    if np.count_nonzero(varies) < 2:
        return float("nan")
    standardized = centred[:, varies] / std[varies]
    count = standardized.shape[1]
    total = np.abs(standardized.T @ standardized / len(rows)).sum(dtype=np.float64)
    return float((total - count) / (count * (count - 1)))


def _square_sum(matrix: np.ndarray) -> float:
    return float(np.square(matrix, dtype=np.float64).sum())


def _array(rows: Tensor) -> np.ndarray:
    return np.asarray(rows.cpu().numpy())
