"""Convolutional network."""

from math import isqrt

import numpy as np
from torch import nn

from bnviz.run_script.parts.activation import phi
from bnviz.run_script.parts.examples import classes, features
from bnviz.run_script.parts.initial import begin
from bnviz.run_script.parts.norms import NORMS
from bnviz.run_script.parts.setting import AFTER, BIASED, DEPTH, SEED, WIDTH, biased, run


class Network(nn.Module):
    """DEPTH convolutions with WIDTH feature maps of 4×4 positions each.

    The initial weights are the same for every norm.
    """

    def __init__(self, name):
        super().__init__()
        generator, self.side = np.random.default_rng([SEED, 0]), isqrt(features)
        self.layers, self.norms = nn.ModuleList(), nn.ModuleList()
        if run.before and run.after:
            self.norm_after = name in AFTER
        stride = self.side // 4
        for index in range(DEPTH):
            norm = NORMS[name](index)
            # Most norms need no bias before them, because they have β or subtract the mean.
            if biased:
                bias = isinstance(norm, nn.Identity) or name in BIASED
            else:
                bias = isinstance(norm, nn.Identity)
            shape = (WIDTH, WIDTH, 3, 1, 1) if index else (1, WIDTH, stride + 2, stride, 1)
            self.layers.append(begin(nn.Conv2d(*shape, bias=bias), generator))
            self.norms.append(norm)
        self.output = begin(nn.Linear(WIDTH * 4 * 4, classes), generator)

    def forward(self, x):
        x = x.view(-1, 1, self.side, self.side)
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
        return self.output(x.flatten(1))
