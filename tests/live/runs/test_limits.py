"""Limits on running runs, the queue, owners, viewers and leases."""

from __future__ import annotations

import pytest

from bnviz.live import LimitReached, NoSuchRun
from tests.live.conftest import OWNER, SMALL, STRANGER, LiveHub, until

CAP = 100_000


def owner(number: int) -> str:
    return f"{number:064x}"


@pytest.fixture
def tight(live):
    """Shared hub with small limits on steps, history and idle time."""
    with live.limited(max_steps=400, history_bytes=CAP, idle_seconds=1.0):
        yield live


def test_beyond_capacity_runs_queue_and_then_are_refused(stubs):
    with stubs(max_runs=2, max_queue=1) as live:
        first = [live.hub.start(owner(number), SMALL) for number in (1, 2)]
        watchers = [live.watch(run) for run in first]
        third = live.hub.start(owner(3), SMALL)
        waiting = live.watch(third)
        assert live.info(third).status == "queued"
        assert live.info(third).queue_place == 1
        assert until(lambda: waiting.said("hello"))[0]["queue"] == 1
        with pytest.raises(LimitReached, match="All 2 places are taken") as refused:
            live.hub.start(owner(4), SMALL)
        assert refused.value.limit == "max_runs"
        assert live.hub.registry.queue()[0].id == third
        live.hub.pause(owner(1), first[0])
        watchers[0].leave()
        live.hub.start(owner(1), SMALL, replaces=first[0])
        # The tab's new run replaced the tab's previous run, so the first run in the queue could
        # start.
        assert live.info(third).status == "running"
        waiting.frame_at(0)
        assert live.hub.info(first[0]) is None


def test_an_unwatched_run_makes_room_for_one_that_waits(stubs):
    with stubs(max_runs=1, grace_seconds=0.1) as live:
        first = live.hub.start(owner(1), SMALL)
        until(lambda: live.info(first).status == "paused")
        assert live.info(first).reason == "unwatched"
        second = live.hub.start(owner(2), SMALL)
        assert live.hub.info(first) is None
        live.watch(second).frame_at(0)


def test_who_waits_is_told_when_somebody_before_leaves_the_queue(stubs):
    with stubs(max_runs=1, grace_seconds=0.2) as live:
        live.watch(live.hub.start(owner(1), SMALL))
        leaving = live.watch(live.hub.start(owner(2), SMALL))
        waiting = live.watch(live.hub.start(owner(3), SMALL))
        assert until(lambda: waiting.said("hello"))[0]["queue"] == 2
        leaving.leave()
        until(lambda: [said["queue"] for said in waiting.said("status")][-1:] == [1])


def test_one_browser_starts_only_so_many_runs_in_a_minute(stubs):
    with stubs(starts_per_minute=3) as live:
        for _ in range(3):
            live.hub.start(OWNER, SMALL)
        with pytest.raises(LimitReached, match="at most 3 runs and maps per minute"):
            live.hub.start(OWNER, SMALL)
        live.hub.start(STRANGER, SMALL)


def test_one_browser_keeps_only_so_many_runs_and_loses_unwatched_ones_first(stubs):
    with stubs(runs_per_owner=2) as live:
        first, second = (live.hub.start(OWNER, SMALL, paused=True) for _ in range(2))
        live.watch(second)
        third = live.hub.start(OWNER, SMALL, paused=True)
        assert live.hub.info(first) is None
        live.watch(third)
        with pytest.raises(LimitReached, match="already watches 2 runs"):
            live.hub.start(OWNER, SMALL)


def test_without_a_secret_nothing_starts(stubs):
    with stubs() as live, pytest.raises(LimitReached, match="Cookies are needed"):
        live.hub.start("", SMALL)


def test_only_so_many_viewers_watch_one_run_and_all_runs(stubs):
    with stubs(viewers_per_run=2, max_viewers=3) as live:
        first, second = (live.hub.start(OWNER, SMALL, paused=True) for _ in range(2))
        live.watch(first), live.watch(first)
        with pytest.raises(LimitReached, match="2 viewers already watch this run"):
            live.watch(first)
        live.watch(second)
        with pytest.raises(LimitReached, match="3 viewers are connected already"):
            live.watch(second)


