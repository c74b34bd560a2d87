"""Losses with their gradients, and accuracy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.kernels import on_numpy


def cross_entropy(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean cross-entropy of softmax(logits), and its gradient, for logits [N, C]."""
    if on_numpy(logits):
        with np.errstate(all="ignore"):
            found, slope = _cross_entropy_array(logits.numpy(), labels.numpy())
        return torch.from_numpy(found), torch.from_numpy(slope)
    log_probabilities = torch.log_softmax(logits, 1)
    rows = torch.arange(len(labels), device=logits.device)
    loss = -log_probabilities[rows, labels].mean()
    gradient = log_probabilities.exp()
    gradient[rows, labels] -= 1
    return loss, gradient / len(labels)


def _cross_entropy_array(logits: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute `cross_entropy` in NumPy, whose calls on small arrays are faster than torch's."""
    count = len(labels)
    # Transpose to [C, N], because reductions over few classes are faster along the first axis.
    shifted = logits.T.copy()
    shifted -= shifted.max(axis=0)
    chosen = labels, np.arange(count)
    picked = shifted[chosen]
    gradient = np.exp(shifted, out=shifted)
    total = gradient.sum(axis=0)
    loss = np.asarray((np.log(total) - picked).mean())
    gradient /= total
    gradient[chosen] -= 1
    gradient /= count
    return loss, np.ascontiguousarray(gradient.T)


def squared(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Half the mean squared distance to one-hot labels (Cohen et al. 2021), with its gradient."""
    classes = torch.arange(logits.shape[1], device=logits.device)
    difference = logits - (labels[:, None] == classes).to(logits.dtype)
    return (difference * difference).sum(1).mean() / 2, difference / len(labels)


class Loss(NamedTuple):
    """Function that returns a loss and its gradient; `at_chance` gives the loss at chance level."""

    function: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    at_chance: Callable[[int], float]

    def __call__(self, logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        return self.function(logits, labels)


LOSSES: dict[str, Loss] = {
    "cross_entropy": Loss(cross_entropy, math.log),
    "squared": Loss(squared, lambda classes: (1 - 1 / classes) / 2),
}


def accuracy(logits: Tensor, labels: Tensor) -> float:
    """Return the share of examples whose largest logit belongs to the label."""
    right = np.count_nonzero(logits.cpu().numpy().argmax(axis=1) == labels.cpu().numpy())
    return float(right / max(len(labels), 1))


def finite_accuracy(logits: Tensor, labels: Tensor) -> float:
    """Return the accuracy, or NaN if a logit is not finite and therefore predicts no class."""
    return accuracy(logits, labels) if bool(torch.isfinite(logits).all()) else math.nan
