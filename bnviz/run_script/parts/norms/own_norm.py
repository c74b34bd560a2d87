"""Base class of norms that torch does not have."""

import torch
from torch import nn

from bnviz.run_script.parts.setting import AFFINE, AVERAGING, UNITS, config


class OwnNorm(nn.Module):
    """Norm with γ (`weight`), β (`bias`) and running averages, as in torch.

    With N values per unit, a step changes the averages to (1 - m) · old + m · new.
    """

    def __init__(self, layer=0, learned=AFFINE, **averages):
        super().__init__()
        self.layer, self.count = layer, 0
        self.weight = nn.Parameter(torch.ones(UNITS), requires_grad=learned)
        self.bias = nn.Parameter(torch.zeros(UNITS), requires_grad=learned)
        for name, value in averages.items():
            self.register_buffer(name, value)

    @torch.no_grad()
    def average(self, **new):
        """Update the running averages."""
        self.count += 1
        for name, value in new.items():
            if config.norm_momentum is None:
                getattr(self, name).lerp_(value, 1 / self.count)
            else:
                getattr(self, name).lerp_(value, AVERAGING)
