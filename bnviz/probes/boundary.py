"""What the network says about every place of the plane."""

from __future__ import annotations

import numpy as np
import torch

from bnviz.data import DATASETS
from bnviz.probes.axis import GRID_SIZE, grid_points
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues

FULL_SCALE = 255


def measure(context: ProbeContext) -> ProbeValues:
    """The probability of the second class over the plane, in inference mode.

    Returns:
        `score` uint8 [40, 40]: probability × 255 at the points of `axis.GRID`, rows by the second
        input, columns by the first; 128 where the network says nothing finite. Nothing for data
        that are not points of the plane.
    """
    if not DATASETS[context.config.dataset].plane:
        return {}
    logits = context.network.forward(context.as_input(grid_points()), training=False).logits
    score = torch.softmax(logits.double(), dim=1)[:, 1].cpu().numpy()
    score = np.nan_to_num(score, nan=0.5) * FULL_SCALE
    return {"score": np.rint(score).astype(np.uint8).reshape(GRID_SIZE, GRID_SIZE)}
