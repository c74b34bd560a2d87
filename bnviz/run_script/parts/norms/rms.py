"""Root mean square normalization."""

import torch
from torch import nn

from bnviz.run_script.parts.setting import AFFINE, EPS, UNITS, WIDTH, config

keeps_bias = True

if config.network == "conv":

    class RMSNorm(nn.Module):
        """Division of each example by its root mean square, with one γ per feature map."""

        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(UNITS), requires_grad=AFFINE)

        def forward(self, x):
            square = (x**2).mean((1, 2, 3), keepdim=True)
            return self.weight * x / (square + EPS).sqrt()


def rms(layer):
    """Return root mean square normalization (Zhang & Sennrich 2019)."""
    if config.network == "conv":
        return RMSNorm()
    else:
        return nn.RMSNorm(WIDTH, EPS, AFFINE)
