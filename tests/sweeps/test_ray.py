"""A sweep on a real Ray cluster of two machines, simulated on this machine, with killed workers
and a lost machine.

Each network's results must equal its results without Ray. The sweep's reaction to each kind of
loss is tested without Ray in tests/sweeps/test_ray_cluster.py.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.sweeps.cells import Cell, CellOutcome, Done
from bnviz.sweeps.pool import Pool
from bnviz.sweeps.ray_cluster import RayCluster
from bnviz.sweeps.sweep import grid
from tests.data.idx_writer import write_set
from tests.sweeps.real_ray import busy, two_machines

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.cluster, pytest.mark.verify, pytest.mark.filterwarnings("ignore:::ray"),
]  # fmt: skip

# Cells whose stacks take about half a second each, which is long enough to kill a worker during a
# stack.
CELLS = grid(
    RunConfig(norms=("none", "batch"), depth=3, width=32),
    learning_rates=(0.03, 0.1, 0.3, 1.0), batch_sizes=(4, 8, 16, 32, 64), steps=300,
)  # fmt: skip
COMMAND = [
    sys.executable, "-m", "bnviz", "sweep", "--learning-rates", "0.1,30",
    "--batch-sizes", "8,32", "--steps", "40", "--set", "depth=2", "--set", "width=16",
]  # fmt: skip
SECONDS = 60


@pytest.fixture(scope="module")
def expected() -> dict[Cell, CellOutcome]:
    """Return the outcomes of the same sweep without Ray."""
    with Pool(1) as pool:
        return {cell: outcome for part in pool.run_cells(CELLS) for cell, outcome in part}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Cluster of two machines with one core each. The last test removes the second machine."""
    write_set(folder := tmp_path_factory.mktemp("mnist"), train=40)
    with two_machines({"BNVIZ_DATA": str(folder)}) as cluster:
        yield cluster


def all_of(parts: Iterator[Done]) -> list[tuple[Cell, CellOutcome]]:
    return [pair for part in parts for pair in part]


def test_a_killed_worker_takes_nothing_with_it(
    machines: Any, expected: dict[Cell, CellOutcome]
) -> None:
    with RayCluster(machines.address) as cluster:
        assert cluster.cores == 2
        running = cluster.run_cells(CELLS)
        first = next(running)
        os.kill(busy(machines)[0], signal.SIGKILL)
        found = [*first, *all_of(running)]
    assert len(found) == len(CELLS)
    assert dict(found) == expected


def test_the_command_s_rows_are_the_plain_ones_and_stdout_has_nothing_else(machines: Any) -> None:
    plain = subprocess.run(COMMAND, cwd=ROOT, capture_output=True, check=True, timeout=SECONDS)
    there = subprocess.run(
        [*COMMAND, "--backend", "ray", "--address", machines.address],
        cwd=ROOT, capture_output=True, check=True, timeout=SECONDS,
    )  # fmt: skip
    assert there.stdout == plain.stdout
    assert b"Ray: 2 cores" in there.stderr


def test_other_data_on_a_machine_end_the_command_with_a_sentence(
    machines: Any, tmp_path: Path
) -> None:
    write_set(tmp_path, train=30)
    found = subprocess.run(
        [*COMMAND, "--set", "dataset=mnist", "--backend", "ray", "--address", machines.address],
        cwd=ROOT, capture_output=True, env=os.environ | {"BNVIZ_DATA": str(tmp_path)},
        timeout=SECONDS, text=True,
    )  # fmt: skip
    assert found.returncode == 2
    message = "`dataset` must be a data set that is the same on every machine of the cluster"
    assert message in found.stderr


def test_a_machine_that_leaves_takes_nothing_with_it(
    machines: Any, expected: dict[Cell, CellOutcome]
) -> None:
    with RayCluster(machines.address) as cluster:
        running = cluster.run_cells(CELLS)
        first = next(running)
        (second,) = machines.worker_nodes
        machines.remove_node(second, allow_graceful=False)
        found = [*first, *all_of(running)]
    assert len(found) == len(CELLS)
    assert dict(found) == expected
