"""Killed and slow workers, a viewer that never acknowledges, and calls from many threads."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from bnviz.live.runs.placement import NO_CHECKPOINT
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, LiveHub, until
from tests.live.faults import alive, die_in_slice, freeze, on_one_worker, worker_of


def test_a_killed_workers_runs_come_back_bit_identically(mortal: LiveHub, unmoved):
    live = mortal

    def start(seed: int, **limits: Any) -> str:
        with live.limited(**limits):
            return live.hub.start(OWNER, SMALL.replace(seed=seed), pace="fast")

    # The first run is changed before the worker dies. The second run's checkpoints are too large to
    # keep, and the run is changed after its worker has died.
    runs = on_one_worker(live, lambda: start(0), lambda: start(1, checkpoint_bytes=10))
    worker = worker_of(live, runs[0])
    watchers = [live.watch(run) for run in runs]
    live.reach(runs[0], 60)
    live.hub.set_knobs(OWNER, runs[0], learning_rate=0.5)
    change = until(lambda: live.info(runs[0]).changes)[0]
    for run in runs:
        live.reach(run, change.step + 100)
    before = [live.info(run).step for run in runs]
    measurer = until(lambda: worker.load["measurer"].get("pid"))
    assert alive(measurer)
    assert live.hub.registry.runs[runs[0]].placement.checkpoint.data
    assert live.hub.registry.runs[runs[1]].placement.checkpoint == NO_CHECKPOINT
    seen = [len(watcher.frames()) for watcher in watchers]
    die_in_slice(live, runs[0])
    live.hub.set_knobs(OWNER, runs[1], learning_rate=0.9)
    for run, step in zip(runs, before, strict=True):
        live.reach(run, step + 30)
    assert not alive(worker.pid)
    until(lambda: not alive(measurer))
    blamed = [run for run in runs if live.hub.registry.runs[run].placement.deaths]
    assert blamed == [runs[0]], "the run in whose slice it died, not its neighbour"
    late = until(lambda: live.info(runs[1]).changes)[0]
    for seed, (changed, rate) in enumerate(((change, 0.5), (late, 0.9))):
        watcher, since = watchers[seed], max(before[seed], changed.step)

        def after(watcher=watcher, seen=seen[seed], since=since):
            return [frame for frame in watcher.frames()[seen:] if frame["step"] > since]

        frame = until(after)[-1]
        assert frame["networks"]["none"]["learning_rate"] == rate
        same_as_undisturbed(frame, SMALL.replace(seed=seed), {changed.step: changed.values})
        keys = [notice["key"] for notice in watcher.said("notice")]
        assert keys.count("worker_replaced") == 1
        assert live.info(runs[seed]).status == "running"
        numbers = [frame["seq"] for frame in watcher.frames()]
        assert numbers == sorted(set(numbers))
    assert live.call(live.hub.viewers.status)["workers_replaced"] >= 1


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
