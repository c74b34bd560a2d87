"""Base class of whitening norms."""

import math

import torch

from bnviz.run_script.parts.norms.own_norm import OwnNorm
from bnviz.run_script.parts.setting import AXES, UNITS, WIDTH

# At most 16 neighbouring units are whitened together.
GROUP_SIZE = math.ceil(WIDTH / math.ceil(WIDTH / 16))


class Whitening(OwnNorm):
    """Centring over the mini-batch and multiplication by a whitening matrix."""

    def __init__(self):
        averages = {"running_mean": torch.zeros(UNITS), "running_whitening": torch.eye(WIDTH)}
        super().__init__(**averages)

    def forward(self, x):
        mean, whitening = self.running_mean, self.running_whitening
        if self.training:
            mean = x.mean(AXES, keepdim=True)
            rows = (x - mean).movedim(1, -1).reshape(-1, WIDTH)
            groups = rows.split(GROUP_SIZE, dim=1)
            whitening = torch.block_diag(
                *(self.whiten(group.mT @ group / len(group), len(group)) for group in groups)
            )
            self.average(running_mean=mean, running_whitening=whitening)
        normalized = ((x - mean).movedim(1, -1) @ whitening.mT).movedim(-1, 1)
        return self.weight * normalized + self.bias
