"""E15: the same weights evaluated with running averages and with recomputed statistics."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import cross_entropy

from bnviz.claims import e15_fixed_and_cumulative
from bnviz.claims.e15_fixed_and_cumulative import (
    CUMULATIVE,
    FAST_PART,
    FROZEN,
    TINY_PART,
    mode_gap,
    use_running_averages,
)
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest, off_in_norm
from bnviz.claims.runs import begin_exact, mlp, normal, snapshots
from bnviz.claims.statement import (
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
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

FIRST = (1, 2, 3, 4, 5)
GONE = 40
UNITS, UPDATES = 8, 30
TORCH_STEPS, TORCH_BATCH, TORCH_FROZEN_AT = 20, 16, 10
TINY, DRAWS = 4, 5000

SHALLOW_KNOBS: KnobValues = {"norms": ("batch",), "depth": 3, "learning_rate": 0.1}
KNOBS: KnobValues = {**SHALLOW_KNOBS, "depth": 6}
TORCH_KNOBS: KnobValues = {
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
    calculated("torch-frozen", at_most(1e-10), TIMES),
    quoted("torch-cumulative", at_most(1e-10), TIMES),
    found_here("early-shallow", at_least(0.1), POINTS, SHALLOW_EARLY,
               part="shallow", instead_of="early", difference=True),
    *e15_fixed_and_cumulative.STATEMENTS,
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    *first, last = snapshots(seed, KNOBS, (*FIRST, GONE), "mode_gap")
    return {
        "weight": _weight_error(seed),
        "unbiased": _population_variance(seed),
        **_beside_torch(seed),
        "early": max(map(mode_gap, first)),
        "gone": mode_gap(last),
    }


def measure_shallow(seed: int) -> ClaimValues:
    return {"early-shallow": max(map(mode_gap, snapshots(seed, SHALLOW_KNOBS, FIRST, "mode_gap")))}


def _weight_error(seed: int) -> float:
    """Return the largest error of 0.9ᵗ, the weight of the initial running mean after t updates."""
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
    """Return the mean variance over many mini-batches, computed like recomputed statistics."""
    generator = random_numbers(seed, 15)
    norm = BatchNorm(UNITS, dtype=torch.float64)
    for number in range(1, DRAWS + 1):
        norm.momentum = 1 / number
        batch = normal(generator, TINY, UNITS)
        norm.update_statistics(norm.forward(batch, training=True)[1])
    return float(norm.buffers["running_var"].mean())


def _beside_torch(seed: int) -> ClaimValues:
    network, twin = _trained(seed, "batch")
    layers, frozen = _trained(seed, "layer"), _trained(seed, "batch", frozen_at=TORCH_FROZEN_AT)
    test = torch.from_numpy(load(RunConfig(seed=seed)).test_inputs).double()
    twin.eval()
    with torch.no_grad():
        expected = twin(test)
    logits = (network.forward(test, training=False).logits, predict(network, test))
    return {
        "torch-training": _parameters_off(network, twin),
        "torch-layer": _parameters_off(*layers),
        "torch-inference": max(off_in_norm(each, expected) for each in logits),
        "torch-frozen": max(_parameters_off(*frozen), _averages_off(*frozen)),
        "torch-cumulative": _averages_off(*_trained(seed, "batch", norm_momentum=None)),
    }


def _trained(
    seed: int, norm: str, *, frozen_at: int | None = None, **knobs: Any
) -> tuple[MLP, torch.nn.Sequential]:
    experiment = begin_exact(seed, {**TORCH_KNOBS, "norms": (norm,), **knobs})
    network, config = mlp(experiment, norm), experiment.config
    twin, _ = torch_network(network)
    optimizer = torch.optim.SGD(
        twin.parameters(),
        lr=config.learning_rate, momentum=config.momentum, weight_decay=config.weight_decay,
    )  # fmt: skip
    for step in range(TORCH_STEPS):
        if step == frozen_at:
            use_running_averages(experiment)
            twin.eval()
        inputs, labels = experiment.freeze().batch
        with torch.enable_grad():
            optimizer.zero_grad()
            cross_entropy(twin(inputs), labels).backward()
        optimizer.step()
        experiment.step()
    return network, twin


def _parameters_off(network: MLP, twin: torch.nn.Sequential) -> float:
    _, names = torch_network(network)
    ours = [network.parameters()[name] for name in names]
    theirs = [parameter.detach() for parameter in twin.parameters()]
    return max(map(off_in_norm, ours, theirs))


def _averages_off(network: MLP, twin: torch.nn.Sequential) -> float:
    return max(
        off_in_norm(value, theirs.get_buffer(name))
        for layer, theirs in zip(network.layers, list(twin)[1::3], strict=True)
        for name, value in layer.norm.buffers.items()
    )


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={
        "shallow": measure_shallow,
        FROZEN: e15_fixed_and_cumulative.measure_frozen,
        CUMULATIVE: e15_fixed_and_cumulative.measure_cumulative,
        FAST_PART: e15_fixed_and_cumulative.measure_fast,
        TINY_PART: e15_fixed_and_cumulative.measure_tiny,
    },
)
