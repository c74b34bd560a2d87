"""Limits: places, the queue, owners, viewers, leases. Each hub has settings of its own."""

from __future__ import annotations

import pytest

from bnviz.live import NoSuchRun, Refused
from tests.live.conftest import OWNER, SMALL, STRANGER, serving, until


def owner(number: int) -> str:
    return f"{number:064x}"


def test_beyond_capacity_runs_queue_and_then_are_refused():
    with serving(max_runs=2, max_queue=1) as live:
        first = [live.hub.start(owner(number), SMALL) for number in (1, 2)]
        watchers = [live.watch(run) for run in first]
        third = live.hub.start(owner(3), SMALL)
        waiting = live.watch(third)
        assert live.info(third).status == "queued"
        assert live.info(third).queue_place == 1
        assert until(lambda: waiting.said("hello"))[0]["queue"] == 1
        with pytest.raises(Refused, match="All 2 places are taken") as refused:
            live.hub.start(owner(4), SMALL)
        assert refused.value.limit == "max_runs"
        assert live.hub.state.queue()[0].id == third
        live.hub.pause(owner(1), first[0])
        watchers[0].leave()
        live._watchers.remove(watchers[0])
        live.hub.start(owner(1), SMALL, replaces=first[0])
        # The tab's last run made room, for the one that waited longest.
        assert live.info(third).status == "running"
        waiting.frame_at(1)
        assert live.hub.info(first[0]) is None


def test_an_unwatched_run_makes_room_for_one_that_waits():
    with serving(max_runs=1, grace_seconds=0.3) as live:
        first = live.hub.start(owner(1), SMALL)
        until(lambda: live.info(first).status == "paused")
        assert live.info(first).reason == "unwatched"
        second = live.hub.start(owner(2), SMALL)
        assert live.hub.info(first) is None
        live.watch(second).frame_at(1)


def test_one_browser_starts_only_so_many_runs_in_a_minute():
    with serving(starts_per_minute=3) as live:
        for _ in range(3):
            live.hub.start(OWNER, SMALL)
        with pytest.raises(Refused, match="At most 3 runs can be started in a minute"):
            live.hub.start(OWNER, SMALL)
        live.hub.start(STRANGER, SMALL)


def test_one_browser_keeps_only_so_many_runs_and_loses_unwatched_ones_first():
    with serving(runs_per_owner=2) as live:
        first, second = (live.hub.start(OWNER, SMALL, paused=True) for _ in range(2))
        live.watch(second)
        third = live.hub.start(OWNER, SMALL, paused=True)
        assert live.hub.info(first) is None
        live.watch(third)
        with pytest.raises(Refused, match="watches 2 runs already"):
            live.hub.start(OWNER, SMALL)


def test_without_a_secret_nothing_starts():
    with serving() as live, pytest.raises(Refused, match="Cookies are needed"):
        live.hub.start("", SMALL)


def test_only_so_many_viewers_watch_one_run_and_all_runs():
    with serving(viewers_per_run=2, max_viewers=3) as live:
        first, second = (live.hub.start(OWNER, SMALL, paused=True) for _ in range(2))
        live.watch(first), live.watch(first)
        with pytest.raises(Refused, match="2 already watch this run"):
            live.watch(first)
        live.watch(second)
        with pytest.raises(Refused, match="3 viewers are connected already"):
            live.watch(second)


def test_an_unwatched_run_pauses_goes_on_when_watched_and_is_reaped_after_its_lease():
    with serving(grace_seconds=0.3, lease_seconds=2.0) as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        watcher.frame_at(3)
        watcher.leave()
        live._watchers.clear()
        until(lambda: live.info(run).status == "paused")
        at = live.info(run).step
        back = live.watch(run)
        back.frame_at(at + 3)
        assert live.info(run).status == "running"
        back.leave()
        live._watchers.clear()
        until(lambda: live.hub.info(run) is None)
        with pytest.raises(NoSuchRun):
            live.watch(run)
        until(lambda: live.call(live.hub.viewer_api.status)["workers"][0]["runs"] == 0)


def test_a_tabs_last_run_ends_soon_after_it_moved_on_but_not_under_its_viewers():
    with serving(grace_seconds=0.3) as live:
        first = live.hub.start(OWNER, SMALL)
        student = live.watch(first)
        student.frame_at(1)
        second = live.hub.start(OWNER, SMALL, replaces=first)
        live.watch(second).frame_at(4)
        assert until(lambda: student.said("moved"))[0]["run"] == second
        assert live.hub.info(first) is not None
        student.leave()
        live._watchers.remove(student)
        until(lambda: live.hub.info(first) is None)


def test_nobody_ends_a_strangers_run_by_claiming_it_was_theirs():
    with serving(grace_seconds=0.2) as live:
        theirs = live.hub.start(STRANGER, SMALL, paused=True)
        live.hub.start(OWNER, SMALL, replaces=theirs)
        assert live.hub.state.runs[theirs].ends_at is None


def test_a_viewer_that_owes_an_acknowledgement_too_long_is_dropped():
    with serving(idle_seconds=1.0) as live:
        run = live.hub.start(OWNER, SMALL)
        deaf = live.watch(run, acknowledges=False)
        until(lambda: deaf.viewer.dropped)


def test_a_run_ends_at_the_step_limit():
    with serving(max_steps=100) as live:
        run = live.hub.start(OWNER, SMALL, pace="full")
        watcher = live.watch(run)
        until(lambda: live.info(run).status == "finished")
        assert watcher.frame_at(100)["step"] == 100
        live.hub.play(OWNER, run)
        live.hub.change(OWNER, run, learning_rate=0.2)
        assert live.info(run).status == "finished"


def test_history_stays_under_its_cap_with_the_start_and_the_change_in_it():
    with serving(history_bytes=100_000) as live:
        run = live.hub.start(OWNER, SMALL, pace="fast")
        live.watch(run)
        live.reach(run, 30)
        live.hub.change(OWNER, run, learning_rate=0.2)
        at = until(lambda: live.info(run).changes)[0].step
        live.reach(run, at + 700)
        kept = live.kept_steps(run)
        assert kept[0] == 0
        assert at in kept
        assert live.hub.state.runs[run].history.size <= 100_000
        told = live.call(lambda: live.hub.viewer_api.index(run))["kept"]
        assert [step for _, step in told][: len(kept)] == kept[: len(told)]


def test_checkpoints_too_large_to_keep_are_done_without():
    with serving(checkpoint_bytes=10, checkpoint_seconds=0.1) as live:
        import os
        import signal

        run = live.hub.start(OWNER, SMALL, pace="fast")
        watcher = live.watch(run)
        live.reach(run, 150)
        assert live.hub.state.runs[run].checkpoint is None
        os.kill(live.pids()[0], signal.SIGKILL)
        watcher.frame_at(live.info(run).step + 50)
