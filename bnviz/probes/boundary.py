"""Probe of the predicted probability over the input plane."""

from __future__ import annotations

import numpy as np
import torch

from bnviz.data import DATASETS
from bnviz.probes.axis import GRID_SIZE, grid_points
from bnviz.probes.context import ProbeContext
from bnviz.records import ProbeValues

FULL_SCALE = 255


def measure(context: ProbeContext) -> ProbeValues:
    """Return `score`, the probability of the second class over the input plane, at inference.

    `score` is uint8 [40, 40], probability × 255 at the points of `axis.GRID`. Rows are by input 2,
    columns by input 1. It is 128 if the logits are not finite. Without plane data the result is
    empty.
    """
    if not DATASETS[context.config.dataset].plane:
        return {}
    logits = context.network.forward(context.as_input(grid_points()), training=False).logits
    score = torch.softmax(logits.double(), dim=1)[:, 1].cpu().numpy()
    score = np.nan_to_num(score, nan=0.5) * FULL_SCALE
    return {"score": np.rint(score).astype(np.uint8).reshape(GRID_SIZE, GRID_SIZE)}
