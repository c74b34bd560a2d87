"""Batch renormalization."""

import torch

from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import AXES, EPS, UNITS

keeps_bias = False
uses_step = True


class BatchRenorm(OwnNorm):
    """Batch normalization with a correction towards the running averages (Ioffe 2017)."""

    def __init__(self):
        super().__init__(running_mean=torch.zeros(UNITS), running_std=torch.ones(UNITS))

    def forward(self, x):
        if not self.training:
            return self.weight * (x - self.running_mean) / self.running_std + self.bias
        mean = x.mean(AXES, keepdim=True)
        std = (x.var(AXES, correction=0, keepdim=True) + EPS).sqrt()
        # The first 100 steps are plain batch normalization; then the limits of r and d rise.
        max_r = 1 + 2 * min(max((self.step - 100) / 700, 0), 1)
        max_d = 5 * min(max((self.step - 100) / 400, 0), 1)
        r = (std.detach() / self.running_std).clamp(1 / max_r, max_r)
        d = ((mean.detach() - self.running_mean) / self.running_std).clamp(-max_d, max_d)
        self.average(running_mean=mean, running_std=std)
        return self.weight * ((x - mean) / std * r + d) + self.bias


def renorm(layer):
    """Return batch renormalization."""
    return BatchRenorm()
