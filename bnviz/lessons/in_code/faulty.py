"""Batch normalization with common faults, which the page `in-code` asks about."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FaultyBatchNorm(nn.Module):
    """Layer that learns and looks correct, but has faults. Do not use it."""

    def __init__(self, units: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.gamma = nn.Parameter(torch.ones(units))
        self.beta = nn.Parameter(torch.zeros(units))
        self.running_mean = torch.zeros(units)
        self.running_var = torch.ones(units)

    def forward(self, x: Tensor) -> Tensor:
        """[N, D] in, [N, D] out."""
        if self.training:
            keep, new = 1 - self.momentum, self.momentum
            mean = x.mean(dim=0)
            var = x.var(dim=0, unbiased=False)
            self.running_mean = keep * self.running_mean + new * mean
            self.running_var = keep * self.running_var + new * var
        else:
            mean, var = self.running_mean, self.running_var
        normalized = (x - mean) / torch.sqrt(var + self.eps)
        return self.gamma * normalized + self.beta
