"""Batch normalization as a PyTorch layer, shown on the page `in-code` and run by a test."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    """Batch normalization (Ioffe & Szegedy 2015, Alg. 1 and 2)."""

    running_mean: Tensor  # [D]
    running_var: Tensor

    def __init__(self, units: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.gamma = nn.Parameter(torch.ones(units))
        self.beta = nn.Parameter(torch.zeros(units))
        self.register_buffer("running_mean", torch.zeros(units))
        self.register_buffer("running_var", torch.ones(units))

    def forward(self, x: Tensor) -> Tensor:
        """[N, D] in, [N, D] out."""
        if self.training:
            m = len(x)
            if m < 2:
                raise ValueError(f"batch size must be ≥ 2, got {m}")
            mean = x.mean(dim=0)
            var = x.var(dim=0, unbiased=False)
            with torch.no_grad():
                unbiased = var * m / (m - 1)
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(unbiased, self.momentum)
        else:
            mean, var = self.running_mean, self.running_var
        normalized = (x - mean) / torch.sqrt(var + self.eps)
        return self.gamma * normalized + self.beta
