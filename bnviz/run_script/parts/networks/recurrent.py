"""Recurrent network."""

import numpy as np
import torch
from torch import nn

from bnviz.run_script.parts.activation import phi
from bnviz.run_script.parts.examples import classes, features
from bnviz.run_script.parts.initial import begin
from bnviz.run_script.parts.norms import NORMS
from bnviz.run_script.parts.setting import GAMMA, SEED, TIMES, WIDTH, config


class Network(nn.Module):
    """h_t = φ(norm(W_h h_{t-1}) + norm(W_x x_t) + b), and a linear output of the last state.

    Each time step has norms of its own, because its statistics differ. The initial weights are the
    same for every norm.
    """

    def __init__(self, name):
        super().__init__()
        generator = np.random.default_rng([SEED, 0])
        inner = begin(nn.Linear(features // TIMES, WIDTH, bias=False), generator)
        state = begin(nn.Linear(WIDTH, WIDTH, bias=False), generator)
        self.layers = nn.ModuleList([inner, state])
        self.output = begin(nn.Linear(WIDTH, classes), generator)
        self.bias = nn.Parameter(torch.zeros(WIDTH))
        self.norms = nn.ModuleList(NORMS[name](index) for index in range(2 * TIMES))
        if config.norm_affine:
            share_gamma(self.norms[:TIMES])
            share_gamma(self.norms[TIMES:])

    def forward(self, x):
        inner, state = self.layers
        for time, part in enumerate(x.view(len(x), TIMES, -1).unbind(1)):
            z = self.norms[time](inner(part)) + self.bias
            if time:
                z = z + self.norms[TIMES + time](state(h))
            h = phi(z)
        return self.output(h)


if config.norm_affine:

    def share_gamma(norms):
        """Let the norms of all time steps share one γ. β is 0, because the network has a bias."""
        gamma, beta = nn.Parameter(torch.full((WIDTH,), GAMMA)), torch.zeros(WIDTH)
        for norm in norms:
            if getattr(norm, "weight", None) is not None and norm.weight.requires_grad:
                norm.weight = gamma
                if hasattr(norm, "bias"):
                    norm.bias = nn.Parameter(beta, requires_grad=False)
