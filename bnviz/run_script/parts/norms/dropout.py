"""Dropout in place of a norm."""

import numpy as np
import torch
from torch import nn

from bnviz.run_script.parts.norms.noise import noise
from bnviz.run_script.parts.setting import DROPOUT

keeps_bias = True
uses_step = True


class Dropout(nn.Module):
    """Dropout (Srivastava et al. 2014) of the same values as in the run."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        if not self.training:
            return x
        kept = noise(self).random(x.shape, dtype=np.float32) >= DROPOUT
        return x * torch.from_numpy(kept) / (1 - DROPOUT)


def dropout(layer):
    """Return dropout."""
    return Dropout(layer)
