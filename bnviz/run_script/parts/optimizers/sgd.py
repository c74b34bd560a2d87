"""Stochastic gradient descent."""

import torch

from bnviz.run_script.parts.optimizers.groups import groups
from bnviz.run_script.parts.setting import MOMENTUM, RATES, WEIGHT_DECAY, run


def new_optimizer(name, net):
    """Return the optimizer of a network."""
    if run.own_rates:
        parameters = groups(name, net)
    else:
        parameters = net.parameters()
    return torch.optim.SGD(parameters, RATES[name], MOMENTUM, weight_decay=WEIGHT_DECAY)
