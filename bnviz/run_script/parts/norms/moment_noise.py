"""Running averages with sampling noise."""

import numpy as np
import torch

from bnviz.run_script.parts.norms.noise import noise
from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import AXES, EPS, UNITS, WIDTH

keeps_bias = False
uses_step = True


class MomentNoise(OwnNorm):
    """Running averages with the noise of a mini-batch (Teye et al. 2018; Luo et al. 2018)."""

    def __init__(self, layer):
        averages = {"running_mean": torch.zeros(UNITS), "running_var": torch.ones(UNITS)}
        super().__init__(layer, **averages)

    def forward(self, x):
        mean, std = self.running_mean, (self.running_var + EPS).sqrt()
        if self.training:
            drawn = noise(self).standard_normal((2, WIDTH), dtype=np.float32)
            of_mean, of_std = torch.from_numpy(drawn).to(x.dtype).view(2, *UNITS)
            mean = mean + std * of_mean / len(x) ** 0.5
            std = std * (1 + of_std / (2 * len(x)) ** 0.5).clamp(min=0.1)
            self.average(
                running_mean=x.mean(AXES, keepdim=True), running_var=x.var(AXES, keepdim=True)
            )
        return self.weight * (x - mean) / std + self.bias


def moment_noise(layer):
    """Return running averages with sampling noise."""
    return MomentNoise(layer)
