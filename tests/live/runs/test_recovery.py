"""Dead or hung workers: which run is blamed, how runs move to another worker, and that no confirmed
change is lost.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager

import pytest

from bnviz.experiment import Experiment
from bnviz.live.runs.history import History
from bnviz.live.runs.placement import DEATHS_WITHIN, NO_CHECKPOINT, Checkpoint, Placement
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.runs.worker_process import WorkerProcess
from bnviz.live.settings import Settings
from bnviz.live.worker.builder import reopen
from bnviz.records import Change
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, PATIENCE, SMALL, LiveHub, until
from tests.live.faults import (
    alive,
    freeze,
    on_one_worker,
    without_acknowledgements,
    worker_of,
)  # fmt: skip

# Code of a worker that shows a run at its current step, but never finishes a step that a user
# requests. A test can therefore act during a step, however slow the machine is.
SAYS = "from bnviz.live.protocol.heartbeat import Heartbeat; beat = Heartbeat.of(sys.argv)"
HEARS = """if header["type"] == "step":
            beat.begin(header["run"])
        if header["type"] == "start":
            at, known = header["catch_up_to"] or 0, {n: header[n] for n in ("run", "generation")}
            say({"type": "frame", "step": at, "breaks": {}, "stuck": False, "behind": False,
                 "origin": 0, "pause_at": 1000, "target": 1000, **known}, b'{"step":%d}' % at)"""


@pytest.fixture
def slow(stubs):
    """Return a function that starts a hub with two workers that never finish a requested step."""

    @contextmanager
    def served(**limits):
        with stubs(SAYS, HEARS, workers=2, **{"hang_seconds": 600.0, **limits}) as live:
            until(live.all_ready)
            yield live

    return served


@pytest.fixture
def live(mortal: LiveHub) -> LiveHub:
    return mortal


def status(live):
    return live.call(live.hub.viewers.status)


def place(live, run: str) -> int:
    return live.hub.registry.runs[run].placement.worker


def deaths(live, run: str) -> int:
    return len(live.hub.registry.runs[run].placement.deaths)


def neighbour_of(live, run: str) -> str:
    """Start another run on the same worker as `run`, and return the id of the other run."""
    for seed in range(1, 9):
        other = live.hub.start(OWNER, SMALL.replace(seed=seed))
        if place(live, other) == place(live, run):
            return other
    raise AssertionError("nobody was placed there")


def notices(watcher) -> list[str]:
    return [notice["key"] for notice in watcher.said("notice")]


def step_for_ever(live, watcher) -> WorkerProcess:
    """Wait until a worker shows the run, start a step that never ends, and return the worker."""
    run, worker = watcher.run, worker_of(live, watcher.run)
    until(lambda: live.hub.registry.runs[run].placement.arrives_at is None and watcher.frames())
    live.hub.step(OWNER, run)
    until(lambda: (current := worker.slice()) is not None and current.run == run)
    return worker


def die_in_a_step(live, watcher) -> None:
    """Kill a run's worker while it works on that run."""
    os.kill(step_for_ever(live, watcher).pid, signal.SIGKILL)


def test_a_hang_is_a_death_the_neighbours_move_at_once_and_the_second_ends_the_run(slow):
    with slow(hang_seconds=1.0) as live:
        culprit = live.hub.start(OWNER, SMALL)
        neighbour = neighbour_of(live, culprit)
        seen, beside = live.watch(culprit), live.watch(neighbour)
        home = place(live, culprit)
        worker = step_for_ever(live, seen)
        until(lambda: not alive(worker.pid))
        until(lambda: place(live, neighbour) != home)
        assert place(live, culprit) == home, "it waits for the replacement"
        assert until(lambda: notices(beside)) == ["worker_replaced"]
        assert until(lambda: notices(seen)) == ["worker_replaced"]

        until(lambda: worker_of(live, culprit) is not worker)
        step_for_ever(live, seen)
        until(lambda: live.info(culprit).status == "error")
        assert until(lambda: notices(seen)[1:]) == ["worker_hung_twice"]
        late = live.watch(culprit)
        assert until(lambda: notices(late)) == ["worker_hung_twice"], (
            "later viewers get the notice, too"
        )
        assert live.info(neighbour).status == "running"
        assert notices(beside) == ["worker_replaced"]
        told = status(live)
        counts = ("worker_hangs", "worker_deaths", "runs_ended_by_deaths", "runs_moved")
        assert [told[name] for name in counts[:3]] == [2, 2, 1]
        assert told[counts[3]] > 0


