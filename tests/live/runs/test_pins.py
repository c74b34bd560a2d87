"""Pinned runs: kept for a day without viewers, paused during that time, and subject to limits."""

from __future__ import annotations

import time

import pytest

from bnviz.config import RunConfig
from bnviz.live import LimitReached, NoSuchRun, NotYours
from bnviz.live import hub as hub_module
from bnviz.live.runs import housekeeping, registry, viewers
from bnviz.live.runs import run as runs_module
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, STRANGER, until

DAY = 86_400.0


class Clock:
    """Stand-in for the hub's `time`: the real clock plus an offset set by the test."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in (housekeeping, registry, viewers, runs_module, hub_module):
        monkeypatch.setattr(module, "time", clock)
    return clock


def left(live, number=0, owner=OWNER, **options):
    """Start a run, pin it, and stop watching it."""
    run = live.hub.start(owner, SMALL, **options)
    watcher = live.watch(run)
    watcher.frame_at(0)
    live.hub.pin(owner, run)
    watcher.leave()
    return run


def test_a_pinned_run_outlives_its_lease_rests_and_is_there_when_watched_again(stubs, clock):
    with stubs(grace_seconds=0.1) as live:
        run = left(live)
        plain = live.hub.start(OWNER, SMALL)
        clock.ahead = 700.0
        until(lambda: live.hub.info(plain) is None)  # its lease has expired
        until(lambda: live.hub.registry.runs[run].placement.state == "resting")
        info = live.info(run)
        assert (info.status, info.reason) == ("paused", "unwatched")
        assert live.hub.registry.runs[run].placement.worker is None
        assert live.hub.registry.queue() == []
        assert DAY - 701 < info.pinned_seconds < DAY - 699
        clock.ahead = 0.9 * DAY
        back = live.watch(run)
        assert back.frame_at(0)["step"] == 0
        (hello,) = back.said("hello")
        assert 0 < hello["pinned"] <= 0.1 * DAY
        assert live.hub.registry.runs[run].placement.worker == 0
        assert live.info(run).status == "running"
        # While a run is watched, the only effect of the end of its pin is a status message to its
        # viewers.
        clock.ahead = 1.1 * DAY
        assert until(lambda: [m for m in back.said("status") if m["pinned"] is None])
        assert live.info(run).pinned_seconds is None
        back.leave()
        clock.ahead += 700
        until(lambda: live.hub.info(run) is None)


def test_a_pin_that_is_over_or_taken_back_ends_a_run_that_nobody_watches(stubs, clock):
    with stubs(grace_seconds=0.1) as live:
        first, second = left(live), left(live)
        clock.ahead = 700.0
        until(lambda: live.hub.registry.runs[second].placement.state == "resting")
        live.hub.unpin(OWNER, first)
        until(lambda: live.hub.info(first) is None)
        assert live.hub.info(second)
        clock.ahead = DAY + 1
        until(lambda: live.hub.info(second) is None)
        with pytest.raises(NoSuchRun):
            live.watch(second)


def test_a_resting_run_goes_on_bit_by_bit_as_if_it_had_never_rested(live, monkeypatch):
    run = live.hub.start(OWNER, SMALL, pace="fast")
    watcher = live.watch(run, owner=OWNER)
    watcher.frame_at(40)
    watcher.set_knob("learning_rate", 0.3)
    change = until(lambda: live.info(run).changes)[0]
    live.reach(run, change.step + 40)
    live.hub.pin(OWNER, run)
    watcher.leave()
    step = live.info(run).step
    with live.hub.registry.lock:
        live.hub.registry.rest(live.hub.registry.runs[run])
    assert live.info(run).status == "paused"
    again = live.watch(run, owner=OWNER)
    frame = again.frame_at(step + 20)
    same_as_undisturbed(frame, SMALL, {change.step: change.values})
    assert live.history_steps(run)[0] == 0, "its earlier frames are available"


def test_another_run_of_the_same_tab_and_others_that_need_room_leave_it_alone(stubs):
    with stubs(max_runs=1, grace_seconds=0.1, runs_per_owner=1) as live:
        run = left(live)
        second = live.hub.start(OWNER, SMALL, replaces=run)
        live.watch(second).frame_at(0)
        assert live.hub.registry.runs[run].placement.state == "resting", "it made room, and is kept"
        with pytest.raises(LimitReached, match="already watches 1 runs"):
            live.hub.start(OWNER, SMALL)
        waiting = live.watch(run)
        assert live.info(run).status == "queued"
        waiting.leave()
        until(lambda: live.info(run).status == "paused")
        assert live.hub.info(second)


def test_only_so_many_are_pinned_by_one_browser_and_in_all(stubs):
    with stubs(pins_per_owner=2, max_pins=3) as live:
        first, second = left(live), left(live)
        # pin the run again, which restarts the time for which it is pinned
        live.hub.pin(OWNER, first)
        third = live.hub.start(OWNER, SMALL)
        with pytest.raises(LimitReached, match="already keeps 2 runs") as refused:
            live.hub.pin(OWNER, third)
        assert refused.value.limit == "pins_per_owner"
        left(live, owner=STRANGER)
        with pytest.raises(LimitReached, match="This server keeps 3 runs") as refused:
            live.hub.pin(STRANGER, live.hub.start(STRANGER, SMALL))
        assert refused.value.limit == "max_pins"
        assert [info.id for info in live.hub.pinned(OWNER)] == [first, second]
        live.hub.unpin(OWNER, second)
        live.hub.pin(OWNER, third)
        assert live.call(live.hub.viewers.status)["runs_pinned"] == 3


def test_their_memory_is_bounded_as_if_their_history_were_full(stubs):
    size = 2**20
    with stubs(history_bytes=size, pinned_bytes=3 * size, pins_per_owner=9) as live:
        left(live), left(live)
        with pytest.raises(LimitReached, match="would need more than 3 MB") as refused:
            left(live)
        assert refused.value.limit == "pinned_bytes"
        large = live.hub.start(STRANGER, RunConfig(depth=6, width=512))
        assert live.hub.registry.pinned_size(live.hub.registry.runs[large]) > 2 * size


def test_nobody_else_pins_it_or_sees_that_a_browser_has(stubs):
    with stubs() as live:
        run = left(live)
        for act in (live.hub.pin, live.hub.unpin):
            with pytest.raises(NotYours):
                act(STRANGER, run)
        assert live.hub.pinned(STRANGER) == []
        assert live.hub.pinned("") == []
        with pytest.raises(NoSuchRun):
            live.hub.pin(OWNER, "0" * 32)


def test_a_restart_of_a_server_that_saves_nothing_ends_it(stubs):
    with stubs() as live:
        run = left(live)
    with stubs() as live:
        assert live.hub.info(run) is None
        assert live.hub.pinned(OWNER) == []
