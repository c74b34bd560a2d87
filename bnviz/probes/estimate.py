"""How well the gradient of a few examples tells that of the whole training set."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.pieces import Pieces
from bnviz.probes.axis import ESTIMATE_SIZES
from bnviz.probes.context import ProbeContext, as_floats, flatten
from bnviz.records import ProbeValues
from bnviz.sizes import size_of

# Mini-batches of each size.
BATCHES, FEWEST_BATCHES = 20, 4
# So many examples at most stand for the training set.
POPULATION, SMALLEST_POPULATION = 2048, 240
# Multiplications that a measurement may take: large networks see fewer mini-batches and examples.
AFFORDABLE = 2e9
# Among the probes' choices, which mini-batches these are.
DRAWN = 13


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """How far the gradients of mini-batches are from that of the whole training set.

    Of each of the sizes `axis.ESTIMATE_SIZES` 20 mini-batches, drawn from the training set (from
    2,048 of its examples where it is larger) without replacement; the gradient of the loss by all
    parameters, in training mode, beside that of the whole set as one mini-batch. Large networks see
    fewer of either. A size beyond the data is the whole set. With batch statistics a mini-batch's
    gradient is that of another function, so that its mean over mini-batches is not the whole set's.

    Returns:
        float32 [5] each, by size, medians of the mini-batches: `error`, the distance ÷ the length
        of the whole set's gradient; `cosine` of the angle between the two. NaN where that gradient
        is zero or not finite.
    """
    size = len(context.data.train_labels)
    most, batches = affordable(context.config, size)
    generator = context.generator(DRAWN, context.step)
    population = np.sort(generator.choice(size, most, replace=False))
    whole = yield from _gradient(context, population)
    errors, cosines = [], []
    for m in ESTIMATE_SIZES:
        found = []
        for _ in range(batches):
            rows = np.sort(generator.choice(population, min(m, most), replace=False))
            found.append(_compared((yield from _gradient(context, rows)), whole))
        # Two examples that a norm can hardly tell apart give a gradient of any length.
        error, cosine = np.median(found, axis=0)
        errors.append(error)
        cosines.append(cosine)
    return as_floats(error=errors, cosine=cosines)


def affordable(config: RunConfig, size: int) -> tuple[int, int]:
    """How many of so many examples stand for the training set, and how many mini-batches of each
    size are drawn from them.
    """
    examples = int(AFFORDABLE // size_of(config).products)
    batches = int(np.clip(examples // sum(ESTIMATE_SIZES), FEWEST_BATCHES, BATCHES))
    return min(size, POPULATION, max(examples, SMALLEST_POPULATION)), batches


def _gradient(context: ProbeContext, rows: np.ndarray) -> Pieces[Tensor]:
    """The gradient of these training examples by all parameters, float64."""
    network = context.network
    inputs, labels = context.training_examples(rows)
    trace = yield from network.forward_in_pieces(inputs, training=True)
    found = flatten(network, network.backward(trace, labels)[1]).double()
    yield
    return found


def _compared(gradient: Tensor, whole: Tensor) -> tuple[float, float]:
    """Relative error and cosine."""
    own, length = float(gradient.norm()), float(whole.norm())
    if not (own > 0 and length > 0):
        return np.nan, np.nan
    cosine = float(gradient @ whole) / own / length
    return float((gradient - whole).norm()) / length, cosine
