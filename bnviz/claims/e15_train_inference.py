"""E15: the same weights evaluated with running and with recomputed statistics."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import normal, play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    about,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.claims.torch_network import torch_network
from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.networks.inference import predict
from bnviz.networks.mlp import MLP
from bnviz.norms.batch import BatchNorm
from bnviz.records import Snapshot

FIRST = (1, 2, 3, 4, 5)
GONE = 40
UNITS, UPDATES = 8, 30
TORCH_STEPS = 20
TINY, DRAWS = 4, 5000

SHALLOW = "shallow"

KNOBS: dict[str, Any] = {"norms": ("batch",), "depth": 6, "learning_rate": 0.1}
SHALLOW_KNOBS = {**KNOBS, "depth": 3}
TORCH_KNOBS = {
    **KNOBS, "depth": 3, "width": 32, "momentum": 0.5, "weight_decay": 0.001, "batch_size": 16
}  # fmt: skip


def _watch(knobs: dict[str, Any], step: int) -> Watch:
    return in_lab(knobs, ("mode_gap",), step)


STATEMENTS = (
    Statement(key="weight", expected=at_most(1e-12), kind=Kind.CALCULATION),
    Statement(key="unbiased", expected=about(1, 0.02), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(
        key="torch-training", expected=at_most(1e-10), kind=Kind.CALCULATION, unit=Unit.TIMES
    ),
    Statement(key="torch-layer", expected=at_most(1e-10), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(
        key="torch-inference", expected=at_most(1e-10), kind=Kind.CALCULATION, unit=Unit.TIMES
    ),
    Statement(
        key="early",
        expected=at_least(0.1),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        watch=_watch(KNOBS, FIRST[-1]),
    ),
    Statement(
        key="gone",
        expected=between(-0.02, 0.02),
        kind=Kind.EARLIER,
        unit=Unit.POINTS,
        difference=True,
        watch=_watch(KNOBS, GONE),
    ),
    Statement(
        key="early-shallow",
        expected=at_least(0.1),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part=SHALLOW,
        instead_of="early",
        difference=True,
        watch=_watch(SHALLOW_KNOBS, FIRST[-1]),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    *first, last = play(RunConfig(seed=seed, **KNOBS), (*FIRST, GONE), ("mode_gap",))
    return {
        "weight": _weight_error(seed),
        "unbiased": _population_variance(seed),
        **_beside_torch(seed),
        "early": max(_gap(shot) for shot in first),
        "gone": _gap(last),
    }


def measure_shallow(seed: int) -> dict[str, float]:
    """The statement that was found."""
    shots = play(RunConfig(seed=seed, **SHALLOW_KNOBS), FIRST, ("mode_gap",))
    return {"early-shallow": max(_gap(shot) for shot in shots)}


def _gap(shot: Snapshot) -> float:
    found = shot.networks["batch"].probes["mode_gap"]
    return float(found["population"]) - float(found["running"])


def _weight_error(seed: int) -> float:
    """Two norms that differ in their initial running mean alone see the same batches."""
    generator = random_numbers(seed, 15)
    norms = [BatchNorm(UNITS, momentum=0.1, dtype=torch.float64) for _ in range(2)]
    norms[1].buffers["running_mean"].fill_(1.0)
    worst = 0.0
    for step in range(1, UPDATES + 1):
        batch = normal(generator, 60, UNITS)
        for norm in norms:
            norm.update_statistics(norm.forward(batch, training=True)[1])
        low, high = (norm.buffers["running_mean"] for norm in norms)
        worst = max(worst, float((high - low - 0.9**step).abs().max()))
    return worst


def _population_variance(seed: int) -> float:
    """As the engine recomputes it: running statistics that are plain means."""
    generator = random_numbers(seed, 15)
    norm = BatchNorm(UNITS, dtype=torch.float64)
    for number in range(1, DRAWS + 1):
        norm.momentum = 1 / number
        batch = normal(generator, TINY, UNITS)
        norm.update_statistics(norm.forward(batch, training=True)[1])
    return float(norm.buffers["running_var"].mean())


def _beside_torch(seed: int) -> dict[str, float]:
    """The engine's own training and inference beside torch's, on the same mini-batches."""
    (network, twin, names), (layer, layer_twin, layer_names) = (
        _trained(RunConfig(seed=seed, **{**TORCH_KNOBS, "norms": (norm,)}))
        for norm in ("batch", "layer")
    )
    test = torch.from_numpy(load(RunConfig(seed=seed)).test_inputs).double()
    twin.eval()
    with torch.no_grad():
        expected = twin(test)
    found = (network.forward(test, training=False).logits, predict(network, test))
    return {
        "torch-training": _parameters_off(network, twin, names),
        "torch-layer": _parameters_off(layer, layer_twin, layer_names),
        "torch-inference": max(_off(logits, expected) for logits in found),
    }


def _trained(config: RunConfig) -> tuple[MLP, torch.nn.Sequential, list[str]]:
    """A network and its twin after the same steps, and the names of the twin's parameters."""
    experiment = Experiment(config, dtype=torch.float64)
    (network,) = experiment.networks.values()
    assert isinstance(network, MLP)
    twin, names = torch_network(network)
    optimizer = torch.optim.SGD(
        twin.parameters(),
        lr=config.learning_rate, momentum=config.momentum, weight_decay=config.weight_decay,
    )  # fmt: skip
    for _ in range(TORCH_STEPS):
        inputs, labels = experiment.moment().batch
        with torch.enable_grad():
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(twin(inputs), labels).backward()
        optimizer.step()
        experiment.step()
    return network, twin, names


def _parameters_off(network: MLP, twin: torch.nn.Sequential, names: list[str]) -> float:
    ours = network.parameters()
    pairs = zip(names, twin.parameters(), strict=True)
    return max(_off(ours[name], theirs.detach()) for name, theirs in pairs)


def _off(ours: Tensor, theirs: Tensor) -> float:
    return float((ours - theirs).norm() / theirs.norm())


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={SHALLOW: measure_shallow},
    numbers={
        "updates": UPDATES,
        "units": UNITS,
        "tiny": TINY,
        "draws": DRAWS,
        "torch_batch": TORCH_KNOBS["batch_size"],
        "torch_steps": TORCH_STEPS,
        "gone": GONE,
    },
)
