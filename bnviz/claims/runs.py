"""Seeded runs of the engine, and values read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.statement import KnobValues
from bnviz.config import RunConfig
from bnviz.experiment import Experiment, train
from bnviz.networks.base import Network
from bnviz.networks.mlp import MLP
from bnviz.networks.trace import Gradients
from bnviz.records import NetworkRecord, Snapshot, reached

Batch = tuple[Tensor, Tensor]  # inputs, labels
Networks = Mapping[str, NetworkRecord]  # by norm

# Initial weights with the standard deviation of torch's default weights for 100 inputs, 1/√(3·100).
TORCH_INIT: KnobValues = {"init": "normal", "init_std": 0.058}


def begin(seed: int, knobs: KnobValues) -> Experiment:
    return Experiment(RunConfig(**knobs, seed=seed))


def begin_exact(seed: int, knobs: KnobValues) -> Experiment:
    """Experiment at step 0 in float64."""
    return Experiment(RunConfig(**knobs, seed=seed), dtype=torch.float64)


def snapshots(seed: int, knobs: KnobValues, steps: Iterable[int], *probes: str) -> list[Snapshot]:
    """Measure probes after each of `steps`, which must be in increasing order."""
    return list(train(begin(seed, knobs), steps, probes))


def networks_after(seed: int, knobs: KnobValues, step: int, *probes: str) -> Networks:
    return snapshots(seed, knobs, (step,), *probes)[0].networks


def accuracies(networks: Networks) -> dict[str, float]:
    return {norm: accuracy(record) for norm, record in networks.items()}


def accuracies_after(seed: int, knobs: KnobValues, step: int) -> dict[str, float]:
    return accuracies(networks_after(seed, knobs, step))


def mlp(experiment: Experiment, norm: str) -> MLP:
    """Return the network of a norm, checked to be a multilayer perceptron."""
    network = experiment.networks[norm]
    assert isinstance(network, MLP)
    return network


def first_images(experiment: Experiment) -> Batch:
    """One mini-batch of the first training images in float64, with labels."""
    data, size = experiment.data, experiment.config.batch_size
    inputs, labels = map(torch.from_numpy, (data.train_inputs[:size], data.train_labels[:size]))
    return inputs.double(), labels


def gradients(network: Network, batch: Batch) -> tuple[float, Gradients]:
    inputs, labels = batch
    loss, found = network.backward(network.forward(inputs, training=True), labels)
    return float(loss), found


def accuracy(record: NetworkRecord) -> float:
    """Test accuracy, or 0 if the network's outputs are not finite."""
    return reached(record.test_accuracy)


def normal(generator: np.random.Generator, *shape: int) -> Tensor:
    return torch.from_numpy(generator.standard_normal(shape))


def geometric_mean(values: Iterable[float]) -> float:
    """Geometric mean of nonnegative values, or 0 if one of them is 0."""
    with np.errstate(divide="ignore"):
        return float(np.exp(np.mean(np.log(np.asarray(list(values), dtype=np.float64)))))
