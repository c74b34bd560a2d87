"""Probes that are measured only while somebody wants them."""

from __future__ import annotations

import json
import math
import os
import signal

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.protocol.client_messages import BadMessage, Want, read
from bnviz.live.settings import Settings
from bnviz.live.web.app_parts import lifespan_of, routes
from bnviz.live.worker.probe_schedule import LONG_SHARE, OPEN_SHARE, ProbeSchedule
from bnviz.probes import PROBES
from tests.live.bench import Bench, same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, serving, until

OPTIONAL = [name for name, entry in PROBES.items() if not entry.page]
SOME = next(name for name in OPTIONAL if PROBES[name].cheap)


def probes_of(frame):
    return set(frame["networks"]["batch"]["measured_at"])


def test_there_are_probes_that_have_to_be_asked_for():
    assert OPTIONAL
    assert not set(OPTIONAL) & {*ProbeSchedule().cheap, *ProbeSchedule().expensive}


def test_a_want_names_probes():
    text = json.dumps({"type": "want", "probes": [SOME, "histogram"]})
    assert read(text, 4096) == Want((SOME, "histogram"))
    assert read('{"type": "want", "probes": []}', 4096) == Want(())


@pytest.mark.parametrize(
    "probes", [None, SOME, ["moon"], [1], [[SOME]], [SOME, SOME], {SOME: 1}, [SOME] * 999, [None]]
)
def test_a_want_of_anything_else_is_answered_with_what_is_allowed(probes):
    with pytest.raises(BadMessage) as problem:
        read(json.dumps({"type": "want", "probes": probes}), 65_536)
    assert problem.value.field == "probes"
    assert SOME in problem.value.allowed


def test_a_wanted_probe_is_in_every_frame_until_nobody_wants_it_any_more():
    bench = Bench()
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


def test_wants_never_change_a_result():
    bench = Bench()
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


def test_a_run_that_stands_still_is_measured_at_once_all_of_it_and_then_rests():
    bench = Bench()
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
    assert bench.scheduler.wait() == math.inf
    assert len(bench.bodies()) == before


def test_what_takes_long_waits_for_somebody_to_look():
    bench = Bench()
    long = next(name for name in ProbeSchedule().expensive)
    bench.scheduler.costs.of(SMALL)[long] = 1.0
    bench.start("r", playing=False, awake=False)
    bench.settle()
    assert long not in probes_of(bench.bodies()[-1])
    bench.tell("r", "control", order=1, playing=False, awake=True, seen=True, pace="watch")
    bench.settle()
    assert long in probes_of(bench.bodies()[-1])


def test_frames_made_again_around_a_change_have_what_is_wanted():
    bench = Bench()
    bench.start("r", wants=[SOME])
    bench.work_until(lambda: bench.step_of("r") >= 60)
    bench.tell("r", "replay", steps=[10, 11])
    bench.work_until(lambda: len(bench.bodies(kind="replayed")) == 2)
    assert all(SOME in probes_of(frame) for frame in bench.bodies(kind="replayed"))


def test_long_probes_keep_to_their_share_of_the_time():
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


def test_wants_of_all_who_watch_go_together_and_leave_with_them():
    with serving(workers=1) as live:
        run = live.hub.start(OWNER, SMALL, paused=True)
        first, second = live.watch(run), live.watch(run)
        held = live.hub.state.runs[run]
        live.call(lambda: live.hub.viewer_api.want(run, first.viewer, [SOME]))
        live.call(lambda: live.hub.viewer_api.want(run, second.viewer, OPTIONAL))
        assert held.wants == tuple(OPTIONAL)
        live.call(lambda: live.hub.viewer_api.want(run, second.viewer, []))
        assert held.wants == (SOME,)
        until(lambda: any(SOME in probes_of(frame) for frame in second.frames()))
        first.leave()
        live._watchers.remove(first)
        assert held.wants == ()


def test_a_run_may_begin_with_wants_and_is_measured_from_step_0():
    with serving(workers=1) as live:
        run = live.hub.start(OWNER, SMALL, asleep=True, wants=[SOME])
        until(lambda: live.hub.state.runs[run].history.newest)
        watcher = live.watch(run)
        assert SOME in probes_of(watcher.frame_at(1))
        frames = live.call(lambda: live.hub.viewer_api.kept(run))
        assert SOME in probes_of(json.loads(frames[0].body))


def test_a_worker_that_takes_over_measures_what_is_wanted():
    with serving(workers=1) as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        live.call(lambda: live.hub.viewer_api.want(run, watcher.viewer, [SOME]))
        watcher.frame_at(2)
        os.kill(live.pids()[0], signal.SIGKILL)
        until(lambda: live.call(live.hub.viewer_api.status)["workers_replaced"])
        seen = len(watcher.frames())
        frame = until(lambda: watcher.frames()[seen + 1 :])[-1]
        assert SOME in probes_of(frame)


def test_a_socket_may_want_and_who_asks_for_nonsense_is_told():
    app = Starlette(routes=routes(""), lifespan=lifespan_of(Settings(workers=1)))
    with TestClient(app) as client:
        run = current_hub().start(OWNER, RunConfig(depth=2, width=8), paused=True)
        with client.websocket_connect(
            f"/live/{run}", headers={"origin": "http://testserver"}
        ) as socket:
            socket.send_json({"type": "want", "probes": ["moon"]})
            socket.send_json({"type": "want", "probes": [SOME]})
            said = []
            while not any(m["type"] == "frame" and SOME in probes_of(m) for m in said):
                said.append(socket.receive_json())
                if said[-1]["type"] == "frame":
                    socket.send_json({"type": "ack", "seq": said[-1]["seq"]})
        (error,) = [message for message in said if message["type"] == "error"]
        assert (error["field"], error["value"]) == ("probes", "moon")
