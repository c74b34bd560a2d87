"""Noisy batch normalization."""

import numpy as np
import torch
from torch import nn

from bnviz.run_script.parts.norms.noise import noise
from bnviz.run_script.parts.setting import AFFINE, AVERAGING, EPS, UNITS, WIDTH, config

keeps_bias = False
uses_step = True


class NoisyBatchNorm(nn.BatchNorm2d if config.network == "conv" else nn.BatchNorm1d):
    """Batch normalization, then a random scale and shift (Santurkar et al. 2018)."""

    def __init__(self, layer):
        super().__init__(WIDTH, EPS, AVERAGING, AFFINE)
        self.layer = layer

    def forward(self, x):
        y = super().forward(x)
        if not self.training:
            return 1.125 * y  # the mean of the scales
        generator, f32 = noise(self), np.float32
        unit_shift = generator.uniform(-0.5, 0.5, UNITS).astype(f32)
        unit_scale = generator.uniform(1, 1.25, UNITS).astype(f32)
        # Each value has its own noise around that of its unit.
        shift = 0.2 * generator.random(x.shape, f32) + (unit_shift - f32(0.1))
        scale = 0.1 * generator.standard_normal(x.shape, f32) + unit_scale
        return y * torch.from_numpy(scale) + torch.from_numpy(shift)


def noisy(layer):
    """Return noisy batch normalization."""
    return NoisyBatchNorm(layer)
