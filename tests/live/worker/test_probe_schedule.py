"""Probes that a run measures: those that every page needs, and others on request."""

from __future__ import annotations

from bnviz.live.worker.probe_schedule import LONG_SHARE, OPEN_SHARE, ProbeSchedule
from tests.live.bench import Bench, same_as_undisturbed
from tests.live.conftest import OPTIONAL, SMALL, SOME, probes_of


def test_there_are_probes_that_are_measured_only_where_they_are_wanted():
    assert OPTIONAL
    assert not set(OPTIONAL) & {*ProbeSchedule().cheap, *ProbeSchedule().expensive}


def test_a_wanted_probe_is_in_every_frame_until_nobody_wants_it_any_more(bench: Bench):
    bench.start("r", pace="watch")
    bench.work_until(lambda: bench.step_of("r") >= 2)
    assert not probes_of(bench.bodies()[-1]) & set(OPTIONAL)
    bench.tell("r", "want", probes=[SOME])
    bench.work_until(lambda: SOME in probes_of(bench.bodies()[-1]))
    bench.work_until(lambda: bench.step_of("r") >= 6)
    frame = bench.bodies()[-1]
    assert frame["networks"]["batch"]["measured_at"][SOME] == frame["step"]
    assert any(name.startswith(f"batch.{SOME}.") for name in frame["arrays"])
    bench.tell("r", "want", probes=[])
    at = len(bench.bodies())
    bench.work_until(lambda: len(bench.bodies()) > at)
    assert not probes_of(bench.bodies()[-1]) & set(OPTIONAL)


def test_wants_never_change_a_result(bench: Bench):
    bench.start("r")
    bench.start("s", SMALL.replace(seed=5), wants=OPTIONAL)
    for names in (OPTIONAL, [], OPTIONAL[:1]):
        bench.tell("r", "want", probes=names)
        before = bench.step_of("r")
        bench.work_until(lambda: bench.step_of("r") >= before + 20)  # noqa: B023
    bench.work_until(lambda: bench.step_of("s") >= 40)
    for run, config in (("r", SMALL), ("s", SMALL.replace(seed=5))):
        frame = bench.bodies(run)[-1]
        measured = {**frame, "arrays": {
            name: spec for name, spec in frame["arrays"].items()
            if name.split(".")[1] not in OPTIONAL
        }}  # fmt: skip
        same_as_undisturbed(measured, config)


def test_a_run_that_stands_still_is_measured_completely_and_then_has_no_work(bench: Bench):
    bench.start("r", playing=False)
    bench.settle()
    assert not probes_of(bench.bodies()[-1]) & set(OPTIONAL)
    bench.tell("r", "want", probes=OPTIONAL)
    bench.settle()
    found = {name for frame in bench.bodies() for name in probes_of(frame)}
    assert set(bench.bodies()[-1]["networks"]["batch"]["measured_at"].values()) == {0}
    assert SOME in found
    before = len(bench.bodies())
    bench.tell("r", "want", probes=OPTIONAL)
    bench.settle()
    assert len(bench.bodies()) == before


def test_slow_probes_of_a_run_that_stands_still_are_measured_once_somebody_looks(bench: Bench):
    long = next(name for name in ProbeSchedule().expensive)
    bench.scheduler.costs.of(SMALL)[long] = 1.0
    bench.start("r", playing=False, attended=False)
    bench.settle()
    assert long not in probes_of(bench.bodies()[-1])
    bench.tell(
        "r",
        "control",
        command_number=1,
        playing=False,
        attended=True,
        frames_wanted=True,
        in_view=True,
        pace="watch",
    )
    bench.settle()
    assert long in probes_of(bench.bodies()[-1])


def test_replayed_frames_have_the_wanted_probes(bench: Bench):
    bench.start("r", wants=[SOME])
    bench.work_until(lambda: bench.step_of("r") >= 60)
    bench.tell("r", "replay", steps=[10, 11])
    bench.work_until(lambda: len(bench.bodies(kind="replayed")) == 2)
    assert all(SOME in probes_of(frame) for frame in bench.bodies(kind="replayed"))


def test_slow_probes_keep_to_their_share_of_the_time():
    asked, runs, cost = set(OPTIONAL), 4, 0.2
    measuring = ProbeSchedule(OPTIONAL)
    measuring.costs = dict.fromkeys(measuring.expensive, cost) | {"base": 0.001}
    measuring.accrue(1.0, runs, full_pace=False)
    spent, tick_seconds, ticks = 0.0, 0.05, 4_000
    for tick in range(1, ticks + 1):
        now = tick_seconds * tick
        names = measuring.slow_due(tick, now, standing=False)
        measuring.take_slow(tick, {}, dict.fromkeys(names, cost), now)
        spent += cost * len(names)
    share = spent / (tick_seconds * ticks)
    unasked = len(set(measuring.expensive) - asked)
    assert 0 < share <= (OPEN_SHARE + unasked * LONG_SHARE) / runs * 1.1
