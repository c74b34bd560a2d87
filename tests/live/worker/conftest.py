"""Benches: schedulers without a worker process, which share one process for slow probes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bnviz.live.worker.slow_probes import MeasurerLink
from tests.live.bench import Bench


@pytest.fixture
def new_bench(measurer: MeasurerLink) -> Iterator[Callable[[], Bench]]:
    """Return a function that makes benches whose runs end with the test."""
    made: list[Bench] = []

    def make() -> Bench:
        made.append(Bench(measurer))
        return made[-1]

    yield make
    for bench in made:
        bench.end()


@pytest.fixture
def bench(new_bench: Callable[[], Bench]) -> Bench:
    return new_bench()
