"""The same weights with the statistics of the batch, the running ones, and the population's."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.networks.inference import predict
from bnviz.networks.loss import finite_accuracy
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

# So many test examples are classified, and so many training examples give the population's
# statistics, at most; and no more mini-batches than that, however small they are.
EXAMPLES = 2048
BATCHES = 256
# Multiplications that a measurement may take; large networks are measured on fewer examples.
AFFORDABLE = 8e9
# Passes through one layer, likewise.
PASSES = 4000


def measure(context: ProbeContext) -> ProbeValues:
    """Test accuracy with the statistics of each batch, with running and with recomputed ones.

    The same weights and the same test examples, up to 2,048, three times: normalized by the
    statistics of test batches of the run's size (training mode, also where the run trains with
    fixed statistics); by the running averages (inference mode); and by statistics of the
    population, recomputed for these weights as the mean over training batches of the run's size
    (Ioffe & Szegedy 2015, Alg. 2; Wu & Johnson 2021). A batch larger than the data is all of them.

    Returns:
        `batch`, `running`, `population` float32 scalars, 0 to 1; NaN where logits are not finite.
        Nothing for a network without batch statistics.
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
    """A twin whose running statistics are the plain means of those of training mini-batches."""
    network = network.with_batch_statistics()
    twin = network.twin(network.flat, copy_buffers=True)
    for norm in twin.every_norm():
        norm.momentum, norm.taken_in = None, 0
    for inputs in mini_batches:
        twin.update_statistics(network.forward(inputs, training=True))
    return twin


def batches(order: np.ndarray, count: int, size: int) -> list[np.ndarray]:
    """Whole mini-batches out of the first `count` examples of an order, at least one."""
    size = min(size, len(order))
    number = min(max(count // size, 1), len(order) // size)
    return list(order[: number * size].reshape(number, size))


def _by_batch(network: Network, inputs: Tensor, size: int) -> Tensor:
    """Logits in training mode, in batches of one size; the last is filled up from the start."""
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
