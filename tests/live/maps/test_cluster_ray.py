"""Maps on a real Ray cluster of two simulated machines."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tests.live.conftest import OWNER, SMALL, LiveHub, serving, until
from tests.live.maps.test_maps import finish, poll, same_as_sweep, setting
from tests.sweeps.real_ray import busy, two_machines

pytestmark = [
    pytest.mark.cluster, pytest.mark.verify, pytest.mark.filterwarnings("ignore:::ray"),
]  # fmt: skip


@pytest.fixture
def drawn_there() -> Iterator[tuple[LiveHub, Any]]:
    """Hub whose maps are computed on a cluster with two cores."""
    with two_machines({}) as machines, serving(map_cluster=machines.address) as live:
        yield live, machines


def cluster(live: LiveHub) -> dict[str, Any]:
    return live.hub.maps.status()["map_cluster"]


def test_a_killed_process_of_the_cluster_takes_no_cell_of_a_map_with_it(
    drawn_there: tuple[LiveHub, Any],
) -> None:
    live, machines = drawn_there
    run = live.watch(live.hub.start(OWNER, SMALL, pace="full"))
    asked = setting(seed=6, steps=1_000)
    key = live.hub.maps.open(OWNER, asked)
    assert poll(live, key)["status"] == "waiting"
    until(lambda: poll(live, key)["n"] > 0)
    os.kill(busy(machines)[0], signal.SIGKILL)
    told = finish(live, key)
    assert (told["status"], told["problem"]) == ("finished", None)
    same_as_sweep(live, key, asked)
    until(lambda: cluster(live)["stacks_run_again"] > 0)
    assert (cluster(live)["cores"], cluster(live)["problem"]) == (2, None)
    status = live.call(live.hub.viewers.status)
    assert (status["worker_deaths"], status["runs"]) == (0, {"running": 1})
    assert run.frames()


def test_when_the_process_that_joined_it_ends_it_is_joined_again(
    drawn_there: tuple[LiveHub, Any],
) -> None:
    live, _ = drawn_there
    asked = setting(seed=7, steps=1_000)
    key = live.hub.maps.open(OWNER, asked)
    until(lambda: poll(live, key)["n"] > 0)
    os.kill(cluster(live)["pid"], signal.SIGKILL)
    until(lambda: poll(live, key)["status"] == "waiting")
    assert poll(live, key)["problem"]["phrase"]["key"] == "errors.map_cluster_broke"
    assert finish(live, key)["status"] == "finished"
    same_as_sweep(live, key, asked)
    assert cluster(live)["times_ended"] == 1
