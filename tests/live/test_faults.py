"""What happens when something is killed, cut or too slow."""

from __future__ import annotations

import os
import signal
import threading

from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, LiveHub, until
from tests.live.faults import alive, die_in_slice, freeze, worker_of


def test_a_killed_workers_runs_come_back_bit_identically(mortal: LiveHub):
    live = mortal
    runs = {seed: live.hub.start(OWNER, SMALL.replace(seed=seed), pace="fast") for seed in range(3)}
    worker = worker_of(live, runs[0])
    # Two of three share a worker.
    runs = {seed: run for seed, run in runs.items() if worker_of(live, run) is worker}
    assert len(runs) == 2
    watchers = {seed: live.watch(run) for seed, run in runs.items()}
    live.reach(runs[0], 60)
    live.hub.set_knobs(OWNER, runs[0], learning_rate=0.5)
    change = until(lambda: live.info(runs[0]).changes)[0]
    for run in runs.values():
        live.reach(run, change.step + 100)
    before = {seed: live.info(run).step for seed, run in runs.items()}
    measurer = until(lambda: worker.measurer.get("pid"))
    assert alive(measurer)
    seen = {seed: len(watcher.frames()) for seed, watcher in watchers.items()}
    die_in_slice(live, runs[0])
    for seed, run in runs.items():
        live.reach(run, before[seed] + 30)
    assert not alive(worker.pid)
    until(lambda: not alive(measurer))
    blamed = [run for run in runs.values() if live.hub.registry.runs[run].deaths]
    assert blamed == [runs[0]], "the run in whose slice it died, not its neighbour"
    for seed, watcher in watchers.items():
        changes = {change.step: change.values} if seed == 0 else None

        def after(since=seen[seed], step=before[seed], watcher=watcher):
            return [frame for frame in watcher.frames()[since:] if frame["step"] > step]

        same_as_undisturbed(until(after)[-1], SMALL.replace(seed=seed), changes)
        keys = [notice["key"] for notice in watcher.said("notice")]
        assert keys.count("worker_replaced") == 1
        assert live.info(runs[seed]).status == "running"
        numbers = [frame["seq"] for frame in watcher.frames()]
        assert numbers == sorted(set(numbers))
    assert live.call(live.hub.viewers.status)["workers_replaced"] >= 1


def test_a_change_made_while_the_worker_is_away_is_not_lost(mortal: LiveHub):
    live = mortal
    run = live.hub.start(OWNER, SMALL)
    watcher = live.watch(run)
    watcher.frame_at(3)
    os.kill(worker_of(live, run).pid, signal.SIGKILL)
    live.hub.set_knobs(OWNER, run, learning_rate=0.9)
    change = until(lambda: live.info(run).changes)[0]
    frame = watcher.frame_at(change.step + 5)
    assert frame["networks"]["none"]["learning_rate"] == 0.9
    same_as_undisturbed(frame, SMALL, {change.step: change.values})


def test_a_slow_worker_delays_nobody_else(mortal: LiveHub):
    live = mortal
    slow, moving = (live.hub.start(OWNER, SMALL, pace="fast") for _ in range(2))
    for run in (slow, moving):
        live.watch(run).frame_at(2)
    stopped = worker_of(live, slow)
    assert worker_of(live, moving) is not stopped
    freeze(stopped)
    try:
        for _ in range(200):
            live.hub.info(slow)
            live.hub.set_knobs(OWNER, slow, learning_rate=0.1)
        live.reach(moving, live.info(moving).step + 5)
    finally:
        os.kill(stopped.pid, signal.SIGCONT)
    live.reach(slow, live.info(slow).step + 3)


def test_closing_the_hub_leaves_no_worker(stubs):
    with stubs(workers=2) as live:
        live.watch(live.hub.start(OWNER, SMALL)).frame_at(0)
        pids = until(lambda: len(live.pids()) == 2 and live.pids())
    assert not any(alive(pid) for pid in pids)


def test_a_viewer_that_never_acknowledges_gets_two_frames_and_slows_nobody(mortal: LiveHub):
    live = mortal
    run = live.hub.start(OWNER, SMALL, pace="fast")
    deaf = live.watch(run, acknowledges=False)
    brisk = live.watch(run)
    until(lambda: len(brisk.frames()) > 5)
    assert len(deaf.frames()) <= 2
    newest = brisk.frames()[-1]["seq"]
    live.call(lambda: deaf.viewer.acknowledge(deaf.frames()[-1]["seq"]))
    assert until(lambda: deaf.frames()[2:])[0]["seq"] >= newest - 1


def test_scripts_may_call_from_many_threads_at_once(mortal: LiveHub):
    live = mortal
    run = live.hub.start(OWNER, SMALL, paused=True)
    watcher = live.watch(run)
    watcher.frame_at(0)
    problems = []

    def call(seed: int) -> None:
        try:
            for at in range(25):
                live.hub.set_knobs(OWNER, run, learning_rate=0.01 * (seed + 1), momentum=at / 100)
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
