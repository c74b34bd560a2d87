"""Combined probe requests of all viewers of a run."""

from __future__ import annotations

import os
import signal

from tests.live.conftest import OPTIONAL, OWNER, SMALL, SOME, LiveHub, probes_of, until
from tests.live.faults import worker_of


def test_wants_of_all_who_watch_go_together_and_leave_with_them(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    first, second = live.watch(run), live.watch(run)
    held = live.hub.registry.runs[run]
    live.call(lambda: live.hub.viewers.want(first.viewer, [SOME]))
    live.call(lambda: live.hub.viewers.want(second.viewer, OPTIONAL))
    assert held.wants == tuple(OPTIONAL)
    live.call(lambda: live.hub.viewers.want(second.viewer, []))
    assert held.wants == (SOME,)
    until(lambda: any(SOME in probes_of(frame) for frame in second.frames()))
    first.leave()
    assert held.wants == ()


def test_a_run_may_begin_with_wants_and_is_measured_from_step_0(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, asleep=True, wants=[SOME])
    until(lambda: live.history_steps(run))
    watcher = live.watch(run)
    assert SOME in probes_of(watcher.frame_at(1))
    assert SOME in probes_of(live.history_frame(run, 0))


def test_a_worker_that_takes_over_measures_what_is_wanted(mortal: LiveHub):
    run = mortal.hub.start(OWNER, SMALL)
    watcher = mortal.watch(run)
    mortal.call(lambda: mortal.hub.viewers.want(watcher.viewer, [SOME]))
    watcher.frame_at(2)
    os.kill(worker_of(mortal, run).pid, signal.SIGKILL)
    until(lambda: watcher.said("notice"))
    seen = len(watcher.frames())
    # Skip the first of these frames, because it may still come from the dead worker.
    until(lambda: any(SOME in probes_of(frame) for frame in watcher.frames()[seen + 1 :]))
