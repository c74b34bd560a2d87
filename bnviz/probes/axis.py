"""The fixed axes on which probes measure and charts draw: one scale for all networks and steps.

NumPy only, so that charts can import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnviz.data.base import PROBE_SIZE
from bnviz.sizes import size_of

if TYPE_CHECKING:
    from bnviz.config import RunConfig

# Linear near 0, logarithmic far out. ±1,000 holds the pre-activations of a network that breaks;
# what lies beyond is counted apart.
LIMIT = 1000.0
BINS = 64


def _edges(limit: float) -> np.ndarray:
    """The edges of bins that are even in asinh up to a limit, float32 [65]."""
    end = np.arcsinh(limit)
    return np.sinh(np.linspace(-end, end, BINS + 1)).astype(np.float32)


EDGES = _edges(LIMIT)

# The percentiles of Ioffe & Szegedy 2015, Fig. 1, and those of singular values.
PERCENTILES = (15, 50, 85)
SINGULAR_VALUE_PERCENTILES = (10, 50, 90)

UNIT_COUNT = 8
# Values of a mini-batch that are given out for each of these units.
BATCH_VALUES = 24

# Of normalized units as many as a usual mini-batch has; in deep networks fewer, so that those of
# all layers together stay some ten thousand bytes.
NORMALIZED_VALUES, FEWEST_NORMALIZED = 64, 8
NORMALIZED_LAYERS = 8

# One unit's values lie closer together than those of a layer: a finer axis, linear near 0 as well.
UNIT_LIMIT = 30.0
UNIT_EDGES = _edges(UNIT_LIMIT)

# Sizes of the mini-batches whose gradients are compared with that of the whole training set.
ESTIMATE_SIZES = (2, 4, 15, 60, 240)

# Where a unit has more than one value an example, or where there are hundreds of layers, fewer
# examples are measured on: about as many values as in a fully connected network of 100 units.
VALUES_PER_LAYER = 25_600
MOST_VALUES = 640_000
FEWEST_EXAMPLES = 16

# Eigenvalues that are given out of all layers together, and at least of each: all of them where
# ten layers have a hundred units.
EIGENVALUES, FEWEST_EIGENVALUES = 1024, 16
# One below this share of the largest is zero: rounding leaves some 1e-15 of it, float32 values some
# 1e-14.
ZERO_EIGENVALUE = 1e-10

# Standardized inputs of every plane set lie within ±2.6.
GRID_SIZE = 40
GRID: np.ndarray = np.linspace(-2.6, 2.6, GRID_SIZE, dtype=np.float32)


def units(width: int) -> np.ndarray:
    """The eight units of a layer whose percentiles are measured: evenly spaced, int64 [8].

    Below eight units some stand more than once.
    """
    return np.linspace(0, width - 1, UNIT_COUNT).round().astype(np.int64)


def normalized_values(layers: int) -> int:
    """How many values of a mini-batch are given out for each normalized unit: 64 to 8."""
    return max(NORMALIZED_VALUES * NORMALIZED_LAYERS // max(layers, NORMALIZED_LAYERS),
               FEWEST_NORMALIZED)  # fmt: skip


def eigenvalue_places(config: RunConfig) -> np.ndarray:
    """Which of a layer's eigenvalues are given out, evenly spaced; 0 is the largest. int64 [K]."""
    most = max(EIGENVALUES // config.layer_count, FEWEST_EIGENVALUES)
    return np.linspace(0, config.width - 1, min(config.width, most)).round().astype(np.int64)


def grid_points() -> np.ndarray:
    """The points at which the boundary probe asks: scaled inputs, row by row, float32 [1600, 2].

    Rows follow the second input upwards, columns the first.
    """
    first, second = np.meshgrid(GRID, GRID)
    return np.stack([first.ravel(), second.ravel()], axis=1)


def probe_examples(config: RunConfig) -> int:
    """The number of examples of the fixed probe set on which a run's network is measured.

    256 in a fully connected network; fewer in others, whose layers have more values an example. A
    data set with a smaller test part has all of that.
    """
    if config.network == "mlp":
        return PROBE_SIZE
    values = size_of(config).values
    count = min(VALUES_PER_LAYER * config.layer_count // values, MOST_VALUES // values)
    return min(max(count, FEWEST_EXAMPLES), PROBE_SIZE)
