"""Runs in one worker, without a worker process: slices, fairness, and results that do not depend on
the slices.
"""

from __future__ import annotations

import itertools
import math
import threading
from types import SimpleNamespace

import pytest
import torch

from bnviz.config import RunConfig
from bnviz.live.protocol.heartbeat import Heartbeat
from bnviz.live.worker import run_frames
from bnviz.live.worker.builder import build_experiment
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.live.worker.scheduler import Scheduler
from bnviz.live.worker.slow_probes import OwnMeasurer
from tests.live.bench import Bench, same_as_undisturbed, undisturbed
from tests.live.conftest import PATIENCE, SMALL, arrays_of, until


def test_a_run_that_stands_still_shows_every_probe_of_the_page_at_its_step(bench: Bench):
    bench.start("r", playing=False)
    bench.settle()
    assert bench.bodies()[0]["step"] == 0
    assert {"histogram", "jacobian"} <= set(bench.bodies()[0]["networks"]["none"]["measured_at"])
    assert arrays_of(bench.bodies()[-1]) == undisturbed(SMALL, 0)


def test_runs_that_share_a_worker_come_out_as_if_alone(bench: Bench):
    configs = {"r": SMALL, "s": SMALL.replace(seed=5), "t": SMALL.replace(optimizer="adam")}
    for run, config in configs.items():
        bench.start(run, config)
    bench.work_until(lambda: all(bench.step_of(run) >= 80 for run in configs))
    for run, config in configs.items():
        for frame in (bench.bodies(run)[1], bench.bodies(run)[-1]):
            same_as_undisturbed(frame, config)


def test_worker_time_is_shared_evenly_whatever_the_runs_cost(bench: Bench):
    large = RunConfig(depth=6, width=100)
    bench.start("r", SMALL)
    bench.start("s", large)
    # Wait for 0.5 s of work, which is much longer than the resolution of the thread's CPU clock.
    bench.work_until(lambda: min(run.used for run in bench.scheduler.runs.values()) >= 0.5)
    used = {name: run.used for name, run in bench.scheduler.runs.items()}
    assert bench.step_of("r") > bench.step_of("s")
    assert used["r"] == pytest.approx(used["s"], abs=0.2)


def test_a_run_that_joins_late_does_not_catch_up_on_others(bench: Bench):
    bench.start("r")
    bench.work_until(lambda: bench.step_of("r") >= 400)
    bench.start("s", SMALL.replace(seed=1))
    # Count steps, because a run at full pace may have no frame in so short a time.
    bench.work_until(lambda: bench.step_of("s") >= 0)
    began = bench.scheduler.runs["r"].step
    bench.work_until(lambda: bench.scheduler.runs["s"].step >= 100)
    assert bench.scheduler.runs["r"].step > began


def test_at_a_slow_pace_every_step_is_a_frame_while_there_is_time(bench: Bench, monkeypatch):
    monkeypatch.setattr(ProbeSchedule, "keeps_up", lambda _schedule, _now: True)
    monkeypatch.setattr(run_frames, "FRAME_WAIT", 60.0)
    bench.start("r", pace="watch")
    bench.work_until(lambda: bench.step_of("r") >= 12)
    steps = [frame["step"] for frame in bench.bodies()]
    assert sorted(set(steps)) == list(range(max(steps) + 1))


def test_the_watch_pace_pauses_at_its_step_and_the_hub_is_told(bench: Bench):
    bench.start("r", pace="watch", pause_at=5)
    bench.work_until(lambda: any(h["reason"] for h in bench.headers("state")))
    state = bench.headers("state")[-1]
    assert (state["step"], state["reason"]) == (5, "watch")
    bench.settle()
    assert bench.step_of("r") == 5
    bench.tell(
        "r",
        "control",
        command_number=1,
        playing=True,
        attended=True,
        frames_wanted=True,
        in_view=True,
        pace="watch",
    )
    bench.work_until(lambda: bench.step_of("r") > 5)


def test_the_step_limit_ends_a_run_at_its_last_step(bench: Bench):
    bench.start("r", max_steps=40)
    bench.work_until(lambda: any(h["reason"] == "limit" for h in bench.headers("state")))
    bench.settle()
    assert bench.step_of("r") == 40


def test_a_run_with_nothing_left_to_train_stops(bench: Bench):
    config = SMALL.replace(norms=("none",), activation="linear", learning_rate=100.0)
    bench.start("r", config)
    bench.work_until(lambda: any(h["reason"] == "diverged" for h in bench.headers("state")))
    bench.work_until(lambda: bench.bodies()[-1]["networks"]["none"]["state"] == "diverged")


def test_a_single_step_is_one_step(bench: Bench):
    bench.start("r", playing=False)
    bench.work_until(lambda: bench.step_of("r") == 0)
    bench.tell("r", "step")
    bench.work_until(lambda: bench.step_of("r") == 1)
    bench.settle()
    assert bench.step_of("r") == 1


