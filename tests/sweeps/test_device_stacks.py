"""Cells run on a GPU have the same outcomes as on the CPU. Here the CPU stands in for the GPU."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.device import Gpu, tell
from bnviz.norms import NORMS, norms_for
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.sweeps.device_stacks import MOST_LAYERS, jobs_of, run_on_device
from bnviz.sweeps.rows import plain_outcome, read_outcome, to_row
from bnviz.sweeps.stack_sizes import SMALLEST_EPS, fits_device, into_stacks, runs_on_gpu
from bnviz.sweeps.stacks import run_stack
from bnviz.sweeps.sweep import grid, sweep
from bnviz.training import machine
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16, batch_size=8)


@pytest.fixture(name="stand_in")
def stand_in_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this process has a GPU, but compute on the CPU."""
    monkeypatch.setattr("bnviz.device._told", [])
    monkeypatch.setattr(machine, "torch_device", lambda device: torch.device("cpu"))
    tell(Gpu("stand-in", 8 * 2**30))


def on_the_cpu(cells: list[Cell]) -> dict[Cell, CellOutcome]:
    """Run cells in stacks on the CPU, and return their outcomes."""
    asked = {cell: cell._replace(config=cell.config.replace(device="cpu")) for cell in cells}
    done: dict[Cell, CellOutcome] = {}
    for stack in into_stacks(asked.values()):
        done.update(zip(stack, run_to_end(run_stack(stack)), strict=True))
    return {cell: done[other] for cell, other in asked.items()}


def shares(outcome: CellOutcome) -> np.ndarray:
    """Return the share of values in each bin of an outcome's histograms."""
    assert outcome.hills is not None
    heights = np.frombuffer(outcome.hills, np.uint8).astype(float)
    return np.asarray(heights / heights.sum())


@pytest.mark.usefixtures("stand_in")
def test_cells_of_all_shapes_become_what_they_become_on_the_cpu() -> None:
    """The rates are low, or so high that every network diverges, so rounding cannot matter."""
    base = SMALL.replace(activation="tanh")
    cells = [
        Cell(config.replace(norms=(norm,), learning_rate=rate, seed=seed), steps)
        for config in (base, base.replace(batch_size=20), base.replace(depth=3, optimizer="adam"),
                       base.replace(activation="relu", init="he", skip=1, momentum=0.5),
                       base.replace(rate_factors=(2, 0, 0.5)))
        for norm in ("none", "batch")
        for rate, seed in ((0.002, 0), (0.005, 1), (1e-4, 0))
        for steps in (30, 110)
    ]  # fmt: skip
    explodes = base.replace(activation="linear", loss="squared", norms=("none",))
    cells += [Cell(explodes.replace(learning_rate=rate), 110) for rate in (0.002, 50.0)]
    found, expected = run_to_end(run_on_device(cells)), on_the_cpu(cells)
    for cell, outcome in zip(cells, found, strict=True):
        other = expected[cell]
        facts = ("state", "broke", "stopped", "kind", "slow")
        assert [getattr(outcome, key) for key in facts] == [getattr(other, key) for key in facts]
        np.testing.assert_allclose(outcome.test_accuracy, other.test_accuracy, atol=0.02)
        np.testing.assert_allclose(outcome.test_loss, other.test_loss, rtol=0.02)
        assert (outcome.device, other.device) == ("cuda", "cpu")
        if outcome.stopped is None:
            assert np.abs(shares(outcome) - shares(other)).sum() < 0.05
        else:
            assert outcome.hills is other.hills is None
    states = {outcome.state for outcome in found}
    assert states == {"learning", "stuck", "diverged"}


@pytest.mark.usefixtures("stand_in")
def test_a_job_too_large_for_the_memory_is_split_and_nothing_else_changes() -> None:
    cells = grid(SMALL, learning_rates=(0.01, 0.02, 0.03), batch_sizes=(8, 16), steps=12, seeds=2)
    assert len(jobs_of(cells)) == 1
    whole = run_to_end(run_on_device(cells))
    tell(Gpu("stand-in", 3_000_000))
    parts = jobs_of(cells)
    assert len(parts) > 1
    assert max(len(stack) for job in parts for stack in job) > 1
    assert sorted(cells, key=repr) == sorted(
        (cell for job in parts for stack in job for cell in stack), key=repr
    )
    for one, other in zip(whole, run_to_end(run_on_device(cells)), strict=True):
        assert (one.state, one.broke) == (other.state, other.broke)
        np.testing.assert_allclose(one.test_loss, other.test_loss, rtol=1e-3)


