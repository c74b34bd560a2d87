"""A cell of a sweep equals the lab's run bit for bit."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.experiment import Experiment
from bnviz.norms import NORMS, norms_for
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.rows import read_outcome
from bnviz.sweeps.stack_sizes import into_stacks, members_of
from bnviz.sweeps.stacks import run_stack
from bnviz.sweeps.sweep import sweep
from bnviz.training.batches import Batches
from bnviz.training.hills import hill_of
from bnviz.training.stack import Member, Stack, new_member
from tests.every_case import every_case

# Learning rates, from too low to learn to so high that every network breaks.
RATES = (0.01, 0.3, 1.0, 10.0)


def in_the_lab(cell: Cell) -> CellOutcome:
    """Return a cell's outcome in a run that is made as in the lab."""
    experiment = Experiment(cell.config)
    for _ in range(cell.steps):
        experiment.step()
    record = experiment.snapshot(()).networks[cell.norm]
    hills = None
    if record.stopped is None:
        probe = torch.from_numpy(experiment.data.probe_inputs)
        hills = run_to_end(hill_of(experiment.networks[cell.norm], probe))
    return CellOutcome(
        "paused" if record.undefined_norm else record.state, record.broke, record.stopped,
        record.test_accuracy, record.test_loss, hills=hills,
    )  # fmt: skip


def same(found: CellOutcome, expected: CellOutcome) -> bool:
    """Return whether two outcomes are equal bit for bit, with NaN equal to NaN."""
    return all(
        a == b or (a != a and b != b)
        for a, b in zip(
            dataclasses.astuple(found), dataclasses.astuple(expected), strict=True
        )
    )  # fmt: skip


def train(members: Sequence[Member], config: RunConfig, steps: int) -> Stack:
    """Return a stack of members with the same seed, trained for `steps` steps."""
    data, stack = load(config), Stack(members)
    batches = Batches(len(data.train_labels), config.seed)
    for _ in range(steps):
        indices = batches.take(config.batch_size)
        if stack.members:
            stack.step(data.train_inputs[indices], data.train_labels[indices])
    return stack


KNOBS: list[dict[str, Any]] = [
    {"activation": "sigmoid", "batch_size": 2},
    {"activation": "tanh", "batch_size": 33, "norm_affine": False},
    {"activation": "relu", "norm_position": "after", "init": "he"},
    {"activation": "gelu", "momentum": 0.9, "width": 12},
    {"activation": "linear", "optimizer": "adam", "loss": "squared"},
    {"activation": "relu", "skip": 2, "depth": 6, "init": "he", "branch_start": 0.5},
    {"activation": "tanh", "skip": 1, "batch_size": 33, "branch_start": 0},
    {"activation": "tanh", "momentum": 0.5, "rate_factors": (10, 0, 0.1)},
]
# Networks without a norm, and norms with their own kernels for stacks, are tested with all settings
# in `KNOBS`. Other norms are tested with three of the seven settings.
CASES = [
    (norm, knobs)
    for number, norm in enumerate(norms_for("mlp"))
    for place, knobs in enumerate(KNOBS)
    if norm in ("none", "batch", "layer") or (number + place) % 7 in (0, 2, 5)
    if "skip" not in knobs or NORMS[norm].skips
]


@every_case(("norm", "knobs"), CASES)
def test_every_member_has_the_bits_of_the_run_alone(norm: str, knobs: dict[str, Any]) -> None:
    base = RunConfig(**{"norms": (norm,), "depth": 3, "width": 20} | knobs)
    configs = [base.replace(learning_rate=rate) for rate in RATES]
    configs.append(base.replace(rate_factors=(1, 3, 0), weight_decay=0.01))
    data, steps = load(base), 8
    members = [new_member(each, norm, data.features, data.classes) for each in configs]
    train(members, base, steps)
    for config, member in zip(configs, members, strict=True):
        alone = Experiment(config)
        for _ in range(steps):
            alone.step()
        monitor = alone.learners[norm].monitor
        torch.testing.assert_close(
            member.network.flat, alone.networks[norm].flat, rtol=0, atol=0, equal_nan=True
        )
        for key, value in alone.networks[norm].buffers().items():
            found = member.network.buffers()[key]
            torch.testing.assert_close(found, value, rtol=0, atol=0, equal_nan=True)
        assert member.monitor.to_tree().keys() == monitor.to_tree().keys()
        assert (member.monitor.state, member.monitor.broke) == (monitor.state, monitor.broke)


