"""Fully connected network."""

import numpy as np
from torch import nn

from bnviz.run_script.parts.activation import phi
from bnviz.run_script.parts.examples import classes, features
from bnviz.run_script.parts.initial import begin
from bnviz.run_script.parts.networks.branches import start_branches
from bnviz.run_script.parts.norms import NORMS
from bnviz.run_script.parts.setting import (
    AFTER,
    BIASED,
    DEPTH,
    SEED,
    SKIP,
    WIDTH,
    biased,
    config,
    run,
)


class Network(nn.Module):
    """DEPTH hidden layers of WIDTH units. The initial weights are the same for every norm."""

    def __init__(self, name):
        super().__init__()
        generator, fan_in = np.random.default_rng([SEED, 0]), features
        self.layers, self.norms = nn.ModuleList(), nn.ModuleList()
        if run.before and run.after:
            self.norm_after = name in AFTER
        for index in range(DEPTH):
            norm = NORMS[name](index)
            # Most norms need no bias before them, because they have β or subtract the mean.
            if biased:
                bias = isinstance(norm, nn.Identity) or name in BIASED
            else:
                bias = isinstance(norm, nn.Identity)
            self.layers.append(begin(nn.Linear(fan_in, WIDTH, bias), generator))
            self.norms.append(norm)
            fan_in = WIDTH
        self.output = begin(nn.Linear(WIDTH, classes), generator)
        if run.branches:
            start_branches(self)

    def forward(self, x):
        if config.skip:
            for index, (layer, norm) in enumerate(zip(self.layers, self.norms, strict=True)):
                z = norm(layer(x))
                if index and index % SKIP == 0:
                    z = z + block_input
                x = phi(z)
                if index % SKIP == 0:
                    block_input = x
        else:
            for layer, norm in zip(self.layers, self.norms, strict=True):
                if not run.after:
                    x = phi(norm(layer(x)))
                elif not run.before:
                    x = norm(phi(layer(x)))
                else:
                    x = norm(phi(layer(x))) if self.norm_after else phi(norm(layer(x)))
                if run.drops:
                    if self.training and hasattr(norm, "drop"):
                        x = norm.drop(x)
        return self.output(x)
