"""How claims get their values: runs of the engine, and what is read of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.experiment import Experiment, Probes, train
from bnviz.records import NetworkRecord, Snapshot, reached


def play(config: RunConfig, steps: Iterable[int], probes: Probes = ()) -> list[Snapshot]:
    """Train and take a snapshot after each of `steps`, in increasing order."""
    return list(train(Experiment(config), steps, probes))


def advance(experiment: Experiment, step: int) -> None:
    """Train until so many steps have been taken."""
    experiment.advance(step)


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
