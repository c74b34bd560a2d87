"""How well a network fits what it learns from, beside how well it does on the test set."""

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

# So many examples of each part of the data at most.
EXAMPLES = 2048
# Multiplications that a measurement may take: large networks are measured on fewer examples.
AFFORDABLE, FEWEST = 4e9, 64
# Among the probes' choices, which examples these are.
CHOSEN = 12


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Accuracy and loss on the training set, in inference mode.

    Of all training examples, or of 2,048 where there are more, the same at every step of a run (of
    fewer in large networks); likewise of the test set.

    Returns:
        float32 scalars: `accuracy`, 0 to 1, and `loss` on the training set; `test_accuracy`;
        `gap`, the accuracy on the training set less that on the test set. NaN where logits are not
        finite.
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
    """Accuracy and mean loss of one part of the data."""
    rows = examples(context.config, len(labels))
    chosen, answers = context.examples(inputs[rows], labels[rows])
    logits: Tensor = yield from predict_in_pieces(context.network, chosen)
    right = finite_accuracy(logits, answers)
    # Where logits are not finite neither is told.
    loss = float(context.network.loss(logits, answers)[0]) if right == right else right
    return right, loss


def examples(config: RunConfig, count: int) -> np.ndarray:
    """Which of so many examples are measured on, ascending: the same at every step of a run."""
    most = max(min(EXAMPLES, int(AFFORDABLE // size_of(config).products)), FEWEST)
    if count <= most:
        return np.arange(count)
    generator = np.random.default_rng([config.seed, PROBE_STREAM, CHOSEN])
    return np.sort(generator.choice(count, most, replace=False))
