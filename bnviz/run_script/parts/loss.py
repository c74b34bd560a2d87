"""Losses, and the test."""

import torch
from torch import nn

from bnviz.run_script.parts.examples import classes, test_x, test_y
from bnviz.run_script.parts.setting import config

if config.loss == "cross_entropy":
    loss_of = nn.functional.cross_entropy
elif config.loss == "squared":

    def loss_of(logits, labels):
        """Return half the mean squared distance to one-hot labels."""
        difference = logits - nn.functional.one_hot(labels, classes)
        return (difference**2).sum(1).mean() / 2


@torch.no_grad()
def tested(net):
    """Return the loss and the accuracy on the test set, at inference."""
    logits = net.eval()(test_x)
    if not logits.isfinite().all():
        return float("nan"), float("nan")
    right = (logits.argmax(1) == test_y).sum().item()
    return loss_of(logits, test_y).item(), right / len(test_y)
