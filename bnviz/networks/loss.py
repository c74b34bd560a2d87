"""Softmax cross-entropy, its gradient, and accuracy."""

from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy of softmax(logits) [N, C] and its gradient by the logits [N, C]."""
    log_probabilities = torch.log_softmax(logits, 1)
    rows = torch.arange(len(labels), device=logits.device)
    loss = -log_probabilities[rows, labels].mean()
    gradient = log_probabilities.exp()
    gradient[rows, labels] -= 1
    return loss, gradient / len(labels)


def accuracy(logits: Tensor, labels: Tensor) -> float:
    """Share of examples whose largest logit is the label's."""
    return float((logits.argmax(1) == labels).double().mean())
