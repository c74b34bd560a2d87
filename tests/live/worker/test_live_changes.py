"""Manual live changes are logged with their step, applied between two steps, and shown."""

from __future__ import annotations

import math
import re
from typing import Any

from bnviz.change_log import ChangeLog, plain_change
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.live.worker import run_frames
from bnviz.live.worker.builder import catch_up_to
from bnviz.records import Change
from tests.live.bench import Bench, same_as_undisturbed
from tests.live.conftest import SMALL


def test_a_live_change_is_logged_with_its_step_and_shown_at_once(bench: Bench):
    bench.start("r", pace="watch")
    bench.work_until(lambda: bench.step_of("r") >= 4)
    bench.tell("r", "ack")
    bench.tell("r", "set_knobs", number=7, values={"learning_rate": 1.0})
    bench.work_until(lambda: bench.headers("changed"))
    changed = bench.headers("changed")[0]
    at = changed["change"]["step"]
    assert (changed["number"], changed["change"]["values"]) == (7, {"learning_rate": 1.0})
    bench.work_until(lambda: bench.bodies()[-1]["changes"])
    frame = bench.bodies()[-1]
    assert frame["step"] == at
    assert frame["networks"]["none"]["learning_rate"] == 1.0
    assert frame["changes"] == [changed["change"]]
    bench.work_until(lambda: bench.step_of("r") >= at + 4)
    same_as_undisturbed(bench.bodies()[-1], SMALL, {at: {"learning_rate": 1.0}})


def test_a_value_that_is_set_already_is_answered_and_not_logged(bench: Bench):
    bench.start("r", pace="watch")
    bench.work_until(lambda: bench.step_of("r") >= 2)
    bench.tell("r", "set_knobs", number=7, values={"batch_size": SMALL.batch_size})
    bench.work_until(lambda: bench.headers("changed"))
    (answer,) = bench.headers("changed")
    assert (answer["number"], answer["change"]) == (7, None)
    assert answer["origin"] == 0, "the run continues at its pace"
    bench.work_until(lambda: bench.step_of("r") > answer["step"])
    assert bench.bodies()[-1]["changes"] == []
    assert list(bench.scheduler.runs["r"].log) == []


def drag(bench: Bench, *values: float, number: int = 1) -> dict[str, Any]:
    """Send the values of one drag at once, and return the last change that the worker reports."""
    wanted = len(bench.headers("changed")) + len(values)
    for value in values:
        bench.tell("r", "set_knobs", number=number, values={"learning_rate": value}, drag=number)
    bench.work_until(lambda: len(bench.headers("changed")) >= wanted)
    return bench.headers("changed")[-1]["change"]


def test_of_a_drags_values_between_two_steps_the_last_one_is_logged(bench: Bench):
    bench.start("r", pace="watch")
    bench.work_until(lambda: bench.step_of("r") >= 4)
    last = drag(bench, 0.3, 0.5, 0.7)
    at = last["step"]
    assert last == {"step": at, "values": {"learning_rate": 0.7}, "drag": 1}
    assert [plain_change(change) for change in bench.scheduler.runs["r"].log] == [last]
    bench.work_until(lambda: bench.step_of("r") >= at + 4)
    frame = bench.bodies()[-1]
    same_as_undisturbed(frame, SMALL, {at: {"learning_rate": 0.7}})
    assert frame["changes"] == [{**last, "from": {"learning_rate": 0.1}, "until": at}]


def test_a_drag_leaves_time_for_the_steps_that_it_acts_on(bench: Bench, monkeypatch):
    """Send values faster than frames can be made, on any machine.

    Frames with separately measured probes may come at any time. All other frames show a new step.
    """
    monkeypatch.setattr(run_frames, "DRAG_URGENT_SECONDS", 60.0)
    monkeypatch.setattr(run_frames, "DRAG_FRAME_SECONDS", 60.0)
    bench.start("r")
    bench.work_until(lambda: bench.step_of("r") >= 5)
    drag(bench, 0.05)
    bench.work_until(lambda: bench.bodies()[-1]["changes"])
    shown, began = len(bench.headers("frame")), bench.step_of("r")
    run, value = bench.scheduler.runs["r"], 0.0
    # A slice may be as short as one unit of work on a busy machine.
    for number in range(1, 1_000):
        value = (number % 60 + 1) / 100
        drag(bench, value)
        bench.scheduler.work()
        bench.tell("r", "ack")
        if number >= 60 and run.step >= began + 40:
            break
    assert run.step >= began + 40
    bench.work_until(lambda: bench.bodies()[-1]["networks"]["none"]["learning_rate"] == value)
    steps = [began, *[header["step"] for header in bench.headers("frame")[shown:]]]
    assert steps == sorted(steps)
    assert len(set(steps)) > len(steps) / 2
    # Values between two steps become one change, so there are fewer changes than values, but more
    # than one.
    assert len(bench.scheduler.runs["r"].log) > 10


def test_a_replay_replaces_a_drags_value_that_a_later_one_replaced_in_the_log():
    """A checkpoint or a replay at the present step may contain a drag's second-to-last value."""
    ahead, behind = Experiment(SMALL), Experiment(SMALL)
    log = ChangeLog(SMALL.model_dump())
    for experiment in (ahead, behind):
        experiment.step()
    log.add(Change(1, {"learning_rate": 0.5}, 1))
    assert catch_up_to(behind, log, 1, math.inf)
    log.add(Change(1, {"learning_rate": 0.9}, 1))
    restored = Experiment.restore(SMALL, behind.checkpoint())
    assert restored.changes == behind.changes
    ahead.update(drag=1, learning_rate=0.9)
    ahead.step()
    for experiment in (behind, restored):
        assert catch_up_to(experiment, log, 2, math.inf)
        assert experiment.changes == ahead.changes == log
        assert experiment.config == ahead.config
        alike = (encode_body(one.snapshot(()), story={}) for one in (experiment, ahead))
        clocks = rb'"(seconds_per_step|training_seconds)":[^,]*'
        assert len({re.sub(clocks, b"", body) for body in alike}) == 1
