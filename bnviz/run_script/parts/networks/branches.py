"""Initial size of residual branches."""

import torch
from torch import nn

from bnviz.run_script.parts.setting import BRANCH_START, DEPTH, SKIP, config


@torch.no_grad()
def start_branches(net):
    """Scale the initial output of each branch, by its last γ or else by its last weights."""
    for last in range(SKIP, DEPTH, SKIP):
        gamma = getattr(net.norms[last], "weight", None)
        learned = gamma is not None and gamma.requires_grad
        (gamma if learned else net.layers[last].weight).mul_(BRANCH_START)
        if config.branch_start == 0:
            # Without a norm, the other weights of a branch are smaller (Fixup, Zhang et al. 2019).
            branch = range(last - SKIP + 1, last + 1)
            if all(isinstance(net.norms[index], nn.Identity) for index in branch):
                for index in branch[:-1]:
                    net.layers[index].weight.mul_(((DEPTH - 1) // SKIP) ** (-1 / (2 * SKIP - 2)))