def test_a_member_that_diverges_leaves_and_the_others_do_not_notice() -> None:
    base = RunConfig(norms=("none",), depth=3, width=20, activation="relu", init="he")
    data = load(base)
    rates = (0.01, 30.0, 0.1)
    members = [
        new_member(base.replace(learning_rate=rate), "none", data.features, data.classes)
        for rate in rates
    ]
    stack = train(members, base, 60)
    assert [member.knobs.learning_rate for member in stack.members] == [0.01, 0.1]
    assert members[1].monitor.stopped


def test_a_member_that_diverges_keeps_the_statistics_of_the_step_before() -> None:
    base = RunConfig(norms=("batch",), depth=3, width=20, activation="linear", loss="squared")
    data, steps = load(base), 30
    configs = [base.replace(learning_rate=rate) for rate in (0.01, 30.0)]
    members = [new_member(each, "batch", data.features, data.classes) for each in configs]
    train(members, base, steps)
    assert [member.monitor.stopped for member in members] == [False, True]
    for config, member in zip(configs, members, strict=True):
        alone = Experiment(config)
        for _ in range(steps):
            alone.step()
        buffers = alone.networks["batch"].buffers()
        assert buffers.keys() == member.network.buffers().keys()
        for key, value in buffers.items():
            assert torch.equal(member.network.buffers()[key], value), key


def test_a_member_names_the_unit_at_which_its_norm_divided_0_by_0() -> None:
    base = RunConfig(norms=("batch",), depth=3, width=10, norm_eps=0, norm_position="after",
                     activation="relu", init="he", batch_size=8)  # fmt: skip
    data, configs = load(base), [base.replace(learning_rate=rate) for rate in (0.3, 0.1)]
    members = [new_member(each, "batch", data.features, data.classes) for each in configs]
    train(members, base, 40)
    for config, member in zip(configs, members, strict=True):
        alone = Experiment(config)
        for _ in range(40):
            alone.step()
        assert member.monitor.broke == alone.breaks()["batch"]
        assert member.monitor.broke.unit is not None


def test_members_with_seeds_of_their_own_go_on_with_their_own_examples() -> None:
    base = RunConfig(norms=("none",), depth=2, width=16, activation="linear", batch_size=8)
    rates_and_seeds = ((0.01, 4), (100.0, 1), (0.1, 2), (0.03, 0))
    cells = [
        Cell(base.replace(learning_rate=rate, seed=seed), 60) for rate, seed in rates_and_seeds
    ]
    found = run_to_end(run_stack(cells))
    assert [outcome.stopped is not None for outcome in found] == [False, True, False, False]
    for cell, outcome in zip(cells, found, strict=True):
        assert same(outcome, in_the_lab(cell))


def test_every_seed_of_noisy_data_has_its_own_noise() -> None:
    base = RunConfig(dataset="spirals", norms=("none",), depth=2, width=8, batch_size=8)
    cells = [Cell(base.replace(seed=seed), 20) for seed in (0, 1)]
    for stack in into_stacks(cells):
        for cell, outcome in zip(stack, run_to_end(run_stack(stack)), strict=True):
            assert same(outcome, in_the_lab(cell))


