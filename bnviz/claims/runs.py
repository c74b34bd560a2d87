"""Runs of the engine under a seed, and the values that claims read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from torch import Tensor

from bnviz.claims.statement import Knobs
from bnviz.config import RunConfig
from bnviz.experiment import Experiment, train
from bnviz.networks.base import Network
from bnviz.networks.mlp import MLP
from bnviz.networks.trace import Gradients
from bnviz.records import NetworkRecord, Snapshot, reached

Batch = tuple[Tensor, Tensor]  # inputs, labels
Networks = Mapping[str, NetworkRecord]  # by norm

# torch's own initial weights have this standard deviation for 100 inputs: 1/√(3·100).
TORCH_INIT: Knobs = {"init": "normal", "init_std": 0.058}


def begin(seed: int, knobs: Knobs) -> Experiment:
    """An experiment at step 0, as the lab runs it."""
    return Experiment(RunConfig(**knobs, seed=seed))


def begin_exact(seed: int, knobs: Knobs) -> Experiment:
    """An experiment at step 0 in float64."""
    return Experiment(RunConfig(**knobs, seed=seed), dtype=torch.float64)


def snapshots(seed: int, knobs: Knobs, steps: Iterable[int], *probes: str) -> list[Snapshot]:
    """Measure probes after each of `steps`, in increasing order."""
    return list(train(begin(seed, knobs), steps, probes))


def networks_after(seed: int, knobs: Knobs, step: int, *probes: str) -> Networks:
    """Measure probes of each network after this number of steps."""
    return snapshots(seed, knobs, (step,), *probes)[0].networks


def accuracies(networks: Networks) -> dict[str, float]:
    """Test accuracy of each network."""
    return {norm: accuracy(record) for norm, record in networks.items()}


def accuracies_after(seed: int, knobs: Knobs, step: int) -> dict[str, float]:
    """Test accuracy of each network after so many steps."""
    return accuracies(networks_after(seed, knobs, step))


def mlp(experiment: Experiment, norm: str) -> MLP:
    """The network of a norm, which is a multilayer perceptron."""
    network = experiment.networks[norm]
    assert isinstance(network, MLP)
    return network


def first_images(experiment: Experiment) -> Batch:
    """Inputs in float64, and labels, of the first training images, as many as a mini-batch has."""
    data, size = experiment.data, experiment.config.batch_size
    inputs, labels = map(torch.from_numpy, (data.train_inputs[:size], data.train_labels[:size]))
    return inputs.double(), labels


def gradients(network: Network, batch: Batch) -> tuple[float, Gradients]:
    """The loss of a mini-batch in training mode, and its gradients."""
    inputs, labels = batch
    loss, found = network.backward(network.forward(inputs, training=True), labels)
    return float(loss), found


def accuracy(record: NetworkRecord) -> float:
    """Test accuracy; 0 for a network whose outputs are not finite, which classifies nothing."""
    return reached(record.test_accuracy)


def normal(generator: np.random.Generator, *shape: int) -> Tensor:
    """Standard normal numbers, float64."""
    return torch.from_numpy(generator.standard_normal(shape))


def geometric_mean(values: Iterable[float]) -> float:
    """The geometric mean of values that are not negative; 0 if one of them is 0."""
    with np.errstate(divide="ignore"):
        return float(np.exp(np.mean(np.log(np.asarray(list(values), dtype=np.float64)))))
