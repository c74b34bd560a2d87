"""The fixed axes on which probes measure and charts draw: one scale for all networks and steps.

NumPy only, so that charts can import it.
"""

from __future__ import annotations

import numpy as np

# Linear near 0, logarithmic far out. ±1,000 holds the pre-activations of a network that breaks;
# what lies beyond is counted apart.
LIMIT = 1000.0
BINS = 64
EDGES: np.ndarray = np.sinh(np.linspace(-np.arcsinh(LIMIT), np.arcsinh(LIMIT), BINS + 1)).astype(
    np.float32
)

# The percentiles of Ioffe & Szegedy 2015, Fig. 1, and those of singular values.
PERCENTILES = (15, 50, 85)
SINGULAR_VALUE_PERCENTILES = (10, 50, 90)

UNIT_COUNT = 8

# Standardized inputs of every plane set lie within ±2.6.
GRID_SIZE = 40
GRID: np.ndarray = np.linspace(-2.6, 2.6, GRID_SIZE, dtype=np.float32)


def units(width: int) -> np.ndarray:
    """The eight units of a layer whose percentiles are measured: evenly spaced, int64 [8].

    Below eight units some stand more than once.
    """
    return np.linspace(0, width - 1, UNIT_COUNT).round().astype(np.int64)


def grid_points() -> np.ndarray:
    """The points at which the boundary probe asks: scaled inputs, row by row, float32 [1600, 2].

    Rows follow the second input upwards, columns the first.
    """
    first, second = np.meshgrid(GRID, GRID)
    return np.stack([first.ravel(), second.ravel()], axis=1)