@pytest.mark.usefixtures("stand_in")
def test_a_job_of_very_many_shapes_is_split_since_a_step_is_recorded_in_one_piece() -> None:
    shapes = [(depth, batch) for depth in range(10, 30) for batch in (4, 8, 16)]
    base = SMALL.replace(norms=("batch",))
    cells = [Cell(base.replace(depth=depth, batch_size=batch), 5) for depth, batch in shapes]
    jobs = jobs_of(cells)
    layers = [sum(stack[0].config.depth for stack in job) for job in jobs]
    assert len(jobs) == 3
    assert max(layers) <= MOST_LAYERS
    assert [cell for job in jobs for stack in job for cell in stack] == cells


@pytest.mark.usefixtures("stand_in")
def test_a_sweep_runs_on_the_gpu_what_can_run_there_and_the_rest_on_the_cpu() -> None:
    config = SMALL.replace(norms=("batch", "noisy"))
    asked: dict[str, Any] = {"learning_rates": (0.1, 0.3), "batch_sizes": (1, 8), "steps": 3}
    places = {
        device: {
            (row["norm"], row["batch_size"]): row["device"]
            for row in sweep(config.replace(device=device), **asked).rows()
        }
        for device in ("auto", "cpu")
    }
    assert places["auto"] == {
        ("batch", 1): "cpu", ("batch", 8): "cuda", ("noisy", 1): "cpu", ("noisy", 8): "cpu",
    }  # fmt: skip
    assert set(places["cpu"].values()) == {"cpu"}


@every_case(
    ("knobs", "fits"),
    [
        ({}, True), ({"batch_size": 1}, False), ({"norms": ("none",), "batch_size": 1}, True),
        ({"network": "conv"}, False), ({"network": "recurrent", "depth": 1}, False),
        ({"norm_eps": 0}, False), ({"norm_eps": SMALLEST_EPS / 4}, False),
        ({"norm_eps": SMALLEST_EPS}, True), ({"norms": ("ghost",)}, False),
        ({"optimizer": "adam", "skip": 1, "norm_position": "before"}, True),
    ],
)  # fmt: skip
def test_what_fits_a_device(knobs: dict[str, Any], fits: bool) -> None:
    config = SMALL.replace(**{"norms": ("batch",)} | knobs)
    assert fits_device(config) is fits
    assert not runs_on_gpu(config)


@pytest.mark.usefixtures("stand_in")
def test_a_large_network_that_no_stack_can_hold_runs_on_the_gpu_alone() -> None:
    large = RunConfig(norms=("noisy",), depth=20, width=256, batch_size=512)
    assert not fits_device(large)
    assert runs_on_gpu(large)
    assert not runs_on_gpu(large.replace(device="cpu"))
    assert not runs_on_gpu(SMALL.replace(norms=("noisy",)))


def test_an_outcome_carries_its_hills_between_processes_and_keeps_them_out_of_rows() -> None:
    outcome = CellOutcome("learning", None, None, 0.4, 1.9, "cuda", bytes(range(24)))
    cell = Cell(SMALL.replace(norms=("batch",)), 3)
    assert outcome.slow
    assert read_outcome(plain_outcome(outcome)) == outcome
    row = to_row(cell, outcome)
    assert "hills" not in row
    assert read_outcome(row) == dataclasses.replace(outcome, hills=None)
    del row["device"]
    assert read_outcome(row).device == "cpu", "as in older files"


def test_too_slow_is_neither_stuck_nor_broken_nor_learned() -> None:
    for changes in ({"state": "stuck"}, {"test_accuracy": 0.6}, {"state": "paused"}):
        outcome = CellOutcome("learning", None, None, 0.4, 1.9)
        assert not dataclasses.replace(outcome, **changes).slow


@pytest.mark.gpu
def test_cells_on_a_gpu_repeat_bit_for_bit_and_become_what_they_become_on_the_cpu() -> None:
    norms = tuple(name for name in norms_for("mlp") if NORMS[name].replays)
    base = RunConfig(norms=norms, norm_groups=4, depth=3, width=32)
    cells = grid(base, learning_rates=(0.01, 0.1, 1.0), batch_sizes=(8, 64), steps=60, seeds=2)
    pool = torch.cuda.MemPool()
    once, twice = (run_to_end(run_on_device(cells, pool=pool)) for _ in range(2))
    assert list(map(repr, once)) == list(map(repr, twice))
    expected = on_the_cpu(cells)
    same = [outcome.kind == expected[cell].kind for cell, outcome in zip(cells, once, strict=True)]
    assert np.mean(same) > 0.9
