"""Batch normalization with another length than the standard deviation."""

import torch

from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import AXES, EPS, UNITS


class LpNorm(OwnNorm):
    """Batch normalization with another `length` than the standard deviation
    (Santurkar et al. 2018).
    """

    def __init__(self, length):
        super().__init__(running_mean=torch.zeros(UNITS), running_length=torch.ones(UNITS))
        self.length = length

    def forward(self, x):
        mean, length = self.running_mean, self.running_length
        if self.training:
            mean = x.mean(AXES, keepdim=True)
            length = self.length((x - mean).abs())
            self.average(running_mean=mean, running_length=length)
        return self.weight * (x - mean) / (length**2 + EPS).sqrt() + self.bias
