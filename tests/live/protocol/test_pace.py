"""Paces and plans: the time of each step, pauses, and the transfer of a plan to a worker."""

from __future__ import annotations

import orjson
import pytest

from bnviz.live.protocol.pace import (
    PACES,
    WATCH_STEPS,
    Clock,
    plain_plan,
    read_plan,
    steps_per_second,
)
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change


def test_watch_begins_slowly():
    rates = {0: 10, 49: 10, 50: 30, 199: 30, 200: 100, 5_000: 100}
    assert {since: steps_per_second("watch", since) for since in rates} == rates


def test_every_pace_has_a_rate_or_none():
    rates = [steps_per_second(pace, 0) for pace in PACES]
    assert rates[0] == 1.0
    assert rates[-1] is None
    assert all(rate is None or rate > 0 for rate in rates)


def test_a_live_change_slows_the_watch_pace_down():
    clock = Clock()
    assert clock.rate(300) == 100
    clock.changed(300, now=5.0)
    assert clock.rate(300) == 10
    assert clock.rate(349) == 10
    assert clock.rate(350) == 30
    assert clock.every_step(499)
    assert not clock.every_step(500)


def test_watch_pauses_at_1000_and_play_goes_on_for_another_1000():
    clock = Clock()
    assert clock.target(10**6) == WATCH_STEPS
    clock.resume(400, now=0.0)
    assert clock.pause_at == WATCH_STEPS
    clock.resume(1_000, now=0.0)
    assert clock.pause_at == 2_000


def test_a_change_just_before_the_pause_is_not_cut_off():
    clock = Clock()
    clock.changed(150, now=0.0)
    assert clock.pause_at == WATCH_STEPS
    clock.changed(990, now=0.0)
    assert clock.pause_at == 1_990


def test_other_paces_stop_at_the_limit_only():
    assert Clock(pace="full").target(20_000) == 20_000


def test_steps_are_due_at_the_rate_and_missed_ones_are_not_caught_up():
    clock = Clock(due=0.0)
    clock.stepped(1, now=0.0)
    assert clock.due == pytest.approx(0.1)
    clock.stepped(2, now=10.0)
    assert clock.due == pytest.approx(9.9)
    clock.stepped(3, now=10.0)
    assert clock.due >= 9.9


def test_a_drag_slows_the_watch_pace_down_and_hurries_no_step():
    clock = Clock(pace="1/s", due=7.0)
    clock.changed(300, now=5.0)
    assert clock.due == 5.0
    clock.stepped(301, now=5.0)
    for now in (5.1, 5.2, 5.3):
        clock.changed(301, now=now, begins=False)
    assert clock.due == 6.0
    assert clock.origin == 301
    clock.changed(WATCH_STEPS + 5, now=5.4, begins=False)
    assert clock.pause_at > WATCH_STEPS + 5


def test_a_plan_gives_the_rates_and_the_pause_at_any_pace():
    clock = Clock(pace="plan", pause_at=60, plan=Plan(rates=((10, 20.0), (50, 40.0)), last_step=60))
    assert [clock.rate(step) for step in (0, 10, 70)] == [20, 40, 40]
    assert (clock.every_step(9), clock.every_step(10)) == (True, False)
    for pace in ("plan", *PACES):
        clock.pace = pace
        assert clock.target(10**6) == 60
    # A change does not affect the plan's rates or its pause, unless it is made during the pause.
    clock.changed(40, now=0.0, planned=True)
    clock.changed(59, now=0.0)
    assert clock.pause_at == 60
    clock.changed(60, now=0.0)
    assert clock.pause_at == 120


def test_a_plan_that_counts_from_changes_is_slow_after_each_and_not_cut_off():
    plan = Plan(rates=((50, 10.0), (200, 60.0)), last_step=600, from_change=True)
    clock = Clock(pace="plan", pause_at=600, due=7.0, plan=plan)
    clock.changed(100, now=5.0, planned=True)
    assert (clock.rate(149), clock.rate(150), clock.due) == (10, 60, 7.0)
    clock.changed(399, now=5.0)
    assert (clock.rate(400), clock.pause_at, clock.due) == (10, 600, 5.0)
    clock.changed(401, now=5.0)
    assert clock.pause_at == 1_001


def test_a_plan_is_the_same_after_its_way() -> None:
    whole = Plan(
        rates=((10, 5.0), (20, 40.0)), last_step=30, shown=(1, 2), keep=(0,), from_change=True,
        changes=(Change(3, {"learning_rates": (0.1, 1.0)}), Change(4, {"momentum": 0.5})),
        run_up=50.0, probes=("rank",),
    )  # fmt: skip
    short = Plan(rates=((0, 1.0),), last_step=3)
    for plan in (whole, short, None):
        assert read_plan(orjson.loads(orjson.dumps(plain_plan(plan)))) == plan
