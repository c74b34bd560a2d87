"""Probe of accuracy and loss on the training set, and of test accuracy."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.inference import predict_in_pieces
from bnviz.networks.loss import finite_accuracy
from bnviz.pieces import Pieces
from bnviz.probes.context import PROBE_STREAM, ProbeContext, as_floats
from bnviz.records import ProbeValues
from bnviz.sizes import size_of

# Maximum number of training examples, and of test examples.
EXAMPLES = 2048
# Maximum number of multiplications, so large networks are measured on fewer examples, and the
# minimum number of examples.
AFFORDABLE, FEWEST = 4e9, 64
# Number of the random stream for the examples, within `PROBE_STREAM`.
CHOSEN = 12


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure accuracy and loss on the training set, and test accuracy, at inference.

    Up to 2,048 fixed examples of each of the two sets are used, fewer in large networks.

    Returns:
        `accuracy`, `loss`, `test_accuracy`: Scalars, the first two on the training set.
        `gap`: Scalar, training accuracy minus test accuracy. NaN if logits are not finite.
    """
    data = context.data
    train = yield from _judged(context, data.train_inputs, data.train_labels)
    test = yield from _judged(context, data.test_inputs, data.test_labels)
    return as_floats(
        accuracy=train[0],
        loss=train[1],
        test_accuracy=test[0],
        gap=train[0] - test[0],
    )


def _judged(
    context: ProbeContext, inputs: np.ndarray, labels: np.ndarray
) -> Pieces[tuple[float, float]]:
    rows = examples(context.config, len(labels))
    chosen, answers = context.examples(inputs[rows], labels[rows])
    logits: Tensor = yield from predict_in_pieces(context.network, chosen)
    right = finite_accuracy(logits, answers)
    # If logits are not finite, accuracy and loss are NaN.
    loss = float(context.network.loss(logits, answers)[0]) if right == right else right
    return right, loss


def examples(config: RunConfig, count: int) -> np.ndarray:
    """Return the ascending indices of the measured examples, the same at every step."""
    most = max(min(EXAMPLES, int(AFFORDABLE // size_of(config).products)), FEWEST)
    if count <= most:
        return np.arange(count)
    generator = np.random.default_rng([config.seed, PROBE_STREAM, CHOSEN])
    return np.sort(generator.choice(count, most, replace=False))
