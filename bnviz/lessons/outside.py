"""A bias that a mean takes out again, while the gradient takes that mean for a constant.

What `bnviz.claims.e03_outside` measures with the engine, in NumPy, so that a page can compute it; a
test holds the two together. The browser draws the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnviz.claims.single_layer import RATE, STEPS, SingleLayer


@dataclass(frozen=True)
class Course:
    """What became of it, from step 0 to the last: the loss [500], and ‖b‖ [501]."""

    losses: np.ndarray
    sizes: np.ndarray


def learn(given: SingleLayer, *, differentiated: bool) -> Course:
    """x̂ = u + b − E[u + b], of which only b learns, by gradient descent.

    Args:
        given: the layer.
        differentiated: whether the gradient knows that E depends on b.
    """
    bias, losses, sizes = np.zeros(given.inputs.shape[1]), [], [0.0]
    examples = len(given.labels)
    rows = np.arange(examples)
    for _ in range(STEPS):
        shifted = given.inputs + bias
        logits = (shifted - shifted.mean(axis=0)) @ given.readout
        logits -= logits.max(axis=1, keepdims=True)
        logarithms = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        losses.append(float(-logarithms[rows, given.labels].mean()))
        gradient = np.exp(logarithms)
        gradient[rows, given.labels] -= 1
        back = gradient @ given.readout.T / examples
        if differentiated:
            back = back - back.mean(axis=0)
        bias = bias - RATE * back.sum(axis=0)
        sizes.append(float(np.linalg.norm(bias)))
    return Course(np.array(losses), np.array(sizes))
