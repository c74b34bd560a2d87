"""Map stacks in a worker: their results, their share of the worker's time, and their completion."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.live.worker.map_work import MARGIN
from bnviz.live.worker.scheduler import LAG_SECONDS
from bnviz.pieces import run_to_end
from bnviz.sweeps.cells import Cell
from bnviz.sweeps.rows import plain_cells, read_outcome
from bnviz.sweeps.stacks import run_stack
from tests.live.bench import Bench, same_as_undisturbed
from tests.live.conftest import SMALL

TINY = RunConfig(depth=2, width=8, batch_size=8, norms=("batch",))
KEY = "1" * 32


def cells(config: RunConfig = TINY, steps: int = 20) -> list[Cell]:
    return [Cell(config.replace(learning_rate=rate), steps) for rate in (0.1, 1.0, 90.0)]


def ask(bench: Bench, asked: list[Cell], number: int = 1, **facts: Any) -> None:
    header = {
        "type": "stack", "map": KEY, "number": number, "on_gpu": False, **plain_cells(asked),
    }  # fmt: skip
    bench.scheduler.handle(header | facts, b"")


def heard(bench: Bench, kind: str = "stacked") -> list[dict[str, Any]]:
    return [header for header, _ in bench.heard if header["type"] == kind]


@pytest.mark.parametrize(
    "config",
    [TINY, TINY.replace(batch_size=1), TINY.replace(network="recurrent", depth=1, width=4)],
)
def test_a_stack_beside_a_run_finds_what_it_finds_alone(bench: Bench, config: RunConfig):
    asked = cells(config)
    bench.start("r", pace="fast")
    ask(bench, asked)
    bench.work_until(lambda: heard(bench) and bench.step_of("r") > 5)
    (answer,) = heard(bench)
    assert (answer["map"], answer["number"]) == (KEY, 1)
    # Compare texts, because NaN is not even equal to itself.
    found = [repr(read_outcome(outcome)) for outcome in answer["outcomes"]]
    assert found == [repr(outcome) for outcome in run_to_end(run_stack(asked))]
    same_as_undisturbed(bench.bodies()[-1], SMALL)


def test_all_maps_of_a_worker_have_the_share_of_one_run(bench: Bench):
    bench.start("r")
    for number in range(1, 4):
        ask(bench, cells(steps=10**5), number, map=str(number) * 32)
    bench.work_until(lambda: bench.scheduler.runs["r"].used > 0.5)
    run, maps = bench.scheduler.runs["r"], bench.scheduler.maps
    assert 0 < maps.used / MARGIN < run.used + 2 * LAG_SECONDS
    bench.start("s", SMALL.replace(seed=1))
    before = {job: job.used for job in (run, maps)}
    bench.work_until(lambda: bench.scheduler.runs["s"].used - before[run] > 0.3)
    assert maps.used - before[maps] < 1.3 * (run.used - before[run]) + LAG_SECONDS


def test_stacks_are_run_one_after_the_other_and_end_with_their_map(bench: Bench):
    ask(bench, cells(steps=10**5), 1)
    ask(bench, cells(), 2, map="2" * 32)
    ask(bench, cells(), 3)
    for _ in range(20):
        bench.scheduler.work()
    bench.scheduler.handle({"type": "drop_map", "map": KEY}, b"")
    bench.settle()
    assert [answer["number"] for answer in heard(bench)] == [2]
    assert bench.scheduler.wait() == math.inf


def test_memory_of_a_map_that_is_dropped_is_free_at_once(bench: Bench):
    """The memory may be on a GPU, where the next map needs it."""
    ask(bench, cells(steps=10**5))
    bench.work_until(lambda: bench.scheduler.maps.step_seconds and bench.scheduler.maps.used > 0.05)
    gc.collect()
    gc.disable()
    try:
        job = weakref.ref(bench.scheduler.maps._job)
        assert job() is not None
        bench.scheduler.handle({"type": "drop_map", "map": KEY}, b"")
        assert job() is None
    finally:
        gc.enable()


def test_an_exception_in_a_stack_ends_that_stack_alone(bench: Bench):
    ask(bench, cells(), 1, config={"width": "many"})
    ask(bench, cells(), 2)
    bench.settle()
    (failed,) = heard(bench, "stack_failed")
    assert (failed["map"], failed["number"]) == (KEY, 1)
    assert "`width`" in failed["message"]
    assert [answer["number"] for answer in heard(bench)] == [2]