def test_a_checkpoint_and_the_log_bring_a_run_back_bit_identically(bench: Bench, new_bench):
    bench.start("r")
    bench.work_until(lambda: bench.headers("checkpoint") and bench.step_of("r") >= 60)
    bench.tell("r", "set_knobs", number=1, values={"learning_rate": 0.5})
    bench.work_until(lambda: bench.headers("changed"))
    at = bench.headers("changed")[0]["change"]["step"]
    bench.work_until(lambda: bench.step_of("r") >= at + 50)
    header, checkpoint = next((h, p) for h, p in bench.heard if h["type"] == "checkpoint")
    second = new_bench()
    second.start(
        "r", payload=checkpoint, checkpoint_step=header["step"], catch_up_to=at + 20,
        log=[bench.headers("changed")[0]["change"]],
    )  # fmt: skip
    second.work_until(lambda: second.step_of("r") >= at + 30)
    assert second.bodies()[0]["step"] == at + 20
    same_as_undisturbed(second.bodies()[-1], SMALL, {at: {"learning_rate": 0.5}})


def test_a_fork_is_its_parent_up_to_a_step(bench: Bench):
    bench.start("r")
    bench.work_until(lambda: bench.step_of("r") >= 200)
    bench.start("s", catch_up_to=170, forked_at=170, parent="r")
    bench.work_until(lambda: bench.step_of("s") >= 170)
    assert bench.bodies("s")[0]["step"] == 170
    same_as_undisturbed(bench.bodies("s")[0], SMALL)


def test_a_fork_of_a_run_that_has_started_over_since_takes_nothing_from_it(bench: Bench):
    bench.start("r", SMALL.replace(learning_rate=0.3))
    bench.work_until(lambda: bench.step_of("r") >= 60)
    bench.start("s", SMALL, catch_up_to=55, forked_at=55, parent="r")
    bench.work_until(lambda: bench.step_of("s") >= 55)
    same_as_undisturbed(bench.bodies("s")[0], SMALL)


def test_replayed_frames_are_those_of_the_run(bench: Bench):
    bench.start("r")
    bench.work_until(lambda: bench.step_of("r") >= 130)
    bench.tell("r", "replay", steps=[120, 118, 119, 31])
    bench.work_until(lambda: len(bench.bodies(kind="replayed")) == 4)
    frames = bench.bodies(kind="replayed")
    assert [frame["step"] for frame in frames] == [31, 118, 119, 120]
    for frame in frames:
        assert frame["replayed"] is True
        same_as_undisturbed(frame, SMALL)
    bench.tell(
        "r",
        "control",
        command_number=1,
        playing=False,
        attended=True,
        frames_wanted=True,
        in_view=True,
        pace="full",
    )
    bench.settle()
    assert len(bench.bodies(kind="replayed")) == 4


def test_an_exception_in_one_run_ends_that_run_alone(bench: Bench):
    bench.start("r")
    impossible = {"step": 3, "values": {"learning_rate": -1.0}}
    bench.start("s", SMALL, log=[impossible], catch_up_to=10)
    bench.work_until(lambda: bench.headers("error", "s"))
    assert "ConfigError" in bench.headers("error", "s")[0]["message"]
    before = bench.step_of("r")
    bench.work_until(lambda: bench.step_of("r") > before)


def test_a_message_about_a_run_that_has_ended_is_ignored(bench: Bench):
    bench.tell("nobody", "ack")
    bench.start("r")
    bench.tell("r", "end")
    bench.tell("r", "step")
    assert bench.scheduler.wait() == math.inf


def test_frames_repeat_values_of_expensive_probes_with_the_step_of_their_measurement(bench: Bench):
    bench.start("r", RunConfig(depth=6, width=100))
    bench.work_until(lambda: len(bench.bodies()) >= 8)
    for frame in bench.bodies():
        for network in frame["networks"].values():
            assert set(network["measured_at"]) >= {"histogram", "jacobian", "io_jacobian"}
            assert all(step <= frame["step"] for step in network["measured_at"].values())
            assert network["measured_at"]["histogram"] == frame["step"]


def test_a_first_frame_that_takes_long_lets_others_go_on(bench: Bench):
    heavy = RunConfig(network="recurrent", sequence="pixels", width=64, batch_size=16)
    bench.start("r", heavy)
    bench.start("s", SMALL, pace="fast")
    # The small run takes its first steps long before the other run's first frame is complete.
    bench.work_until(lambda: bench.step_of("s") >= 2)
    assert bench.step_of("r") <= 0
    bench.work_until(lambda: bench.step_of("r") >= 0)
    first = bench.bodies()[0]
    assert first["step"] == 0
    same_as_undisturbed(first, heavy)


def test_viewers_are_told_once_that_a_frame_takes_long(bench: Bench, monkeypatch):
    # The limit is negative, because this frame may take less time than the resolution of the
    # thread's CPU clock.
    monkeypatch.setattr("bnviz.live.worker.run_frames.SLOW_FRAME", -1.0)
    # Make slices so short that no frame is completed within one slice.
    monkeypatch.setattr("bnviz.live.worker.scheduler.SLICE_SECONDS", 0.0)
    bench.start("r", RunConfig(depth=8, width=32))
    bench.work_until(lambda: len(bench.bodies()) >= 3)
    assert len(bench.headers("slow")) == 1


