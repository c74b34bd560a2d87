"""What one unit receives for the first mini-batches of a run.

In NumPy, so that a page can compute it. The weights, the data and their order are the engine's; a
test holds the values to its network's.
"""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.networks.init import draw_weights
from bnviz.training.batches import Batches

# So many mini-batches, of the first unit of layer 1.
BATCHES = 5
UNIT = 0


def first_batches(config: RunConfig) -> np.ndarray:
    """Wu of a unit of layer 1 at the weights with which a fully connected run begins.

    Before any norm, and without a bias, which begins at 0.

    Args:
        config: of the run.

    Returns:
        float64 [5, m]: a row for each of the mini-batches that the run takes first.
    """
    data = load(config)
    shape = (config.width, data.features)
    (weight,) = draw_weights(config.init, config.init_std, [shape], config.seed)
    stream = Batches(len(data.train_labels), config.seed)
    rows = [stream.take(config.batch_size) for _ in range(BATCHES)]
    return np.stack([data.train_inputs[row].astype(np.float64) @ weight[UNIT] for row in rows])
