"""Runs with a plan: changes, shown steps, pauses and end, even if a worker dies."""

from __future__ import annotations

import dataclasses
import os
import signal

import numpy as np
import pytest

from bnviz.config import ConfigError
from bnviz.live.errors import NoSuchRun
from bnviz.live.runs.history import History
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.probes import PROBES
from bnviz.records import Change
from bnviz.training.checkpoint import unpack
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OPTIONAL, OWNER, SMALL, until
from tests.live.faults import on_one_worker, worker_of

RAISED, BACK = Change(10, {"learning_rate": 0.8}), Change(20, {"learning_rate": 0.2})
RAISED_AT_5 = Change(5, {"learning_rate": 0.8})
CHANGES = {change.step: change.values for change in (RAISED, BACK)}
# The pace is slow at first, so that every step gets a frame, and then fast.
PLAN = Plan(rates=((4, 30.0), (99, 400.0)), last_step=40, changes=(RAISED, BACK), shown=(10, 25))
PAGE = {name for name, entry in PROBES.items() if entry.default_view}


def planned(live, plan: Plan = PLAN, config=SMALL, **options) -> str:
    return live.hub.start(OWNER, config, plan=plan, **options)


def waits(live, run: str, reason: str = "plan"):
    """Wait until a run is paused for the given reason, and return the run with its newest frame."""
    until(lambda: live.info(run).status == "paused" and live.info(run).reason == reason)
    step = live.info(run).step
    return live.info(run), until(
        lambda: step in live.history_steps(run) and live.history_frame(run, step)
    )


def test_a_run_follows_its_plan_and_waits_at_its_last_step(live):
    run = planned(live)
    watcher = live.watch(run, owner=OWNER)
    info, frame = waits(live, run)
    assert (info.step, info.target, info.pace) == (40, 40, "plan")
    assert info.changes == (RAISED, BACK)
    assert info.config == SMALL.replace(learning_rate=0.2)
    for shown in watcher.frames():
        same_as_undisturbed(shown, SMALL, CHANGES)
    # All steps are close to a change, so steps without a frame are filled in later.
    until(lambda: live.history_steps(run) == list(range(41)))
    assert [change["step"] for change in frame["changes"]] == [10, 20]
    # Viewers receive the plan and the knob values that it sets.
    hello = watcher.said("hello")[0]
    assert (hello["pace"], hello["steps_target"], hello["plan"]["shown"]) == ("plan", 40, [10, 25])
    # Viewers may receive only the newer of two values that are sent at the same time.
    told = lambda: [message["values"]["learning_rate"] for message in watcher.said("knobs")]  # noqa: E731
    until(lambda: told()[-1:] == [0.2])
    assert told() in ([0.8, 0.2], [0.2])
    until(lambda: watcher.said("status")[-1]["reason"] == "plan")

    # Playing the run again takes another 40 steps. A manual change also resumes the run, whatever
    # pace is set.
    live.hub.play(OWNER, run)
    assert waits(live, run)[0].step == until(lambda: live.info(run).step >= 80 and 80)
    live.hub.set_pace(OWNER, run, "full")
    n = watcher.set_knob("momentum", 0.5)
    assert watcher.answer(n)["step"] == 80
    until(lambda: live.info(run).step >= 120)
    info, frame = waits(live, run)
    assert info.step == 120
    same_as_undisturbed(frame, SMALL, {**CHANGES, 80: {"momentum": 0.5}})


def test_what_a_plan_may_not_say_is_refused(live):
    for options, field in (
        ({"plan": dataclasses.replace(PLAN, changes=(Change(1, {"depth": 3}),))}, "depth"),
        ({"plan": dataclasses.replace(PLAN, probes=("nonsense",))}, "probes"),
        ({"plan": dataclasses.replace(PLAN, keep=tuple(range(8)))}, "keep"),
        ({"pace": "plan"}, "pace"),
    ):
        config = SMALL.replace(width=512, depth=4) if field == "keep" else SMALL
        with pytest.raises(ConfigError) as caught:
            live.hub.start(OWNER, config, **options)
        assert caught.value.field == field
    run = live.hub.start(OWNER, SMALL, paused=True)
    with pytest.raises(ConfigError, match="`pace` must be one of 1/s, watch, fast, full"):
        live.hub.set_pace(OWNER, run, "plan")


def test_a_planned_change_that_the_run_does_not_take_is_left_out_and_told(live):
    # The change sets more rates than there are networks.
    wrong = Change(3, {"learning_rates": (0.1, 0.1, 0.1)})
    run = planned(live, Plan(rates=((0, 100.0),), last_step=8, changes=(wrong, RAISED_AT_5)))
    watcher = live.watch(run)
    info, frame = waits(live, run)
    assert info.changes == (RAISED_AT_5,)
    same_as_undisturbed(frame, SMALL, {5: RAISED_AT_5.values})
    until(lambda: watcher.said("notice"))
    assert [notice["key"] for notice in watcher.said("notice")] == ["planned_refused"]
    assert "one rate for each" in watcher.said("notice")[0]["values"]["message"]


def test_a_reset_starts_over_with_what_the_plan_began_with(live):
    run = planned(live, paused=True)
    watcher = live.watch(run)
    live.hub.set_knobs(OWNER, run, momentum=0.7)
    waits(live, run)
    live.hub.reset(OWNER, run)
    before = watcher.frames()[-1]["seq"]
    assert live.info(run).config == SMALL
    assert (live.info(run).status, live.info(run).target) == ("running", 40)
    info, frame = waits(live, run)
    assert (info.step, info.changes) == (40, (RAISED, BACK))
    for shown in [f for f in watcher.frames() if f["seq"] > before] + [frame]:
        same_as_undisturbed(shown, SMALL, CHANGES)


