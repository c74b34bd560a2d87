"""Fixed axes and sample sizes of probes and charts; NumPy only, so that charts can import it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnviz.data.base import PROBE_SIZE
from bnviz.sizes import size_of

if TYPE_CHECKING:
    from bnviz.config import RunConfig

# Histogram axis of a layer, linear near 0 and logarithmic far out. ±1,000 covers the
# pre-activations of a network that breaks. Values beyond it are counted separately.
LIMIT = 1000.0
BINS = 64


def _edges(limit: float) -> np.ndarray:
    """Return 65 bin edges, float32, evenly spaced in asinh from `-limit` to `limit`."""
    end = np.arcsinh(limit)
    return np.sinh(np.linspace(-end, end, BINS + 1)).astype(np.float32)


EDGES = _edges(LIMIT)

# Percentiles as in Ioffe & Szegedy 2015, Fig. 1, and percentiles of singular values.
PERCENTILES = (15, 50, 85)
SINGULAR_VALUE_PERCENTILES = (10, 50, 90)

UNIT_COUNT = 8
# Number of mini-batch values reported for each of the `UNIT_COUNT` units.
BATCH_VALUES = 24

# Number of mini-batch values reported per normalized unit (most, fewest). 64 is a usual mini-batch.
# Networks with more than `NORMALIZED_LAYERS` layers report fewer, so that the values of all layers
# stay at some tens of kilobytes.
NORMALIZED_VALUES, FEWEST_NORMALIZED = 64, 8
NORMALIZED_LAYERS = 8

# Histogram axis of a single unit, also linear near 0. It is finer, because one unit's values vary
# less than the values of a layer.
UNIT_LIMIT = 30.0
UNIT_EDGES = _edges(UNIT_LIMIT)

# Sizes of the mini-batches whose gradients are compared with the whole training set's gradient.
ESTIMATE_SIZES = (2, 4, 15, 60, 240)

# Limits on the number of probe examples. If a unit has several values per example, or the network
# has hundreds of layers, fewer examples are used. The number of values is then about the same as in
# a fully connected network with 100 units per layer.
VALUES_PER_LAYER = 25_600
MOST_VALUES = 640_000
FEWEST_EXAMPLES = 16

# Number of eigenvalues reported over all layers together, and the minimum per layer. Ten layers of
# 100 units report all of them.
EIGENVALUES, FEWEST_EIGENVALUES = 1024, 16
# Eigenvalues below this share of the largest count as zero. Rounding errors are about 1e-15 of the
# largest, or 1e-14 for float32 values.
ZERO_EIGENVALUE = 1e-10

# Grid over the input plane. The standardized inputs of every plane data set are within ±2.6.
GRID_SIZE = 40
GRID: np.ndarray = np.linspace(-2.6, 2.6, GRID_SIZE, dtype=np.float32)


def units(width: int) -> np.ndarray:
    """Return eight evenly spaced unit indices, with repeats if a layer has fewer, int64 [8]."""
    return np.linspace(0, width - 1, UNIT_COUNT).round().astype(np.int64)


def normalized_values(layers: int) -> int:
    """Return how many mini-batch values are reported per normalized unit, from 64 to 8."""
    return max(NORMALIZED_VALUES * NORMALIZED_LAYERS // max(layers, NORMALIZED_LAYERS),
               FEWEST_NORMALIZED)  # fmt: skip


def eigenvalue_places(config: RunConfig) -> np.ndarray:
    """Return the ranks of the reported eigenvalues, evenly spaced from 0 (largest), int64 [K]."""
    most = max(EIGENVALUES // config.layer_count, FEWEST_EIGENVALUES)
    return np.linspace(0, config.width - 1, min(config.width, most)).round().astype(np.int64)


def grid_points() -> np.ndarray:
    """Return the input grid of the boundary probe, float32 [1600, 2]; input 1 varies fastest."""
    first, second = np.meshgrid(GRID, GRID)
    return np.stack([first.ravel(), second.ravel()], axis=1)


def probe_examples(config: RunConfig) -> int:
    """Return the maximum size of the probe set: 256, or fewer if an example has more values."""
    if config.network == "mlp":
        return PROBE_SIZE
    values = size_of(config).values
    count = min(VALUES_PER_LAYER * config.layer_count // values, MOST_VALUES // values)
    return min(max(count, FEWEST_EXAMPLES), PROBE_SIZE)