def test_a_run_whose_worker_died_twice_of_late_is_ended_and_a_reset_gets_no_second_try(slow):
    with slow() as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        # Deaths that happened long ago no longer count.
        live.hub.registry.runs[run].placement.deaths = [time.monotonic() - DEATHS_WITHIN - 1] * 5
        for count in (1, 2):
            die_in_a_step(live, watcher)
            until(lambda count=count: deaths(live, run) == count)
            assert (live.info(run).status == "error") == (count == 2)
        assert until(lambda: notices(watcher)[1:]) == ["worker_died_twice"]
        live.hub.reset(OWNER, run)
        assert live.info(run).status != "error"
        die_in_a_step(live, watcher)
        until(lambda: live.info(run).status == "error")


def test_a_worker_that_dies_in_no_slice_leaves_nobody_to_blame(slow):
    with slow() as live:
        run = live.hub.start(OWNER, SMALL)
        watcher = live.watch(run)
        for _ in range(2):
            worker = worker_of(live, run)
            until(
                lambda: (
                    watcher.frames() and live.hub.registry.runs[run].placement.arrives_at is None
                )
            )
            os.kill(worker.pid, signal.SIGKILL)
            until(lambda worker=worker: worker_of(live, run) is not worker)
        assert deaths(live, run) == 0
        assert live.info(run).status == "running"


def freeze_with_confirmed_changes(live, runs: list[str]) -> list[dict[int, dict]]:
    """Freeze a worker when each of its runs has three confirmed changes that no frame shows yet.

    A fourth change has been sent, but the worker has not received it. Return the confirmed changes.
    """
    for run in runs:
        live.reach(run, 30)
    worker, held = worker_of(live, runs[0]), [live.hub.registry.runs[run] for run in runs]
    with without_acknowledgements(live) as deaf:
        until(lambda: set(runs) <= set(deaf))
        shown = [run.history.newest.step for run in held]
        until(
            lambda: all(
                run.placement.checkpoint.step > step for run, step in zip(held, shown, strict=True)
            )
        )
        freeze(worker)
        for run in runs:
            for change in ({"learning_rate": 0.5}, {"momentum": 0.5}, {"learning_rate": 0.3}):
                live.hub.set_knobs(OWNER, run, **change)
        os.kill(worker.pid, signal.SIGCONT)
        until(lambda: [len(live.info(run).changes) for run in runs] == [3] * len(runs))
        freeze(worker)
        for run in runs:
            live.hub.set_knobs(OWNER, run, batch_size=8)
    found: list[dict[int, dict]] = []
    for run, step in zip(held, shown, strict=True):
        changes: dict[int, dict] = {}
        for change in live.info(run.id).changes:
            changes.setdefault(change.step, {}).update(change.values)
        assert min(changes) > run.history.newest.step == step
        found.append(changes)
    return found


def test_of_confirmed_changes_none_is_lost_with_a_worker_nor_leaks_into_a_fork_or_a_reset(
    live, unmoved
):
    start = lambda: live.hub.start(OWNER, SMALL, pace="fast")  # noqa: E731
    runs = on_one_worker(live, start, start, start)
    with_checkpoint, without, over = runs
    watchers = {run: live.watch(run) for run in runs}
    confirmed = dict(zip(runs, freeze_with_confirmed_changes(live, runs), strict=True))
    live.hub.registry.runs[without].placement.checkpoint = NO_CHECKPOINT
    newest = live.hub.registry.runs[over].history.newest
    seen = {run: len(watcher.frames()) for run, watcher in watchers.items()}
    with live.hub.registry.lock:
        os.kill(worker_of(live, over).pid, signal.SIGKILL)
        # While the worker is dead, a fork contains the changes before its step, and a reset keeps
        # the values of all changes.
        fork = live.hub.fork(OWNER, over, newest.step)
        live.hub.reset(OWNER, over)

    for run in (with_checkpoint, without):
        changes, watcher = confirmed[run], watchers[run]
        at = max(changes)
        until(lambda run=run: len(live.info(run).changes) == 4)
        last = live.info(run).changes[-1]
        assert last.values == {"batch_size": 8}
        assert last.step >= at
        changes.setdefault(last.step, {}).update(last.values)
        since = lambda run=run: watchers[run].frames()[seen[run] :]  # noqa: E731
        until(lambda since=since, last=last: [f for f in since() if f["step"] > last.step + 10])
        assert min(frame["step"] for frame in since()) >= at
        same_as_undisturbed(watcher.frames()[-1], SMALL, changes)
        assert len(live.info(run).changes) == 4

    same_as_undisturbed(live.watch(fork).frame_at(newest.step + 5), SMALL)
    assert live.info(fork).changes == ()
    shown = watchers[over].frames
    until(lambda: [f for f in shown() if f["seq"] > newest.seq and f["step"] >= 5])
    knobs = {"momentum": 0.5, "learning_rate": 0.3, "batch_size": 8}
    same_as_undisturbed(shown()[-1], SMALL.replace(**knobs))
    assert live.info(over).changes == ()