def test_an_unwatched_run_pauses_and_goes_on_when_watched(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    watcher = live.watch(run)
    watcher.frame_at(3)
    watcher.leave()
    until(lambda: live.info(run).status == "paused")
    at = live.info(run).step
    live.watch(run).frame_at(at + 3)
    assert live.info(run).status == "running"


def test_an_unwatched_run_is_reaped_after_its_lease(stubs):
    with stubs(grace_seconds=0.1) as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        watcher.frame_at(0)
        with live.limited(lease_seconds=0.3):
            watcher.leave()
            until(lambda: live.hub.info(run) is None)
        with pytest.raises(NoSuchRun):
            live.watch(run)


def test_a_worker_forgets_the_runs_that_end(live: LiveHub, monkeypatch):
    monkeypatch.setattr("bnviz.live.runs.workers.PING_SECONDS", 0.1)

    def held() -> int:
        return sum(w["runs"] for w in live.call(live.hub.viewers.status)["workers"])

    live.watch(live.hub.start(OWNER, SMALL)).frame_at(1)
    until(lambda: held() == 1)
    live.empty()
    until(lambda: held() == 0)


def test_a_tabs_last_run_ends_soon_after_it_moved_on_but_not_under_its_viewers(stubs):
    with stubs(grace_seconds=0.1) as live:
        first = live.hub.start(OWNER, SMALL)
        student = live.watch(first)
        student.frame_at(0)
        second = live.hub.start(OWNER, SMALL, replaces=first)
        live.watch(second)
        assert until(lambda: student.said("moved_to_run"))[0]["run"] == second
        # Wait until a run without viewers is paused. By then, the first run would have ended if
        # nothing kept it.
        third = live.hub.start(OWNER, SMALL)
        until(lambda: live.info(third).reason == "unwatched")
        assert live.hub.info(first) is not None
        student.leave()
        until(lambda: live.hub.info(first) is None)


def test_nobody_ends_a_strangers_run_by_claiming_it_was_theirs(live: LiveHub):
    theirs = live.hub.start(STRANGER, SMALL, paused=True)
    live.hub.start(OWNER, SMALL, replaces=theirs)
    assert live.hub.registry.runs[theirs].ends_at is None


def test_a_viewer_that_owes_an_acknowledgement_too_long_is_dropped(tight: LiveHub):
    run = tight.hub.start(OWNER, SMALL, paused=True)
    deaf = tight.watch(run, acknowledges=False)
    until(lambda: deaf.viewer.dropped)


def test_a_run_ends_at_the_step_limit(tight: LiveHub):
    run = tight.hub.start(OWNER, SMALL, pace="full")
    watcher = tight.watch(run)
    until(lambda: tight.info(run).status == "finished")
    assert watcher.frame_at(400)["step"] == 400
    tight.hub.play(OWNER, run)
    tight.hub.set_knobs(OWNER, run, learning_rate=0.2)
    assert tight.info(run).status == "finished"


def test_history_stays_under_its_cap_with_the_start_and_the_change_in_it(tight: LiveHub):
    run = tight.hub.start(OWNER, SMALL, pace="fast")
    tight.watch(run)
    tight.reach(run, 30)
    tight.hub.set_knobs(OWNER, run, learning_rate=0.2)
    at = until(lambda: tight.info(run).changes)[0].step
    history = tight.hub.registry.runs[run].history
    tight.hub.set_pace(OWNER, run, "full")
    until(lambda: tight.info(run).step > at + 100 and history.thinned > 3)
    frames, told = tight.call(lambda: ([*history], history.index()))
    kept = [frame.step for frame in frames]
    assert kept[0] == 0
    assert at in kept
    assert [step for _, step in told] == kept
    assert history.size <= CAP
