"""E15: the same weights evaluated with running and with recomputed statistics."""

from __future__ import annotations

import torch
from torch.nn.functional import cross_entropy

from bnviz.claims.differences import largest, off_in_norm
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import begin_exact, mlp, normal, snapshots
from bnviz.claims.statement import (
    POINTS,
    TIMES,
    Claim,
    Knobs,
    Values,
    about,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.claims.torch_network import torch_network
from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.networks.inference import predict
from bnviz.networks.mlp import MLP
from bnviz.norms.batch import BatchNorm
from bnviz.records import Snapshot

FIRST = (1, 2, 3, 4, 5)
GONE = 40
UNITS, UPDATES = 8, 30
TORCH_STEPS, TORCH_BATCH = 20, 16
TINY, DRAWS = 4, 5000

SHALLOW_KNOBS: Knobs = {"norms": ("batch",), "depth": 3, "learning_rate": 0.1}
KNOBS: Knobs = {**SHALLOW_KNOBS, "depth": 6}
TORCH_KNOBS: Knobs = {
    **SHALLOW_KNOBS, "width": 32, "momentum": 0.5, "weight_decay": 0.001, "batch_size": TORCH_BATCH
}  # fmt: skip

EARLY, SHALLOW_EARLY = (in_lab(knobs, "mode_gap", FIRST[-1]) for knobs in (KNOBS, SHALLOW_KNOBS))

STATEMENTS = (
    calculated("weight", at_most(1e-12)),
    quoted("unbiased", about(1, 0.02), TIMES),
    calculated("torch-training", at_most(1e-10), TIMES),
    calculated("torch-layer", at_most(1e-10), TIMES),
    calculated("torch-inference", at_most(1e-10), TIMES),
    quoted("early", at_least(0.1), POINTS, EARLY, difference=True),
    earlier("gone", between(-0.02, 0.02), POINTS, in_lab(KNOBS, "mode_gap", GONE),
            difference=True),
    found_here("early-shallow", at_least(0.1), POINTS, SHALLOW_EARLY,
               part="shallow", instead_of="early", difference=True),
)  # fmt: skip


def measure(seed: int) -> Values:
    """One value a statement that was declared."""
    *first, last = snapshots(seed, KNOBS, (*FIRST, GONE), "mode_gap")
    return {
        "weight": _weight_error(seed),
        "unbiased": _population_variance(seed),
        **_beside_torch(seed),
        "early": max(map(_gap, first)),
        "gone": _gap(last),
    }


def measure_shallow(seed: int) -> Values:
    """The statement that was found."""
    return {"early-shallow": max(map(_gap, snapshots(seed, SHALLOW_KNOBS, FIRST, "mode_gap")))}


def _gap(shot: Snapshot) -> float:
    found = shot.networks["batch"].probes["mode_gap"]
    return float(found["population"]) - float(found["running"])


def _weight_error(seed: int) -> float:
    """Two norms that differ in their initial running mean alone see the same batches."""
    generator = random_numbers(seed, 15)
    norms = [BatchNorm(UNITS, momentum=0.1, dtype=torch.float64) for _ in range(2)]
    norms[1].buffers["running_mean"].fill_(1.0)
    errors = []
    for step in range(1, UPDATES + 1):
        batch = normal(generator, 60, UNITS)
        for norm in norms:
            norm.update_statistics(norm.forward(batch, training=True)[1])
        low, high = (norm.buffers["running_mean"] for norm in norms)
        errors.append(largest(high - low - 0.9**step))
    return max(errors)


def _population_variance(seed: int) -> float:
    """As the engine recomputes it: running statistics that are plain means."""
    generator = random_numbers(seed, 15)
    norm = BatchNorm(UNITS, dtype=torch.float64)
    for number in range(1, DRAWS + 1):
        norm.momentum = 1 / number
        batch = normal(generator, TINY, UNITS)
        norm.update_statistics(norm.forward(batch, training=True)[1])
    return float(norm.buffers["running_var"].mean())


def _beside_torch(seed: int) -> Values:
    """The engine's own training and inference beside torch's, on the same mini-batches."""
    (network, twin, off), (_, _, layer_off) = (_trained(seed, norm) for norm in ("batch", "layer"))
    test = torch.from_numpy(load(RunConfig(seed=seed)).test_inputs).double()
    twin.eval()
    with torch.no_grad():
        expected = twin(test)
    logits = (network.forward(test, training=False).logits, predict(network, test))
    return {
        "torch-training": off,
        "torch-layer": layer_off,
        "torch-inference": max(off_in_norm(each, expected) for each in logits),
    }


def _trained(seed: int, norm: str) -> tuple[MLP, torch.nn.Sequential, float]:
    """A network and torch's after the same steps; how far their parameters are apart."""
    experiment = begin_exact(seed, {**TORCH_KNOBS, "norms": (norm,)})
    network, config = mlp(experiment, norm), experiment.config
    twin, names = torch_network(network)
    optimizer = torch.optim.SGD(
        twin.parameters(),
        lr=config.learning_rate, momentum=config.momentum, weight_decay=config.weight_decay,
    )  # fmt: skip
    for _ in range(TORCH_STEPS):
        inputs, labels = experiment.moment().batch
        with torch.enable_grad():
            optimizer.zero_grad()
            cross_entropy(twin(inputs), labels).backward()
        optimizer.step()
        experiment.step()
    ours = [network.parameters()[name] for name in names]
    theirs = [parameter.detach() for parameter in twin.parameters()]
    return network, twin, max(map(off_in_norm, ours, theirs))


CLAIM = Claim(STATEMENTS, measure, parts={"shallow": measure_shallow})
