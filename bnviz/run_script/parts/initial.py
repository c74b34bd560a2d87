"""Initial weights."""

import numpy as np
import torch
from torch import nn

from bnviz.run_script.parts.setting import INIT_STD, config

if config.init == "glorot":

    def draw(generator, fan_out, fan_in):
        """Draw weights as Glorot & Bengio 2010."""
        limit = np.sqrt(6 / (fan_in + fan_out))
        return generator.uniform(-limit, limit, (fan_out, fan_in))

elif config.init == "he":

    def draw(generator, fan_out, fan_in):
        """Draw weights as He et al. 2015."""
        return generator.normal(0, np.sqrt(2 / fan_in), (fan_out, fan_in))

elif config.init == "orthogonal":

    def draw(generator, fan_out, fan_in):
        """Draw a matrix with orthonormal rows or columns (Saxe et al. 2014)."""
        q, r = np.linalg.qr(generator.standard_normal((max(fan_out, fan_in), min(fan_out, fan_in))))
        q = q * np.where(np.diag(r) < 0, -1.0, 1.0)
        return q if fan_out >= fan_in else q.T

elif config.init == "normal":

    def draw(generator, fan_out, fan_in):
        """Draw normal weights."""
        return generator.normal(0, INIT_STD, (fan_out, fan_in))


@torch.no_grad()
def begin(layer, generator):
    """Give a layer the initial weights of the run, and biases of 0."""
    weight = draw(generator, *layer.weight.flatten(1).shape)
    layer.weight.copy_(torch.from_numpy(weight.reshape(layer.weight.shape)))
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    return layer