def test_a_run_that_nobody_looks_at_steps_on_without_frames(bench: Bench):
    bench.start("r")
    bench.work_until(lambda: bench.step_of("r") >= 5)
    bench.tell(
        "r",
        "control",
        command_number=1,
        playing=True,
        attended=True,
        frames_wanted=False,
        in_view=False,
        pace="full",
    )
    bench.work_until(lambda: bench.headers("state"))
    bench.settle_frame()
    shown = len(bench.bodies())
    began = bench.scheduler.runs["r"].step
    bench.work_until(lambda: bench.scheduler.runs["r"].step > began + 50)
    assert len(bench.bodies()) == shown
    bench.tell(
        "r",
        "control",
        command_number=2,
        playing=True,
        attended=True,
        frames_wanted=True,
        in_view=True,
        pace="full",
    )
    bench.work_until(lambda: len(bench.bodies()) > shown)
    assert bench.step_of("r") > bench.bodies()[shown - 1]["step"] + 50
    same_as_undisturbed(bench.bodies()[-1], SMALL)


def test_a_run_that_nobody_looks_at_leaves_the_worker_to_those_in_view(bench: Bench):
    bench.start("seen")
    bench.start("left", in_view=False)
    seen, left = (bench.scheduler.runs[name] for name in ("seen", "left"))
    bench.work_until(lambda: min(run.step for run in (seen, left)) > 0)
    before = seen.worked, left.worked
    bench.work_until(lambda: seen.worked - before[0] >= 0.5)
    assert 0 < left.worked - before[1] < 0.25
    # Once `left` is also in view, it immediately gets the same share as `seen`.
    bench.tell("left", "control", command_number=1, playing=True, attended=True, frames_wanted=True,
               in_view=True, pace="full")  # fmt: skip
    before = seen.worked, left.worked
    bench.work_until(lambda: seen.worked - before[0] >= 0.5)
    assert left.worked - before[1] > 0.35


def test_where_frames_take_too_long_steps_are_skipped_and_viewers_are_told(
    bench: Bench, monkeypatch
):
    # Pretend that a frame takes two seconds and that no time is left for measuring.
    monkeypatch.setattr("bnviz.live.worker.probe_schedule.SHARE_PACED", 0.0)
    bench.scheduler.costs.of(SMALL)["frame"] = 2.0
    bench.start("r", pace="watch")

    def behind() -> bool:
        bench.scheduler.runs["r"].probe_schedule.costs["frame"] = 2.0
        return any(header["behind"] for header in bench.headers("frame"))

    bench.work_until(behind)
    steps = [header["step"] for header in bench.headers("frame")]
    assert max(later - earlier for earlier, later in itertools.pairwise(steps)) > 1
    same_as_undisturbed(bench.bodies()[-1], SMALL)


def test_at_a_slow_pace_a_run_does_not_wait_for_slow_probes(bench: Bench):
    bench.scheduler.costs.of(SMALL)["sharpness"] = 0.1
    bench.start("r", pace="1/s")
    bench.work_until(lambda: bench.step_of("r") >= 2)


def test_checkpoints_are_kept_while_a_run_is_replayed_to_its_step(bench: Bench):
    bench.start("r", catch_up_to=600, playing=False)
    bench.work_until(lambda: bench.step_of("r") == 600)
    steps = bench.scheduler.runs["r"].checkpoints.steps()
    assert len([step for step in steps if 0 < step < 600]) > 3


def test_a_build_that_is_abandoned_before_it_begins_is_not_done(monkeypatch):
    begun, busy, go_on = [], threading.Event(), threading.Event()

    def building(config, *_rest) -> None:
        begun.append(config.seed)
        busy.set()
        assert go_on.wait(PATIENCE)

    monkeypatch.setattr("bnviz.live.worker.builder.reopen", building)
    first = build_experiment(SMALL.replace(seed=7))
    assert busy.wait(PATIENCE)
    over, wanted = build_experiment(SMALL), build_experiment(SMALL.replace(seed=1))
    over.cancel()
    go_on.set()
    until(lambda: first.done() and wanted.done())
    assert begun == [7, 1]


def test_the_run_that_was_measured_is_blamed_where_the_gpu_is_lost(monkeypatch):
    """The measurer reports a failure, and the same error recurs when the GPU is synchronized."""
    heartbeat, blamed = Heartbeat(), []
    lost = torch.AcceleratorError("CUDA error: an illegal memory access was encountered")

    def settle():
        raise lost

    scheduler = Scheduler(lambda *_: None, heartbeat, OwnMeasurer(), settle=settle)
    monkeypatch.setattr("os._exit", lambda _code: blamed.append(heartbeat.read()))
    monkeypatch.setattr(OwnMeasurer, "working", "r")
    scheduler.runs["r"] = SimpleNamespace(step_seconds=0.1, weight=1.0, due=lambda _now: math.inf)
    with pytest.raises(torch.AcceleratorError):
        scheduler.work()
    assert [found.run for found in blamed] == ["r"]
