"""Small float64 networks in mid-training, and the contexts to measure them in."""

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.probes.context import ProbeContext


def make_context(norm="batch", *, steps=3, dtype=torch.float64, memory=None, **knobs):
    """A context of one network after some steps; `knobs` are those of `RunConfig`."""
    knobs = {"depth": 3, "width": 12, "batch_size": 16, "learning_rate": 0.3, **knobs}
    config = RunConfig(**{"norms": (norm,), **knobs})
    experiment = Experiment(config, dtype=dtype)
    for _ in range(steps):
        experiment.step()
    return context_of(experiment, norm, memory)


def context_of(experiment, norm, memory=None):
    data = load(experiment.config)
    rows = np.random.default_rng(3).choice(len(data.train_labels), experiment.config.batch_size)
    return ProbeContext(
        config=experiment.config,
        norm=norm,
        step=experiment.step_number,
        network=experiment.networks[norm],
        data=data,
        batch=(
            torch.from_numpy(data.train_inputs[rows]).to(experiment.networks[norm].flat),
            torch.from_numpy(data.train_labels[rows]).to(experiment.device),
        ),
        memory={} if memory is None else memory,
    )


def spoil(context, value):
    """Put a value that is not finite among the first hidden layer's weights."""
    weight = context.network.parameters()["layer 1.weight"]
    with torch.no_grad():
        weight[0, : weight.shape[1] // 2] = value
    return context
