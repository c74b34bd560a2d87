"""Runs on a simulated GPU: the process that trains them, effects of failures, and size limits."""

from typing import Any

import pytest
import torch

from bnviz import device
from bnviz.config import ConfigError, RunConfig
from bnviz.live.protocol.wire import Header
from bnviz.live.runs.worker_process import WORKER
from bnviz.live.runs.workers import Workers
from bnviz.live.worker import gpu
from bnviz.sweeps.rows import read_cells
from bnviz.sweeps.setting import MapSetting, Span
from bnviz.training import machine
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import MANY, OWNER, LiveHub, serving, until
from tests.live.stand_in_gpu import GPU, LOST_WIDTH, TOO_WIDE

SMALL = RunConfig(depth=2, width=16, batch_size=16)
# Run whose estimated time per step is more than 10 ms on one core.
LARGE = RunConfig(depth=6, width=256, batch_size=256, norms=("none",))
# Knobs of a run that is too large for a CPU core.
HUGE = {"depth": 50, "width": 512, "batch_size": 1024}


@pytest.fixture(scope="module")
def machine_with_gpu():
    """Hub on a machine with a GPU: one worker for the CPU, and the process that uses the GPU."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "_told", [])
        patch.setattr(device, "driver_present", lambda environment: True)
        patch.setattr(machine, "torch_device", lambda name: torch.device("cpu"))
        patch.setattr(Workers, "program", ("tests.live.stand_in_gpu",))
        patch.setattr("bnviz.live.runs.workers.YOUNG_SECONDS", 0.0)
        with serving(workers=1, **MANY) as live:
            yield live


@pytest.fixture
def live(machine_with_gpu: LiveHub):
    """Yield the hub of `machine_with_gpu`, and empty it after the test."""
    yield machine_with_gpu
    machine_with_gpu.empty()


def _allowed(problem: Any) -> str:
    """Return the text key of the allowed values in an error."""
    return problem.phrase.values["allowed"].key


def place(live: LiveHub, run: str) -> int | None:
    """Return the number of the process that has a run."""
    return live.hub.registry.runs[run].placement.worker


def test_the_hub_knows_the_gpu_when_it_opens(live: LiveHub):
    assert device.this_gpu() == GPU
    assert live.hub.registry.workers.worker_indices("cuda") == [1]


def test_auto_means_the_gpu_for_large_networks_and_the_cpu_for_all_others(live: LiveHub):
    small, large = (live.hub.start(OWNER, each) for each in (SMALL, LARGE))
    asked = live.hub.start(OWNER, SMALL.replace(device="cuda"))
    for run, found, number in ((small, "cpu", 0), (large, "cuda", 1), (asked, "cuda", 1)):
        watcher = live.watch(run)
        hello = until(lambda watcher=watcher: watcher.said("hello"))[0]
        assert hello["resolved_device"] == live.info(run).resolved_device == found
        live.reach(run, 2)
        assert place(live, run) == number
        assert live.info(run).config.device == ("cuda" if run == asked else "auto")


def test_a_frame_of_the_gpu_process_is_that_of_an_undisturbed_run(live: LiveHub):
    config = SMALL.replace(device="cuda")
    same_as_undisturbed(live.watch(live.hub.start(OWNER, config)).frame_at(20), config, {})


def test_a_reset_chooses_the_device_for_the_knobs_of_now(live: LiveHub):
    run = live.hub.start(OWNER, LARGE)
    live.reach(run, 2)
    live.hub.set_knobs(OWNER, run, batch_size=4)
    until(lambda: live.info(run).changes)
    assert live.info(run).resolved_device == "cuda"
    live.hub.reset(OWNER, run)
    assert live.info(run).resolved_device == "cpu"
    live.reach(run, 2)
    assert place(live, run) == 0


def test_a_run_stays_on_its_device_and_within_what_that_allows(live: LiveHub):
    run = live.hub.start(OWNER, RunConfig(depth=20, width=256, batch_size=2, norms=("none",)))
    assert live.info(run).resolved_device == "cpu"
    with pytest.raises(ConfigError) as refused:
        live.hub.set_knobs(OWNER, run, batch_size=1024)
    assert _allowed(refused.value) == "errors.at_most_seconds_cpu"
    live.hub.set_knobs(OWNER, run, batch_size=60)
    until(lambda: live.info(run).changes)
    assert live.info(run).resolved_device == "cpu"


def test_out_of_memory_is_an_answer_to_the_one_who_asked(live: LiveHub):
    good = live.hub.start(OWNER, LARGE)
    live.reach(good, 1)
    deaths = live.hub.registry.workers.deaths
    bad = live.hub.start(OWNER, SMALL.replace(device="cuda", width=TOO_WIDE))
    until(lambda: live.info(bad).status == "error")
    assert live.info(bad).error.phrase.key == "errors.gpu_memory"
    live.reach(good, live.info(good).step + 2)
    assert live.hub.registry.workers.deaths == deaths


def test_out_of_memory_has_several_classes_and_is_the_same_answer(monkeypatch: pytest.MonkeyPatch):
    for_graph = torch.AcceleratorError("CUDA error: out of memory")
    for_graph.error_code = gpu.OUT_OF_MEMORY  # type: ignore[attr-defined]
    by_library = RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate`")
    for problem in (torch.OutOfMemoryError("2 GiB"), for_graph, by_library):
        found = gpu.explained(problem)
        assert isinstance(found, gpu.NoMemory)
        assert found.phrase.key == "errors.gpu_memory"
    other = RuntimeError("a bug")
    assert gpu.explained(other) is other
    ends: list[int] = []
    monkeypatch.setattr("os._exit", ends.append)
    lost = torch.AcceleratorError("CUDA error: an illegal memory access was encountered")
    lost.error_code = 700  # type: ignore[attr-defined]
    gpu.explained(lost)
    assert ends == [1]


def test_who_loses_the_gpu_is_blamed_and_the_others_go_on(live: LiveHub):
    good = live.hub.start(OWNER, SMALL.replace(device="cuda"))
    live.reach(good, 5)
    bad = live.hub.start(OWNER, SMALL.replace(device="cuda", width=LOST_WIDTH))
    until(lambda: live.info(bad).status == "error")
    assert "ended twice" in live.info(bad).error
    # On a busy machine, the run may already have reached its automatic pause.
    live.hub.play(OWNER, good)
    live.reach(good, live.info(good).step + 5)
    assert place(live, good) == 1
    same_as_undisturbed(live.watch(good).frame_at(live.info(good).step + 5), SMALL, {})


def test_what_a_run_may_cost_depends_on_the_device_that_would_run_it(live: LiveHub):
    assert device.choose(RunConfig(**HUGE), GPU) == ("cuda", "large")
    for knobs, key in (
        ({"device": "cpu"}, "errors.at_most_seconds_cpu"),
        ({"network": "conv", "depth": 12, "width": 64}, "errors.at_most_seconds_cpu"),
    ):
        with pytest.raises(ConfigError) as refused:
            RunConfig(**{**HUGE, **knobs})
        assert _allowed(refused.value) == key


def test_a_map_trains_on_the_gpu_what_fits_there_and_the_rest_beside_it(live: LiveHub):
    norms = ("batch", "zca")
    config = RunConfig(depth=2, width=8, norms=norms, dataset="moons")
    span = Span("learning_rate", 0.1, 1.0, 3), Span("batch_size", 8, 16, 2)
    setting = MapSetting(config, *span, steps=6)
    places: dict[str, set[int]] = {norm: set() for norm in norms}
    sent = live.hub.registry.workers.send

    def send(number: int, header: Header, payload: bytes = b"") -> None:
        if header["type"] == "stack":
            for norm in {cell.norm for cell in read_cells(header)}:
                places[norm].add(number)
        sent(number, header, payload)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live.hub.registry.workers, "send", send)
        key = live.hub.maps.open(OWNER, setting)
        told = until(lambda: _finished(live, key))
    assert told["gpu"] == {"name": GPU.name, "norms": ["batch"]}
    assert places == {"batch": {1}, "zca": {0}}
    assert {row["norm"] for row in live.hub.maps.rows(key)} == set(norms)


def _finished(live: LiveHub, key: str) -> dict[str, Any] | None:
    told = live.hub.maps.poll(key, OWNER, 0, True).plain()
    assert told["problem"] is None
    return told if told["status"] == "finished" else None


def test_a_gpu_that_torch_cannot_use_is_given_up(monkeypatch: pytest.MonkeyPatch):
    """The driver exists, but the process for the GPU finds no GPU. The process ends, and runs do
    not wait for it.
    """
    monkeypatch.setattr(device, "_told", [])
    monkeypatch.setattr(device, "driver_present", lambda environment: True)
    monkeypatch.setattr(Workers, "program", WORKER)
    with serving(workers=1, **MANY) as live:
        assert device.this_gpu() is None
        assert live.hub.registry.workers.worker_indices("cuda") == [0]
        run = live.hub.start(OWNER, LARGE)
        assert live.info(run).resolved_device == "cpu"
        until(lambda: len(live.call(live.hub.viewers.status)["workers"]) == 1)
