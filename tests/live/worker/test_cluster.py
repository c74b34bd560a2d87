"""The process that runs maps on a cluster, with a fake Ray and real networks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.live.protocol.wire import Header, Unpacker, pack
from bnviz.live.worker.cluster import serve
from bnviz.live.worker.pipes import Pipes
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.ray_tasks import MOST_LOSSES, RayTasks
from bnviz.sweeps.rows import plain_cells, read_outcome
from bnviz.sweeps.stacks import run_stack
from tests.sweeps.fake_ray import FakeRay

TINY = RunConfig(depth=1, width=4, norms=("none",))
KEY = "1" * 32
CELLS = [Cell(TINY.replace(learning_rate=rate), 3) for rate in (0.1, 1.0, 90.0)]
PING = {"type": "ping"}

Plant = Callable[..., FakeRay]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Return a function that replaces the module `ray` with a fake cluster of two cores."""

    def put(fate: Callable[[int], str | None] = lambda number: None) -> FakeRay:
        ray = FakeRay(2, fate)
        monkeypatch.setitem(sys.modules, "ray", ray)
        return ray

    return put


def ask(number: int, kind: str = "stack", key: str = KEY, **facts: Any) -> Header:
    header = {
        "type": kind, "map": key, "number": number, "on_gpu": False, **plain_cells(CELLS),
    }  # fmt: skip
    return header | facts


def serve_until(
    messages: list[Header], count: int, address: str | None = None
) -> tuple[int, list[Header]]:
    """Run `serve` until it has sent `count` messages, and then close its stdin. Return its exit
    status and its messages.
    """
    inlet, asks = os.pipe()
    answers, outlet = os.pipe()
    os.write(asks, b"".join(map(pack, messages)))
    found: list[Header] = []

    def hear() -> None:
        unpacker = Unpacker()
        while len(found) < count and (data := os.read(answers, 2**16)):
            found.extend(header for header, _ in unpacker.feed(data))
        os.close(asks)

    hearing = Thread(target=hear)
    hearing.start()
    code = serve(Pipes(inlet, outlet), RayTasks(address))
    os.close(outlet)
    hearing.join()
    for end in (inlet, answers):
        os.close(end)
    return code, found


def of(found: list[Header], number: int) -> Header:
    (answer,) = [header for header in found if header.get("number") == number]
    return answer


def test_it_answers_as_a_worker_does_and_runs_again_what_was_lost(plant: Plant):
    ray = plant(lambda number: "NodeDiedError" if number < 3 else None)
    code, found = serve_until([ask(1), ask(2), ask(3)], 4)
    assert found[0] == {"type": "ready", "cluster": {"cores": 2, "lost": 0}}
    assert (code, len(found), len(ray.asked), ray.options) == (0, 4, 6, {})
    expected = [repr(outcome) for outcome in run_to_end(run_stack(CELLS))]
    for number in (1, 2, 3):
        answer = of(found, number)
        assert (answer["type"], answer["map"]) == ("stacked", KEY)
        assert [repr(read_outcome(outcome)) for outcome in answer["outcomes"]] == expected
        assert answer["seconds"] > 0


def test_the_answer_to_a_ping_has_the_cores_of_the_cluster(plant: Plant):
    plant()
    _, (_, pong) = serve_until([PING], 2)
    assert (pong["type"], pong["cluster"]) == ("pong", {"cores": 2, "lost": 0})


def test_a_stack_that_cannot_be_run_fails_alone(plant: Plant):
    ray = plant(lambda n: "OutOfMemoryError" if ray.asked[n] == ray.asked[0] else None)
    fewer = plain_cells(CELLS[:2])
    wrong = {"depth": "no number"}
    _, found = serve_until([ask(1), ask(2, config=wrong), ask(3, **fewer)], 4)
    assert of(found, 1)["type"] == "stack_failed"
    assert of(found, 1)["phrase"]["key"] == "errors.map_died"
    assert len(ray.asked) == MOST_LOSSES + 1
    assert of(found, 2)["type"] == "stack_failed"
    assert "`depth` must be" in of(found, 2)["message"]
    assert len(of(found, 3)["outcomes"]) == 2


def test_the_stacks_of_a_map_that_has_ended_are_given_up(plant: Plant):
    ray = plant()
    _, found = serve_until(
        [ask(1), ask(2, key="2" * 32), ask(3), {"type": "drop_map", "map": KEY}], 2
    )
    assert ray.cancelled == [0, 2]
    assert [header.get("number") for header in found] == [None, 2]


def test_it_ends_and_tells_why_where_a_cluster_is_not_there_or_breaks(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
):
    away = {"type": "not_joined", "key": "errors.map_cluster_away"}
    assert serve_until([PING], 1, "127.0.0.1:1") == (1, [away])
    plant(lambda number: "RaySystemError")
    code, found = serve_until([ask(1)], 2)
    assert (code, found[1]) == (1, {"type": "not_joined", "key": "errors.map_cluster_broke"})
    monkeypatch.setitem(sys.modules, "ray", None)
    assert serve_until([PING], 1) == (
        1,
        [{"type": "not_joined", "key": "errors.map_cluster_no_ray"}],
    )