def test_runs_are_spread_anew_when_a_worker_has_nothing_to_do(live):
    runs = {seed: live.hub.start(OWNER, SMALL.replace(seed=seed)) for seed in range(6)}
    crowded = place(live, runs[0])
    for seed, run in list(runs.items()):
        if place(live, run) != crowded:
            with live.hub.registry.lock:
                live.hub.registry.end(live.hub.registry.runs[runs.pop(seed)], "its test is over")
    assert len(runs) == 3
    watchers = {seed: live.watch(run) for seed, run in runs.items()}
    live.hub.set_knobs(OWNER, runs[0], learning_rate=0.4)
    changes = until(lambda: live.info(runs[0]).changes)
    until(lambda: {place(live, run) for run in runs.values()} == {0, 1})
    for seed, run in runs.items():
        frame = watchers[seed].frame_at(live.info(run).step + 5)
        changed = {change.step: change.values for change in changes} if seed == 0 else None
        same_as_undisturbed(frame, SMALL.replace(seed=seed), changed)
        assert len(live.info(run).changes) == (seed == 0)


def test_a_fork_goes_to_the_worker_with_the_least_to_do_with_its_parents_checkpoint(live):
    # The hub itself does not get a checkpoint, because one is due only after a minute of work. The
    # fork waits for the parent's worker, however long that takes.
    with live.limited(checkpoint_seconds=60.0), pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnviz.live.runs.registry.CHECKPOINT_PATIENCE", PATIENCE)
        parent = live.hub.start(OWNER, SMALL, pace="full")
        live.watch(parent)
        live.reach(parent, 400)
        fork = live.hub.fork(OWNER, parent, 270)
        assert place(live, fork) != place(live, parent)
        frame = live.watch(fork).frame_at(272)
        same_as_undisturbed(frame, SMALL)
        at = live.hub.registry.runs[fork].placement.checkpoint.step
        assert 0 < at <= 270
        assert live.hub.registry.runs[parent].placement.checkpoint == NO_CHECKPOINT

    # The parent's worker does not respond, so the fork starts on the other worker without a
    # checkpoint.
    live.hub.pause(OWNER, fork)
    freeze(worker := worker_of(live, parent))
    try:
        orphan = live.hub.fork(OWNER, parent, 150)
        live.hub.set_knobs(OWNER, orphan, learning_rate=0.4)
        frame = live.watch(orphan).frame_at(155)
        same_as_undisturbed(frame, SMALL, {150: {"learning_rate": 0.4}})
    finally:
        os.kill(worker.pid, signal.SIGCONT)


@pytest.mark.parametrize(
    ("generation", "worker", "counts"), [(2, 0, True), (1, 0, False), (2, 1, False)]
)
def test_words_of_an_earlier_start_of_a_run_or_of_another_worker_are_dropped(
    generation, worker, counts
):
    state = RunRegistry(Settings())
    run = state.runs["run"] = Run(
        "run",
        OWNER,
        SMALL,
        SMALL,
        "watch",
        History(2**20),
        Placement(state="placed", worker=0, generation=2),
    )
    said = {"type": "checkpoint", "run": "run", "generation": generation, "step": 7}
    WorkerMessages(state).receive(WorkerProcess(worker, lambda *_: None), said, b"checkpoint")
    assert run.placement.checkpoint == (Checkpoint(7, b"checkpoint") if counts else NO_CHECKPOINT)


def test_a_checkpoint_that_has_seen_changes_that_are_not_in_the_log_is_of_no_use():
    experiment = Experiment(SMALL)
    experiment.step()
    experiment.update(learning_rate=0.9)
    checkpoint, (change,) = experiment.checkpoint(), experiment.changes
    assert reopen(SMALL, checkpoint, [change, Change(7, {"momentum": 0.5})]).step_number == 1
    assert reopen(SMALL, checkpoint, [Change(1, {"learning_rate": 0.8})]).step_number == 0
    assert reopen(SMALL, checkpoint, []).step_number == 0
