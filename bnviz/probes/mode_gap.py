"""Probe of test accuracy with batch statistics, running averages and recomputed statistics."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.inference import predict
from bnviz.networks.loss import finite_accuracy
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

# Maximum number of test examples and of training examples for recomputed statistics, and maximum
# number of batches.
EXAMPLES = 2048
BATCHES = 256
# Maximum number of multiplications. Large networks are measured on fewer examples.
AFFORDABLE = 8e9
# Maximum number of layer passes (layers × forward passes), so deep networks are measured on fewer
# examples.
PASSES = 4000


def measure(context: ProbeContext) -> ProbeValues:
    """Measure test accuracy with batch statistics, running averages and recomputed statistics.

    Up to 2,048 test examples are used, with the same weights. Batch statistics are from test
    batches of the run's batch size, even if the run trains with fixed statistics. Recomputed
    statistics are means over training batches of this size (Ioffe & Szegedy 2015, Alg. 2; Wu &
    Johnson 2021).

    Returns:
        `batch`, `running`, `population`: Scalars, 0 to 1; NaN if logits are not finite. The result
            is empty for networks without batch statistics.
    """
    network, data = context.network, context.data
    if not network.buffers():
        return {}
    generator = context.generator()
    count, m = _examples(context), context.config.batch_size
    train = batches(generator.permutation(len(data.train_labels)), count, m)
    test = generator.permutation(len(data.test_labels))[:count]
    inputs, labels = context.examples(data.test_inputs[test], data.test_labels[test])
    known = recomputed(network, [context.as_input(data.train_inputs[rows]) for rows in train])
    found = {
        "batch": _by_batch(network.with_batch_statistics(), inputs, m),
        "running": predict(network, inputs),
        "population": predict(known, inputs),
    }
    return {name: as_float32(finite_accuracy(logits, labels)) for name, logits in found.items()}


def recomputed(network: Network, mini_batches: list[Tensor]) -> Network:
    """Return a copy whose running averages are the plain means over training mini-batches."""
    network = network.with_batch_statistics()
    twin = network.twin(network.flat, copy_buffers=True)
    for norm in twin.every_norm():
        norm.momentum, norm.taken_in = None, 0
    for inputs in mini_batches:
        twin.update_statistics(network.forward(inputs, training=True))
    return twin


def batches(order: np.ndarray, count: int, size: int) -> list[np.ndarray]:
    """Split the first `count` examples into mini-batches of equal size, at least one."""
    size = min(size, len(order))
    number = min(max(count // size, 1), len(order) // size)
    return list(order[: number * size].reshape(number, size))


def _by_batch(network: Network, inputs: Tensor, size: int) -> Tensor:
    """Return logits in training mode. Inputs from the start fill up the last batch."""
    count = len(inputs)
    size = min(size, count)
    short = -count % size
    rows = torch.cat([inputs, inputs[:short]]).split(size)
    return torch.cat([network.forward(part, training=True).logits for part in rows])[:count]


def _examples(context: ProbeContext) -> int:
    config = context.config
    passes = min(BATCHES, PASSES // config.layer_count)
    affordable = AFFORDABLE // (4 * context.products)
    return int(max(min(EXAMPLES, config.batch_size * passes, affordable), 16))
