"""Slow probes: the process that measures them, and the worker's use of its responses."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.wire import Header
from bnviz.live.worker import measurer as measuring
from bnviz.live.worker.measurer import Measurer
from bnviz.live.worker.probe_schedule import ProbeSchedule, TypicalCosts
from bnviz.live.worker.slow_probes import Link, MeasurerLink, OwnMeasurer
from bnviz.training.checkpoint import unpack
from tests.live.conftest import SMALL, until


@pytest.fixture
def link(measurer: MeasurerLink) -> Iterator[MeasurerLink]:
    """Shared measuring process, which these tests stop and kill."""
    yield measurer
    for run in ("r", "s", "heavy"):
        measurer.forget(run)


def ask(link: Link, run: str, experiment: Experiment, *names: str) -> None:
    header = {
        "type": "measure", "run": run, "generation": 0, "config": experiment.config.model_dump(),
        "names": names, "step": experiment.step_number,
    }  # fmt: skip
    link.request(header, experiment.checkpoint())


def answers(link: Link, count: int) -> dict[str, tuple[Header, bytes]]:
    found: list[tuple[Header, bytes]] = []

    def come() -> bool:
        if isinstance(link, OwnMeasurer):
            link.work()
        found.extend(link.answers())
        return len(found) >= count

    until(come)
    return {header["run"]: (header, payload) for header, payload in found}


@pytest.mark.parametrize("where", ["beside", "here"])
def test_slow_probes_have_the_values_that_the_run_itself_would_have_measured(link, where):
    link = OwnMeasurer() if where == "here" else link
    experiments = {"r": Experiment(SMALL), "s": Experiment(SMALL.replace(seed=3, optimizer="adam"))}
    for steps in (3, 60):
        for run, experiment in experiments.items():
            for _ in range(steps):
                experiment.step()
            ask(link, run, experiment, "jacobian", "sharpness")
        for run, (header, payload) in answers(link, 2).items():
            assert (header["type"], header["step"]) == ("measured", experiments[run].step_number)
            assert header["seconds"].keys() == {"jacobian", "sharpness"}
            records = experiments[run].snapshot(("jacobian", "sharpness")).networks
            for norm, probes in unpack(payload).items():
                for probe, values in probes.items():
                    for name, value in values.items():
                        np.testing.assert_array_equal(value, records[norm].probes[probe][name])


def test_a_process_that_dies_is_replaced_and_gets_its_requests_again(link):
    experiment = Experiment(SMALL)
    ask(link, "r", experiment, "jacobian")
    answers(link, 1)
    first, before = link.pid, link.restarted
    os.kill(first, signal.SIGSTOP)
    ask(link, "r", experiment, "jacobian")
    ask(link, "s", experiment, "jacobian")
    os.kill(first, signal.SIGKILL)
    # No measurement had begun, so no run is to blame.
    assert {header["type"] for header, _ in answers(link, 2).values()} == {"measured"}
    assert link.pid != first
    assert link.restarted == before + 1


def test_a_measurement_that_never_ends_fails_for_its_run_alone(link, monkeypatch):
    ask(link, "r", Experiment(SMALL), "jacobian")
    answers(link, 1)
    heavy = Experiment(RunConfig(network="conv", depth=4, width=64, batch_size=8))
    ask(link, "heavy", heavy, "jacobian")
    until(lambda: link.answers() or link.status()["working"])
    os.kill(link.pid, signal.SIGSTOP)
    ask(link, "s", Experiment(SMALL), "jacobian")
    monkeypatch.setattr("bnviz.live.worker.slow_probes.PATIENCE_SECONDS", 0.3)
    first = answers(link, 1)
    monkeypatch.setattr("bnviz.live.worker.slow_probes.PATIENCE_SECONDS", 60.0)
    found = first | answers(link, 1)
    assert found["heavy"][0]["type"] == "failed"
    assert found["s"][0]["type"] == "measured"


def test_a_process_that_hangs_before_it_begins_is_replaced(link, monkeypatch):
    ask(link, "r", Experiment(SMALL), "jacobian")
    answers(link, 1)
    before = link.restarted
    monkeypatch.setattr("bnviz.live.worker.slow_probes.PATIENCE_SECONDS", 0.3)
    os.kill(link.pid, signal.SIGSTOP)
    ask(link, "s", Experiment(SMALL), "jacobian")
    until(lambda: link.answers() == [] and link.restarted > before)
    monkeypatch.setattr("bnviz.live.worker.slow_probes.PATIENCE_SECONDS", 60.0)
    assert answers(link, 1)["s"][0]["type"] == "measured"


def test_a_checkpoint_that_cannot_be_read_is_answered(link):
    header = {
        "type": "measure", "run": "r", "generation": 0, "config": SMALL.model_dump(),
        "names": ["jacobian"], "step": 0,
    }  # fmt: skip
    link.request(header, b"no checkpoint")
    told, _ = answers(link, 1)["r"]
    assert told["type"] == "failed"


def test_slow_values_never_replace_newer_ones_and_a_probe_that_failed_is_not_requested_again():
    measuring = ProbeSchedule()
    name = measuring.expensive[0]
    assert name in measuring.unmeasured(0, slow=True)
    measuring.take_slow(50, {"none": {name: {"zeros": np.ones(1)}}}, {name: 0.2}, now=1.0)
    measuring.take_slow(40, {"none": {name: {"zeros": np.zeros(1)}}}, {name: 0.2}, now=2.0)
    shown = measuring.complete(Experiment(SMALL).snapshot(()), {}, now=3.0).networks["none"]
    assert shown.measured_at == {name: 50}
    assert shown.probes[name]["zeros"] == 1
    assert name in measuring.unmeasured(51, slow=True)
    measuring.give_up([name])
    assert name not in measuring.unmeasured(51, slow=True)
    assert name not in measuring.slow_due(51, 99.0, standing=False)


def test_a_run_begins_with_the_costs_of_a_run_that_was_no_smaller():
    known = TypicalCosts()
    known.of(RunConfig(depth=6, width=100))["jacobian"] = 0.02
    assert known.of(RunConfig(depth=4, width=100, seed=9)) == {"jacobian": 0.02}
    for other in (RunConfig(depth=7), RunConfig(norms=("none", "zca")), RunConfig(batch_size=600)):
        assert known.of(other) == {}


class Answers:
    """Stand-in for the pipes. It tracks the measurements that are under way.

    Attributes:
        under_way: runs with an unfinished measurement.
        most: highest number of measurements that were unfinished at the same time.
        answered: number of finished measurements.
    """

    def __init__(self) -> None:
        self.under_way: set[str] = set()
        self.most = self.answered = 0

    def send(self, header: Header, _payload: bytes = b"") -> None:
        if header["type"] == "working":
            self.under_way.add(header["run"])
            self.most = max(self.most, len(self.under_way))
        elif header["type"] == "measured":
            self.under_way.remove(header["run"])
            self.answered += 1


def test_only_so_many_measurements_are_under_way_at_a_time_and_all_are_answered(monkeypatch):
    # With this clock, each slice contains one unit of a measurement on any processor.
    clock = SimpleNamespace(
        perf_counter=count(step=0.6 * measuring.SLICE_SECONDS).__next__, monotonic=time.monotonic
    )
    monkeypatch.setattr(measuring, "time", clock)
    pipes = Answers()
    measurer = Measurer(pipes.send, 3)
    experiment = Experiment(SMALL)
    for number in range(12):
        header = {
            "type": "measure", "run": f"r{number}", "generation": 0, "step": 0,
            "config": SMALL.model_dump(), "names": ("jacobian", "sharpness"),
        }  # fmt: skip
        measurer.handle(header, experiment.checkpoint())
    while measurer.busy:
        measurer.work()
    assert (pipes.most, pipes.answered) == (3, 12)
