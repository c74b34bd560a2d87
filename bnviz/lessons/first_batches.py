"""Pre-activations of one unit for the first mini-batches of a run.

They need only NumPy, so a page can compute them. A test compares them with the engine.
"""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.networks.init import draw_weights
from bnviz.training.batches import Batches

# Number of mini-batches, and index of the unit in layer 1.
BATCHES = 5
UNIT = 0


def first_batches(config: RunConfig) -> np.ndarray:
    """Compute Wu of one unit of layer 1 of a fully connected network with its initial weights.

    Returns:
        float64 [5, m], one row per mini-batch, before any norm; the bias is left out, as it is 0.
    """
    data = load(config)
    shape = (config.width, data.features)
    (weight,) = draw_weights(config.init, config.init_std, [shape], config.seed)
    stream = Batches(len(data.train_labels), config.seed)
    rows = [stream.take(config.batch_size) for _ in range(BATCHES)]
    return np.stack([data.train_inputs[row].astype(np.float64) @ weight[UNIT] for row in rows])
