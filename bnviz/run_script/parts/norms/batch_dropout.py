"""Batch normalization with dropout."""

import numpy as np
import torch
from torch import nn

from bnviz.run_script.parts.norms.noise import noise
from bnviz.run_script.parts.setting import AFFINE, AVERAGING, DROPOUT, EPS, WIDTH, config

keeps_bias = False
uses_step = True


class BatchNormDropout(nn.BatchNorm2d if config.network == "conv" else nn.BatchNorm1d):
    """Batch normalization; `drop` drops values of the layer's output (Srivastava et al. 2014)."""

    def __init__(self, layer):
        super().__init__(WIDTH, EPS, AVERAGING, AFFINE)
        self.layer = layer

    def drop(self, output):
        kept = noise(self).random(output.shape, dtype=np.float32) >= DROPOUT
        return output * torch.from_numpy(kept) / (1 - DROPOUT)


def batch_dropout(layer):
    """Return batch normalization with dropout."""
    return BatchNormDropout(layer)
