"""At each step that a plan shows, the run is paused until all probes are measured or a time limit
is reached.
"""

from __future__ import annotations

import pytest

from bnviz.live.protocol.pace import plain_plan
from bnviz.live.worker import run_steps
from bnviz.live.worker.run_steps import MOST_SECONDS, MOST_SECONDS_NEEDED, MeasurementHold
from bnviz.planned_runs.plan import Plan
from bnviz.probes import PROBES
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OPTIONAL, PATIENCE, SMALL

NEEDED = next(name for name in OPTIONAL if not PROBES[name].cheap)
PLAN = Plan(rates=((0, 1_000.0),), last_step=30, shown=(7, 21), probes=(NEEDED,))
PAGE = {name for name, entry in PROBES.items() if entry.default_view} - {"boundary"}


def measured(frame) -> set[str]:
    """Return the probes that were measured at a frame's own step."""
    at = frame["networks"]["batch"]["measured_at"]
    return {name for name, step in at.items() if step == frame["step"]}


@pytest.mark.parametrize("seen", [True, False])
def test_all_wanted_probes_are_measured_at_the_steps_shown_seen_or_not(
    new_bench, monkeypatch, seen
):
    # Give the measuring process as much time as it needs to start.
    monkeypatch.setattr(run_steps, "MOST_SECONDS", PATIENCE)
    monkeypatch.setattr(run_steps, "MOST_SECONDS_NEEDED", PATIENCE)
    bench = new_bench()
    wants = [NEEDED, "weights"]
    bench.start(
        "r", plan=plain_plan(PLAN), pace="plan", frames_wanted=seen, pause_at=30, wants=wants
    )
    bench.settle()
    assert bench.headers("state")[-1]["reason"] == "plan"
    assert bench.scheduler.runs["r"].step == 30
    frames = {frame["step"]: frame for frame in bench.bodies()}
    for step in PLAN.shown:
        same_as_undisturbed(frames[step], SMALL)
        assert PAGE | {NEEDED, "weights"} <= measured(frames[step])


def test_a_run_is_held_for_some_seconds_at_most(new_bench, monkeypatch):
    for name in ("MOST_SECONDS", "MOST_SECONDS_NEEDED"):
        monkeypatch.setattr(run_steps, name, 0.05)
    bench = new_bench()
    monkeypatch.setattr(bench.scheduler.link, "request", lambda *_: None)
    bench.start("r", plan=plain_plan(PLAN), pace="plan", pause_at=30, wants=[NEEDED])
    bench.work_until(lambda: bench.scheduler.runs["r"].step == 30)
    frames = {frame["step"]: frame for frame in bench.bodies()}
    assert set(PLAN.shown) <= set(frames)
    assert NEEDED not in measured(frames[7])


def test_a_run_is_held_the_longest_for_the_probes_that_its_plan_needs():
    held = MeasurementHold((5,), ("cut",))
    assert not held.arrive(4, 0.0)
    assert held.arrive(5, 100.0)
    assert held.ends_at(("sharpness",), 100.1, shown=True) == 100.0 + MOST_SECONDS
    assert held.ends_at(("cut", "sharpness"), 100.1, shown=True) == 100.0 + MOST_SECONDS_NEEDED
    assert held.ends_at((), 100.1, shown=False) > 100.1
    assert held.active
    assert held.ends_at(("sharpness",), 100.0 + MOST_SECONDS, shown=True) < 0
    assert not held.active
    held.arrive(5, 200.0)
    assert held.ends_at((), 200.0, shown=True) < 0


def test_under_a_brief_plan_a_run_waits_for_the_frame_alone(new_bench):
    bench = new_bench()
    brief = Plan(rates=((0, 1_000.0),), last_step=30, shown=(0, 7, 21), brief=True)
    bench.start("r", plan=plain_plan(brief), pace="plan", pause_at=30)
    bench.work_until(lambda: bench.scheduler.runs["r"].step == 30)
    frames = {frame["step"]: frame for frame in bench.bodies()}
    assert set(brief.shown) <= set(frames)
    cheap = {name for name, entry in PROBES.items() if entry.default_view and entry.cheap}
    for step in (7, 21):
        same_as_undisturbed(frames[step], SMALL)
        assert measured(frames[step]) == cheap
