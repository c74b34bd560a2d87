"""Fixed axes and sample sizes of probes and charts, without torch, so that charts can import it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bnviz.data.base import PROBE_SIZE
from bnviz.sizes import size_of

if TYPE_CHECKING:
    from bnviz.config import RunConfig

# Limit and number of bins of the histogram axis of a layer. The axis is linear near 0 and
# logarithmic far from 0. ±1,000 covers the pre-activations of a network that breaks. Values outside
# are counted separately.
LIMIT = 1000.0
BINS = 64


def _edges(limit: float) -> np.ndarray:
    """Return 65 bin edges from `-limit` to `limit`, evenly spaced in asinh, as float32."""
    end = np.arcsinh(limit)
    return np.sinh(np.linspace(-end, end, BINS + 1)).astype(np.float32)


EDGES = _edges(LIMIT)

# Percentiles of distributions as in Ioffe & Szegedy 2015, Fig. 1, and percentiles of singular
# values.
PERCENTILES = (15, 50, 85)
SINGULAR_VALUE_PERCENTILES = (10, 50, 90)

UNIT_COUNT = 8
# Number of mini-batch values reported for each of the `UNIT_COUNT` units.
BATCH_VALUES = 24

# Maximum and minimum number of mini-batch values reported per normalized unit. 64 is a usual
# mini-batch. Networks with more than `NORMALIZED_LAYERS` layers report fewer values per unit, so
# that the values of all layers take only some tens of kilobytes.
NORMALIZED_VALUES, FEWEST_NORMALIZED = 64, 8
NORMALIZED_LAYERS = 8

# Limit and bin edges of the histogram axis for a single unit. Like the axis for layers, it is
# linear near 0. Its bins are narrower, because the values of one unit vary less than the values of
# a layer.
UNIT_LIMIT = 30.0
UNIT_EDGES = _edges(UNIT_LIMIT)

# Sizes of the mini-batches whose gradients are compared with the whole training set's gradient.
ESTIMATE_SIZES = (2, 4, 15, 60, 240)

# Limits on the number of values per layer and in total, and minimum number of probe examples. If a
# unit has several values per example, or the network has hundreds of layers, fewer examples are
# used. The number of values is then about the same as in a fully connected network with 100 units
# per layer.
VALUES_PER_LAYER = 25_600
MOST_VALUES = 640_000
FEWEST_EXAMPLES = 16

# Maximum number of eigenvalues reported for all layers together, and minimum number per layer. Ten
# layers of 100 units report all of their eigenvalues.
EIGENVALUES, FEWEST_EIGENVALUES = 1024, 16
# Share of the largest eigenvalue below which an eigenvalue counts as zero. Rounding errors are
# about 1e-15 of the largest eigenvalue, or 1e-14 for float32 values.
ZERO_EIGENVALUE = 1e-10

# Points of the grid per axis of the input plane. The standardized inputs of every plane data set
# are within ±2.6.
GRID_SIZE = 40
GRID: np.ndarray = np.linspace(-2.6, 2.6, GRID_SIZE, dtype=np.float32)


def units(width: int) -> np.ndarray:
    """Return eight evenly spaced unit indices, int64 [8], with repeats if there are fewer units."""
    return np.linspace(0, width - 1, UNIT_COUNT).round().astype(np.int64)


def normalized_values(layers: int) -> int:
    """Return the number of mini-batch values reported per normalized unit, from 64 to 8."""
    return max(NORMALIZED_VALUES * NORMALIZED_LAYERS // max(layers, NORMALIZED_LAYERS),
               FEWEST_NORMALIZED)  # fmt: skip


def eigenvalue_places(config: RunConfig) -> np.ndarray:
    """Return the ranks of the reported eigenvalues, int64 [K], evenly spaced from 0 (largest)."""
    most = max(EIGENVALUES // config.layer_count, FEWEST_EIGENVALUES)
    return np.linspace(0, config.width - 1, min(config.width, most)).round().astype(np.int64)


def grid_points() -> np.ndarray:
    """Return the input grid of the boundary probe, float32 [1600, 2]; input 1 varies fastest."""
    first, second = np.meshgrid(GRID, GRID)
    return np.stack([first.ravel(), second.ravel()], axis=1)


def probe_examples(config: RunConfig) -> int:
    """Return the maximum number of probe examples: 256, or fewer if each has many values."""
    if config.network == "mlp":
        return PROBE_SIZE
    values = size_of(config).values
    count = min(VALUES_PER_LAYER * config.layer_count // values, MOST_VALUES // values)
    return min(max(count, FEWEST_EXAMPLES), PROBE_SIZE)