def test_a_fork_has_the_changes_that_are_still_to_come(live):
    run = planned(live)
    live.watch(run)
    waits(live, run)
    for step, made in ((5, ()), (10, (RAISED,)), (15, (RAISED,)), (30, (RAISED, BACK))):
        fork = live.hub.fork(OWNER, run, step)
        assert live.info(fork).changes == made
        live.watch(fork)
        info, frame = waits(live, fork)
        assert (info.step, info.changes) == (40, (RAISED, BACK))
        same_as_undisturbed(frame, SMALL, CHANGES)
    late = live.hub.fork(OWNER, run, 40)
    live.watch(late)
    until(lambda: live.info(late).step >= 80)
    assert waits(live, late)[0].step == 80


def test_what_was_measured_can_be_read_as_records(live):
    plan = dataclasses.replace(PLAN, shown=(10, 20, 30))
    run = planned(live, plan)
    live.watch(run)
    waits(live, run)
    # Steps around a change that have no frame yet may still be filled in.
    records = until(lambda: (r := live.hub.snapshots(run)).steps == live.history_steps(run) and r)
    assert records.steps == [snapshot.step for snapshot in records]
    probes = tuple(PAGE - {"sharpness", "drift"})
    for expected in run_plan(SMALL, plan, probes=probes, every=100):
        (found,) = records.only([expected.step])
        for norm, record in expected.networks.items():
            twin = found.networks[norm]
            for name in ("loss", "test_loss", "test_accuracy", "state", "broke", "learning_rate"):
                assert getattr(twin, name) == getattr(record, name)
            for probe, values in record.probes.items():
                if twin.measured_at.get(probe) == expected.step:
                    for name, value in values.items():
                        np.testing.assert_array_equal(twin.probes[probe][name], value)
            if expected.step in plan.shown:
                assert {twin.measured_at[probe] for probe in record.probes} == {expected.step}
    assert records.only([0, 30, 10_000]).steps == [0, 30]
    with pytest.raises(NoSuchRun):
        live.hub.snapshots("0" * 32)


def test_deaths_do_planned_changes_no_second_time_and_leave_what_was_kept(mortal, unmoved):
    live = mortal
    first, second = Change(30, {"learning_rate": 0.8}), Change(60, {"batch_size": 12})
    slow = Plan(
        rates=((0, 60.0),), last_step=120, changes=(first, second), shown=(30, 60),
        keep=(0, 20, 50, 70), probes=(OPTIONAL[0],),
    )  # fmt: skip
    fast = dataclasses.replace(slow, rates=((0, 1_000.0),))
    yields = dataclasses.replace(PLAN, yields=True)
    changes = {change.step: change.values for change in (first, second)}
    runs = on_one_worker(
        live,
        lambda: planned(live, slow, paused=True),
        lambda: planned(live, fast),
        lambda: planned(live, yields, paused=True),
    )
    watchers = [live.watch(run) for run in runs]
    under_way, waiting, overruled = runs
    # A plan with `yields` stops after a manual change. A reset or a recovery does not resume it.
    live.hub.set_knobs(OWNER, overruled, momentum=0.7)
    info, _ = waits(live, overruled)
    assert [change.values for change in info.changes] == [{"momentum": 0.7}]
    waits(live, waiting)
    # Kill the worker while one run is between two changes of its plan and another run is paused.
    live.hub.play(OWNER, under_way)
    live.reach(under_way, 40)
    live.hub.reset(OWNER, overruled)
    worker = worker_of(live, under_way)
    assert worker is worker_of(live, waiting) is worker_of(live, overruled)
    os.kill(worker.pid, signal.SIGKILL)

    # This run is resumed by a manual change.
    until(lambda: worker_of(live, waiting) is not worker)
    live.hub.set_knobs(OWNER, waiting, momentum=0.5)
    info, frame = waits(live, overruled)
    assert (info.step, info.changes, info.config) == (40, (), SMALL)
    same_as_undisturbed(frame, SMALL, {})
    info, _ = waits(live, under_way)
    assert (info.step, info.changes) == (120, (first, second))
    for frame in [frame for frame in watchers[0].frames() if frame["step"] % 10 == 0]:
        same_as_undisturbed(frame, SMALL, changes)
    assert {30, 60} <= set(live.history_steps(under_way))
    until(lambda: live.info(waiting).step >= 150)
    same_as_undisturbed(watchers[1].frames()[-1], SMALL, {**changes, 120: {"momentum": 0.5}})

    def saved_since(run: str, step: int) -> bytes | None:
        # A worker also saves checkpoints while it catches up. How often it saves depends on the
        # work done, and a fast run does little work. So keep playing a paused run until a
        # checkpoint is saved.
        if live.info(run).status == "paused":
            live.hub.play(OWNER, run)
        saved = live.hub.registry.runs[run].placement.checkpoint
        return saved.data if saved.step > step else None

    for run, step in ((waiting, 120), (under_way, 70)):
        kept = unpack(until(lambda run=run, step=step: saved_since(run, step)))["kept"]
        steps = [[step for step, _ in kept[norm]] for norm in ("none", "batch")]
        assert steps == [[0, 20, 50, 70]] * 2


def test_pinned_frames_stay_while_others_are_thinned():
    history = History(100_000)
    history.pin((13, 501))
    for step in range(600):
        history.add(step, bytes(1_000))
    assert {0, 13, 501, 599} <= {frame.step for frame in history}
    assert history.size <= 100_000
    assert history.thinned
    history.pin(range(600))
    for step in range(600, 700):
        history.add(step, bytes(1_000))
    assert history.size <= 100_000
