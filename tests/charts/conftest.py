from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

import orjson
import pytest

from bnviz.charts import CHARTS, Chart, ChartView
from bnviz.charts.chart import chart_texts
from bnviz.config import RunConfig
from bnviz.data import DATASETS
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body, json_number, plain_gestures, typed
from bnviz.live.runs.parsed_frames import ParsedFrame
from bnviz.records import Change, Snapshot


class Frame(ParsedFrame):
    """Frame body that a worker wrote, together with its parsed values."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self.body = body


def frame_by_hand(step: int, networks, arrays=None, changes=()) -> Frame:
    """Return a frame with the given scalars per network and arrays per field."""
    plain = {norm: {name: json_number(value) if isinstance(value, float) else value
                    for name, value in network.items()}
             for norm, network in networks.items()}  # fmt: skip
    specs = {name: typed(array) for name, array in (arrays or {}).items()}
    body = {"step": step, "networks": plain, "arrays": specs, "changes": plain_gestures(changes)}
    return Frame(orjson.dumps(body))


def make_view(config: RunConfig, **more) -> ChartView:
    data = DATASETS[config.dataset]
    return ChartView(
        config=config, texts=chart_texts(), classes=data.classes, features=data.features, **more
    )


def make_chart(name: str, config: RunConfig, **more) -> Chart:
    """Return a cached chart. Building one is slow, so tests share it and must not modify it."""
    return _built(name, config, frozenset(item for item in more.items() if item[1]))


# The cache is bounded, because Python's garbage collector visits every object in it.
@lru_cache(maxsize=64)
def _built(name: str, config: RunConfig, more: frozenset[tuple[str, bool]]) -> Chart:
    return CHARTS[name].build(make_view(config, **dict(more)))


def measured(
    config: RunConfig,
    steps: int,
    rates: Mapping[int, float],
    probes: Callable[[int], Sequence[str] | str] = lambda _step: "all",
) -> Iterator[tuple[Snapshot, list[Change]]]:
    """Yield snapshots and live changes of a real run. `rates` has the new learning rates by step,
    and `probes` returns the probes of a step.
    """
    experiment = Experiment(config, keep=(0, 2))
    for step in range(steps + 1):
        if step in rates:
            experiment.update(learning_rate=rates[step])
        yield experiment.snapshot(probes=probes(step)), list(experiment.changes)
        if step < steps:
            experiment.step()


@cache
def snapshots(
    config: RunConfig, steps: int = 4, change: float | None = None
) -> tuple[Snapshot, ...]:
    """Return snapshots of a real run with every probe. `change` is the learning rate from step
    2 on.
    """
    taken = measured(config, steps, {2: change} if change else {})
    return tuple(snapshot for snapshot, _ in taken)


@cache
def record(config: RunConfig, steps: int = 4, change: float | None = None) -> tuple[Frame, ...]:
    """Return the frames of `snapshots`."""
    taken = snapshots(config, steps, change)
    return tuple(Frame(encode_body(snapshot, changes=snapshot.changes)) for snapshot in taken)


PAIR = RunConfig(depth=3, width=12, seed=1)
PLANE = RunConfig(dataset="moons", depth=2, width=8)


@pytest.fixture(scope="session")
def pair() -> tuple[Frame, ...]:
    return record(PAIR, change=1.0)


@pytest.fixture(scope="session")
def plane() -> tuple[Frame, ...]:
    return record(PLANE)
