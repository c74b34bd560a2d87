"""Small float64 networks after a few training steps, and probe contexts for them."""

from functools import cache
from itertools import cycle, product

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.probes.context import ProbeContext

# Steps at which an experiment keeps its weights, as `saved_weights`.
KEPT = (0, 2)


def norms_of(network="mlp"):
    """Return the names of the norms that a kind of network can have."""
    return [name for name, entry in NORMS.items() if network in entry.networks]


MLP_NORMS = norms_of()
ACTIVATIONS = ["sigmoid", "tanh", "relu", "gelu", "linear"]
# Settings (norm, position, activation). Each norm occurs in both positions. Networks without a norm
# and with BN occur with every activation in both positions.
SETTINGS = sorted(
    {
        *zip([norm for norm in MLP_NORMS for _ in range(2)], cycle(["before", "after"]),
             cycle(ACTIVATIONS)),
        *product(["none", "batch"], ["before", "after"], ACTIVATIONS),
    }
)  # fmt: skip
OTHER_NETWORKS = [name for name in NETWORKS if name != "mlp"]


def knobs_of(norm="batch", **knobs):
    """Return the knobs of a small run with a norm, valid for every norm and kind of network."""
    network = knobs.get("network", "mlp")
    size = {"mlp": (3, 12), "conv": (2, 4), "recurrent": (1, 8)}[network]
    known = {"depth": size[0], "width": size[1], "batch_size": 16, "learning_rate": 0.3, **knobs}
    width = known["width"]
    groups = max(count for count in (1, 2, 3, 4) if width % count == 0 and width // count >= 2)
    known.setdefault("norm_groups", groups)
    return {"norms": (norm,), **known}


def make_experiment(norm="batch", *, steps=3, dtype=torch.float64, **knobs):
    """Return an experiment with one network after some steps. `knobs` are knobs of `RunConfig`."""
    config = RunConfig(**knobs_of(norm, **knobs))
    experiment = Experiment(config, dtype=dtype, keep=KEPT)
    for _ in range(steps):
        experiment.step()
    return experiment


def make_context(norm="batch", *, memory=None, **knobs):
    """Return the probe context of one network after some steps, from `make_experiment(**knobs)`."""
    return context_of(make_experiment(norm, **knobs), norm, memory)


@cache
def shared_context(norm="batch", *, spoilt_by=None, **knobs):
    """Return a context that all tests share, so they may measure but not change it."""
    context = make_context(norm, **knobs)
    return context if spoilt_by is None else spoil(context, spoilt_by)


def context_of(experiment, norm, memory=None, takes_step=True):
    """Return the probe context of one network of an experiment."""
    data = load(experiment.config)
    rows = np.random.default_rng(3).choice(len(data.train_labels), experiment.config.batch_size)
    learner = experiment.learners[norm]
    chosen = (
        torch.from_numpy(data.train_inputs[rows]).to(learner.network.flat),
        torch.from_numpy(data.train_labels[rows]).to(experiment.device),
    )
    return ProbeContext(
        config=experiment.config,
        norm=norm,
        step=experiment.step_number,
        network=learner.network,
        data=data,
        batch=chosen,
        takes_step=takes_step,
        memory={} if memory is None else memory,
        optimizer=learner.optimizer,
        saved_weights=experiment.freeze().networks[norm].saved_weights,
    )


def spoil(context, value):
    """Replace some weights of the first layer by a value such as NaN, and return the context."""
    weight = next(iter(context.network.parameters().values()))
    with torch.no_grad():
        weight[0, : weight.shape[1] // 2] = value
    return context
