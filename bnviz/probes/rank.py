"""Probe of the effective rank of each layer's outputs, and of the correlation between units."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# Maximum standard deviation of a constant unit, in rounding errors of its largest absolute value.
ROUNDINGS = 16


def measure(context: ProbeContext) -> ProbeValues:
    """Measure effective rank and unit correlation on the probe set, in training mode.

    Returns:
        `participation`: [L], (Σs²)²/Σs⁴ of the singular values s of the outputs (samples by units,
            not centred; Daneshmand et al. 2020). NaN if all are zero or an output is not finite.
        `correlation`: [L], mean |ρ| between the nonlinearity inputs of two units; NaN if fewer than
            two units vary or a value is not finite.
    """
    outputs = (unit_rows(layer.output) for layer in context.probe_training.layers)
    with np.errstate(all="ignore"):
        return as_floats(
            participation=[participation(_array(rows)) for rows in outputs],
            correlation=[correlation(rows) for rows in context.nonlinearity_inputs],
        )


def participation(rows: np.ndarray) -> float:
    """Return the participation ratio (tr G)²/‖G‖² of X [n, H] with G = XᵀX or XXᵀ."""
    # Scale the values, so that their squares neither overflow nor underflow.
    scaled = rows / np.abs(rows).max()
    gram = scaled.T @ scaled if rows.shape[0] >= rows.shape[1] else scaled @ scaled.T
    return float(np.trace(gram, dtype=np.float64) ** 2 / _square_sum(gram))


def correlation(rows: np.ndarray) -> float:
    """Return the mean |ρ| over pairs of columns of [n, H], without constant columns."""
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