def random_cells(count: int, seed: int, steps: tuple[int, ...] = (20, 120)) -> list[Cell]:
    """Return random cells: depths 1 to 20, every nonlinearity and norm, skips, five seeds."""
    choose = random.Random(seed)
    cells = []
    while len(cells) < count:
        width, norm = choose.choice([16, 32, 64]), choose.choice(norms_for("mlp"))
        config = RunConfig(
            norms=(norm,),
            depth=choose.choice([1, 2, 3, 4, 6, 10, 20]), width=width,
            skip=choose.choice([0, 0, 1, 2, 3]) if NORMS[norm].skips else 0,
            activation=choose.choice(["sigmoid", "tanh", "relu", "gelu", "linear"]),
            init=choose.choice(["glorot", "he", "orthogonal"]),
            learning_rate=10 ** choose.uniform(-3, 1.5),
            batch_size=choose.choice([1, 2, 4, 8, 16, 33, 60, 256]),
            momentum=choose.choice([0.0, 0.0, 0.9]), seed=choose.randrange(5),
        )  # fmt: skip
        cells.append(Cell(config, choose.choice(steps)))
    return cells


def assert_as_in_the_lab(cells: list[Cell]) -> None:
    """Run each cell in a stack with other rates and seeds, and compare its outcome to the lab's."""
    for cell in cells:
        beside = [
            Cell(cell.config.replace(learning_rate=rate, seed=seed), cell.steps)
            for rate, seed in ((0.1, cell.config.seed), (3.0, cell.config.seed + 1))
        ]
        (stack,) = into_stacks([beside[0], cell, beside[1]])[:1]
        found = dict(zip(stack, run_to_end(run_stack(stack)), strict=True))
        outcome = found[cell] if cell in found else run_to_end(run_stack([cell]))[0]
        expected = in_the_lab(cell)
        assert same(outcome, expected), (cell, outcome, expected)


def test_some_cells_from_all_over_have_the_lab_s_verdicts() -> None:
    """Test only a few cells with few steps. `make verify` tests a thousand cells, including cells
    with many steps.
    """
    assert_as_in_the_lab(random_cells(16, seed=1, steps=(20, 40)))


@pytest.mark.verify
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_thousand_cells_have_the_lab_s_verdicts(seed: int) -> None:
    assert_as_in_the_lab(random_cells(100, seed))


def test_cells_are_gathered_by_all_that_may_not_vary() -> None:
    base = RunConfig(norms=("none",), width=16, depth=2)
    together = [
        base, base.replace(learning_rate=1.0), base.replace(seed=3), base.replace(init="he"),
        base.replace(weight_decay=0.01), base.replace(momentum=0.5),
    ]  # fmt: skip
    apart = [base.replace(batch_size=8), base.replace(depth=3), base.replace(norms=("batch",)),
             base.replace(skip=1)]  # fmt: skip
    stacks = into_stacks([*(Cell(each, 5) for each in [*together, *apart]), Cell(base, 6)])
    assert [len(stack) for stack in stacks] == [6, 1, 1, 1, 1, 1]


def test_stacks_of_large_networks_are_small() -> None:
    small = RunConfig(norms=("none",), width=16, depth=2, batch_size=4)
    assert members_of(small) > members_of(small.replace(batch_size=256, width=256)) == 1


def test_a_batch_too_small_for_the_norm_takes_no_step() -> None:
    (outcome,) = run_to_end(run_stack([Cell(RunConfig(norms=("batch",), batch_size=1), 3)]))
    assert (outcome.state, outcome.undefined_norm) == ("paused", True)
    assert outcome.broke is None
    of_batch, of_none = (
        sweep(RunConfig(norms=(norm,), width=4, depth=1), learning_rates=[0.1], batch_sizes=[1],
              steps=2)
        for norm in ("batch", "none")
    )  # fmt: skip
    assert (of_batch.state.item(), of_none.state.item()) == ("paused", "learning")
    (row,) = of_batch.rows()
    assert (row["state"], row["paused"]) == ("paused", True)
    assert read_outcome({**row, "state": "learning"}).state == "paused", "as in older files"


def test_a_network_that_no_stack_can_hold_runs_alone() -> None:
    cell = Cell(RunConfig(norms=("batch",), network="conv", batch_size=8), 2)
    assert same(run_to_end(run_stack([cell]))[0], in_the_lab(cell))
