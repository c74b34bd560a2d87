"""A sweep on a Ray cluster that loses tasks: a fake Ray with real networks.

tests/sweeps/test_ray.py uses a real cluster.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bnviz.__main__ import main
from bnviz.config import ConfigError, RunConfig
from bnviz.data.base import forget
from bnviz.sweeps.backend import BackendError
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.ray_cluster import RayCluster
from bnviz.sweeps.ray_tasks import MOST_LOSSES, TASKS_PER_CORE
from bnviz.sweeps.stack_sizes import into_stacks
from bnviz.sweeps.sweep import grid
from tests.data.idx_writer import write_set
from tests.sweeps.fake_ray import LOST, FakeRay, numbers

CONFIG = RunConfig(norms=("none",), depth=1, width=4)
CELLS = grid(
    CONFIG, learning_rates=(0.1, 0.3), batch_sizes=(4, 5, 6, 7, 8, 9, 10), steps=2
)  # fmt: skip
COMMAND = ["sweep", "--learning-rates", "0.1,0.3", "--batch-sizes", "4,5,6", "--steps", "2",
           "--set", "depth=1", "--set", "width=4"]  # fmt: skip

Plant = Callable[..., FakeRay]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Return a function that replaces the module `ray` with a fake."""

    def put(cores: int = 2, fate: Callable[[int], str | None] = lambda number: None) -> FakeRay:
        ray = FakeRay(cores, fate)
        monkeypatch.setitem(sys.modules, "ray", ray)
        return ray

    return put


@pytest.mark.parametrize("error", LOST)
def test_what_is_lost_is_run_again_and_each_cell_counts_once(plant: Plant, error: str) -> None:
    ray = plant(fate=lambda number: error if number in (0, 3, 8) else None)
    with RayCluster(None) as cluster, Pool(1) as pool:
        found = dict(pair for part in cluster.run_cells(CELLS) for pair in part)
        assert len(ray.asked) == 7 + 3
        assert found == dict(pair for part in pool.run_cells(CELLS) for pair in part)
        assert sorted(map(str, numbers(cluster.run_cells(CELLS)))) == sorted(map(str, CELLS))


def test_no_more_is_asked_for_than_the_cores_will_soon_run(plant: Plant) -> None:
    ray = plant(cores=2)
    with RayCluster(None) as cluster:
        assert len(numbers(cluster.run_cells(CELLS))) == len(CELLS)
    assert ray.most_under_way == 2 * TASKS_PER_CORE


@pytest.mark.parametrize(
    ("address", "python"), [(None, "'/my clone/.venv/bin/python'"), ("auto", None)]
)
def test_a_ray_that_is_started_here_can_start_python_from_any_path(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, address: str | None, python: str | None
) -> None:
    ray = plant()
    monkeypatch.setattr(sys, "executable", "/my clone/.venv/bin/python")
    with RayCluster(address):
        assert ray.options["runtime_env"].get("py_executable") == python


def test_stacks_are_split_where_cores_would_idle() -> None:
    assert [len(stack) for stack in into_stacks(CELLS)] == [2] * 7
    assert [len(stack) for stack in into_stacks(CELLS, at_least=14)] == [1] * 14
    assert [len(stack) for stack in into_stacks(CELLS, at_least=999)] == [1] * 14


def test_a_stack_that_ends_every_process_ends_the_sweep_and_the_rest_is_kept(
    plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    doomed: list[list[Cell]] = []

    def fate(number: int) -> str | None:
        doomed.append(ray.asked[0]) if not doomed else None
        return "WorkerCrashedError" if ray.asked[number] == doomed[0] else None

    ray = plant(cores=1, fate=fate)
    assert main([*COMMAND, "--backend", "ray"]) == 1
    out, errors = capsys.readouterr()
    assert f"{MOST_LOSSES} processes in a row" in errors
    assert ray.asked.count(doomed[0]) == MOST_LOSSES
    # Results of finished stacks are printed. One of these stacks finished between the losses.
    assert len(out.splitlines()) == 1 + sum(len(s) for s in ray.asked if s != doomed[0])


def test_a_cluster_that_breaks_is_said_in_a_sentence(plant: Plant) -> None:
    plant(fate=lambda number: "RaySystemError" if number == 2 else None)
    with RayCluster(None) as cluster, pytest.raises(BackendError, match="the end"):
        numbers(cluster.run_cells(CELLS))


def test_who_stops_in_the_middle_gives_up_what_is_under_way(plant: Plant) -> None:
    ray = plant(cores=2)
    with RayCluster(None) as cluster:
        running = cluster.run_cells(CELLS)
        next(running)
        running.close()
    assert ray.cancelled == [0, 1, 2]
    with RayCluster(None) as cluster:
        running = cluster.run_cells(CELLS)
        next(running)
    ray.cancelled.clear()
    running.close()
    assert ray.cancelled == [], "after it was left, Ray would join the cluster again"


def test_a_machine_with_other_data_is_named(
    plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here, there = mnist(tmp_path / "here", 40), mnist(tmp_path / "there", 30)
    monkeypatch.setenv("BNVIZ_DATA", str(here))
    forget()

    def on_another_machine(number: int) -> None:
        monkeypatch.setenv("BNVIZ_DATA", str(there))
        forget()

    plant(fate=on_another_machine)
    cells = grid(CONFIG.replace(dataset="mnist"), learning_rates=(1,), batch_sizes=(4,), steps=1)
    with RayCluster(None) as cluster, pytest.raises(ConfigError, match="every machine"):
        numbers(cluster.run_cells(cells))
    forget()


def mnist(folder: Path, examples: int) -> Path:
    """Write a folder of digits with `examples` training examples, and return the folder."""
    folder.mkdir()
    write_set(folder, train=examples)
    return folder


def test_the_command_prints_what_it_prints_without_ray(
    plant: Plant, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(fate=lambda number: "NodeDiedError" if number == 1 else None)
    assert main([*COMMAND, "--refine", "--backend", "ray", "--workers", "2"]) == 0
    there, errors = capsys.readouterr()
    assert "Ray: 2 cores" in errors
    assert main([*COMMAND, "--refine", "--workers", "1"]) == 0
    assert capsys.readouterr().out == there


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "rya"], "`--backend` must be one of processes, ray, got 'rya'."),
        (["--address", "auto"], "`--address` must be left out unless --backend is ray"),
        (["--backend", "ray", "--address", "head"], "`--address` must be HOST:PORT"),
        (["--backend", "ray", "--address", "h:0"], "`--address` must be HOST:PORT"),
        (["--backend", "ray", "--address", "127.0.0.1:1"], "the address of a running Ray cluster"),
        (["--backend", "ray", "--address", "auto", "--workers", "2"], "`--workers` must be left"),
    ],
)
def test_a_slip_is_one_sentence(
    plant: Plant, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    plant()
    assert main([*COMMAND, *arguments]) == 2
    errors = capsys.readouterr().err
    assert errors.count("\n") == 1
    assert message in errors


def test_without_ray_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*COMMAND, "--backend", "ray"]) == 2
    assert "requirements-cluster.txt" in capsys.readouterr().err


def test_a_cluster_that_refuses_is_named(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = plant()

    def refuse(**options: object) -> None:
        raise ConnectionError("Could not find any running Ray instance.\nMore of this.")

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(ConfigError, match="Could not find any running Ray instance"):
        RayCluster("auto").__enter__()
