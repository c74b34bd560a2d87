"""Probe of how well mini-batch gradients estimate the gradient of the whole training set."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.pieces import Pieces
from bnviz.probes.axis import ESTIMATE_SIZES
from bnviz.probes.context import ProbeContext, as_floats, flatten
from bnviz.records import ProbeValues
from bnviz.sizes import size_of

# Maximum and minimum number of mini-batches of each size.
BATCHES, FEWEST_BATCHES = 20, 4
# Maximum and minimum number of examples that represent the training set.
POPULATION, SMALLEST_POPULATION = 2048, 240
# Maximum number of multiplications. Large networks get fewer mini-batches and examples.
AFFORDABLE = 2e9
# Number of the random stream for the mini-batches, within `PROBE_STREAM`.
DRAWN = 13


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure how far mini-batch gradients are from the gradient of the whole training set.

    For each size in `axis.ESTIMATE_SIZES`, 20 mini-batches (fewer in large networks) are drawn
    without replacement from up to 2,048 training examples. Their gradients in training mode are
    compared with the gradient of all these examples as one mini-batch (the whole gradient). With
    batch statistics, each mini-batch has its own loss function, so the mean of the mini-batch
    gradients is not the whole gradient.

    Returns:
        `error`, `cosine`: [5], distance ÷ length of the whole gradient, and cosine between the two
            gradients. Medians over mini-batches; NaN if a gradient is zero or not finite.
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
        # Use the median, because with a norm, a mini-batch of two nearly identical examples may
        # have a huge gradient.
        error, cosine = np.median(found, axis=0)
        errors.append(error)
        cosines.append(cosine)
    return as_floats(error=errors, cosine=cosines)


def affordable(config: RunConfig, size: int) -> tuple[int, int]:
    """Return the number of examples that represent the training set, and of batches per size."""
    examples = int(AFFORDABLE // size_of(config).products)
    batches = int(np.clip(examples // sum(ESTIMATE_SIZES), FEWEST_BATCHES, BATCHES))
    return min(size, POPULATION, max(examples, SMALLEST_POPULATION)), batches


def _gradient(context: ProbeContext, rows: np.ndarray) -> Pieces[Tensor]:
    network = context.network
    inputs, labels = context.training_examples(rows)
    trace = yield from network.forward_in_pieces(inputs, training=True)
    found = flatten(network, network.backward(trace, labels)[1]).double()
    yield
    return found


def _compared(gradient: Tensor, whole: Tensor) -> tuple[float, float]:
    """Return the relative error of a gradient, and its cosine with the whole gradient."""
    own, length = float(gradient.norm()), float(whole.norm())
    if not (own > 0 and length > 0):
        return np.nan, np.nan
    cosine = float(gradient @ whole) / own / length
    return float((gradient - whole).norm()) / length, cosine
