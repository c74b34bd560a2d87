"""What happens when something is killed, cut or too slow."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, serving, until
from tests.live.faults import alive


@pytest.fixture(scope="module")
def workers():
    with serving(workers=1, checkpoint_seconds=0.1, starts_per_minute=999) as live:
        yield live


def test_a_killed_workers_runs_come_back_bit_identically(workers):
    live = workers
    runs = {seed: live.hub.start(OWNER, SMALL.replace(seed=seed), pace="fast") for seed in (0, 1)}
    watchers = {seed: live.watch(run) for seed, run in runs.items()}
    live.reach(runs[0], 60)
    live.hub.change(OWNER, runs[0], learning_rate=0.5)
    change = until(lambda: live.info(runs[0]).changes)[0]
    live.reach(runs[0], change.step + 100)
    live.reach(runs[1], 100)
    (pid,) = live.pids()
    before = {seed: live.info(run).step for seed, run in runs.items()}
    seen = {seed: len(watcher.frames()) for seed, watcher in watchers.items()}
    os.kill(pid, signal.SIGKILL)
    for run, step in zip(runs.values(), before.values(), strict=True):
        live.reach(run, step + 30)
    assert not alive(pid)
    for seed, watcher in watchers.items():
        changes = {change.step: change.values} if seed == 0 else None
        after = [frame for frame in watcher.frames()[seen[seed] :] if frame["step"] > before[seed]]
        same_as_undisturbed(after[-1], SMALL.replace(seed=seed), changes)
        keys = [notice["key"] for notice in watcher.said("notice")]
        assert keys.count("worker_replaced") == 1
        assert live.info(runs[seed]).status == "running"
        numbers = [frame["seq"] for frame in watcher.frames()]
        assert numbers == sorted(set(numbers))
    assert live.call(live.hub.viewer_api.status)["workers_replaced"] >= 1


def test_a_change_made_while_the_worker_is_away_is_not_lost(workers):
    live = workers
    run = live.hub.start(OWNER, SMALL)
    watcher = live.watch(run)
    watcher.frame_at(3)
    os.kill(live.pids()[0], signal.SIGKILL)
    live.hub.change(OWNER, run, learning_rate=0.9)
    change = until(lambda: live.info(run).changes)[0]
    frame = watcher.frame_at(change.step + 5)
    assert frame["networks"]["none"]["learning_rate"] == 0.9
    same_as_undisturbed(frame, SMALL, {change.step: change.values})


def test_a_slow_worker_delays_nobody_else():
    with serving(workers=2) as live:
        first = live.hub.start(OWNER, SMALL)
        second = live.hub.start(OWNER, SMALL)
        live.watch(first).frame_at(2)
        live.watch(second).frame_at(2)
        os.kill(live.pids()[0], signal.SIGSTOP)
        try:
            stopped, moving = sorted(
                (first, second), key=lambda run: live.hub.state.runs[run].worker
            )
            live.reach(moving, live.info(moving).step + 20)
            for _ in range(200):
                live.hub.info(stopped)
                live.hub.change(OWNER, stopped, learning_rate=0.1)
        finally:
            os.kill(live.pids()[0], signal.SIGCONT)
        live.reach(stopped, live.info(stopped).step + 3)


def test_closing_the_hub_leaves_no_worker():
    with serving(workers=2) as live:
        run = live.hub.start(OWNER, SMALL)
        live.watch(run).frame_at(1)
        pids = live.pids()
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


def test_a_viewer_that_never_acknowledges_gets_two_frames_and_slows_nobody(workers):
    live = workers
    run = live.hub.start(OWNER, SMALL, pace="fast")
    deaf = live.watch(run, acknowledges=False)
    brisk = live.watch(run)
    until(lambda: len(brisk.frames()) > 5)
    assert len(deaf.frames()) <= 2
    newest = brisk.frames()[-1]["seq"]
    live.call(lambda: deaf.viewer.acknowledge(deaf.frames()[-1]["seq"]))
    assert until(lambda: deaf.frames()[2:])[0]["seq"] >= newest - 1


def test_scripts_may_call_from_many_threads_at_once(workers):
    live = workers
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    watcher.frame_at(0)
    problems = []

    def call(seed: int) -> None:
        try:
            for at in range(25):
                live.hub.change(OWNER, run, learning_rate=0.01 * (seed + 1), momentum=at / 100)
                live.hub.info(run)
                live.hub.pause(OWNER, run)
                live.hub.play(OWNER, run)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    until(lambda: len(live.info(run).changes) == 150)
    changes: dict[int, dict] = {}
    for change in live.info(run).changes:
        changes.setdefault(change.step, {}).update(change.values)
    live.reach(run, live.info(run).step + 3)
    same_as_undisturbed(watcher.frames()[-1], SMALL, changes)
