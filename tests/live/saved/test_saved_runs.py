"""What the hub saves of its runs and classes, and that nothing waits for it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bnviz.config import RunConfig
from bnviz.live.classroom import phone_routes
from bnviz.live.classroom.votes import Vote
from bnviz.live.hub import Hub
from bnviz.live.protocol.client_messages import SetKnob
from bnviz.live.runs import admission, housekeeping, registry, run_messages
from bnviz.live.runs import run as run_module
from bnviz.live.runs.admission import new_run
from bnviz.live.runs.history import History
from bnviz.live.runs.housekeeping import maintain
from bnviz.live.runs.placement import Checkpoint
from bnviz.live.saved import saved_runs
from bnviz.live.saved.saved_runs import CHECKPOINT, RUN
from bnviz.live.saved.state_file import FILE
from bnviz.own_talks.talk_cache import watch_talks
from bnviz.records import Change
from tests.live.conftest import OWNER
from tests.live.one_process import Tab
from tests.live.runs.quiet_hub import QuietHub
from tests.live.saved.test_saver import SlowCommits

pytestmark = pytest.mark.anyio
CONFIG = RunConfig(depth=2, width=16, batch_size=16)
MANY = {"runs_per_owner": 999, "max_runs": 999, "starts_per_minute": 9_999, "workers": 1}


@contextmanager
def saving_hub(folder: Path | str, **settings: Any) -> Iterator[QuietHub]:
    """Yield a hub that has read its saved state, and close its file at the end without a save."""
    hub = QuietHub(state_dir=str(folder), **{**MANY, **settings})
    hub._restore()
    try:
        yield hub
    finally:
        hub.saver.close()
        watch_talks(None)


async def saved(hub: Hub) -> None:
    hub._save()
    await hub.saver.saved()


def started(hub: Hub, **facts: Any) -> str:
    return hub.start(OWNER, CONFIG, pace="full", **facts)


class Clock(SimpleNamespace):
    """Stand-in for the module `time` with a clock that a test can move forward."""

    ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Clock of runs and leases. The event loops of other hubs in this process keep their own."""
    clock = Clock(time=time.time)
    for module in (admission, housekeeping, registry, run_module, saved_runs):
        monkeypatch.setattr(module, "time", clock)
    return clock


async def test_a_reset_run_never_gets_a_checkpoint_from_before_the_reset(tmp_path):
    """Even if its next checkpoint has the same step and comes before the next pass."""
    with saving_hub(tmp_path) as hub:
        run = started(hub)
        hub.hear_frame(run, 100)
        hub.hear(run, "checkpoint", b"old", step=100)
        hub._saved_runs.save(all_checkpoints=True)
        hub.set_knobs(OWNER, run, learning_rate=0.3)
        hub.hear_change(run, 101, number=1, learning_rate=0.3)
        hub.reset(OWNER, run)
        hub.hear(run, "checkpoint", b"new", step=100)
        await saved(hub)
    with saving_hub(tmp_path) as hub:
        assert hub.run(run).initial_config.learning_rate == 0.3
        assert hub.run(run).placement.checkpoint == Checkpoint(100, b"new")
        hub.reset(OWNER, run)
        await saved(hub)
    with saving_hub(tmp_path) as hub:
        assert hub.run(run).placement.checkpoint == Checkpoint(0, b"")
        assert hub.run(run).step == 0


async def test_a_fork_is_restored_without_its_parent(tmp_path):
    with saving_hub(tmp_path) as hub:
        parent = started(hub)
        hub.hear_frame(parent, 100)
        hub.hear(parent, "checkpoint", b"state", step=90)
        fork = hub.fork(OWNER, parent, 95, CONFIG.replace(learning_rate=0.4))
        await saved(hub)
        with hub.registry.lock:
            hub.registry.end(hub.run(parent), "test")
        await saved(hub)
    with saving_hub(tmp_path) as hub:
        assert [*hub.registry.runs] == [fork]
        run = hub.run(fork)
        assert (run.step, run.config.learning_rate) == (95, 0.4)
        assert run.placement.checkpoint == Checkpoint(90, b"state")
        assert [*run.log] == [Change(95, {"learning_rate": 0.4})]


async def test_a_changed_drag_is_saved_with_its_last_value(tmp_path):
    with saving_hub(tmp_path) as hub:
        run = started(hub)
        for step, rate in ((5, 0.1), (9, 0.2), (9, 0.3), (9, 0.4), (12, 0.5)):
            change = {"step": step, "values": {"learning_rate": rate}, "drag": 1}
            hub.hear(run, "changed", number=None, planned=None, change=change, step=step)
            await saved(hub)
        changes = [*hub.run(run).log]
        assert [change.values["learning_rate"] for change in changes] == [0.1, 0.4, 0.5]
    with saving_hub(tmp_path) as hub:
        assert [*hub.run(run).log] == changes


async def test_a_lease_keeps_the_time_that_was_left(tmp_path, clock):
    """Also if nothing else of the run has changed for long, and over several restarts."""
    with saving_hub(tmp_path, lease_seconds=100, pin_seconds=1_000) as hub:
        unwatched, pinned = started(hub), started(hub)
        hub.pin(OWNER, pinned)
        await saved(hub)
        clock.ahead += 60
        await saved(hub)
    clock.ahead += 5_000  # no server runs
    with saving_hub(tmp_path, lease_seconds=100, pin_seconds=1_000) as hub:
        assert 60 <= clock.monotonic() - hub.run(unwatched).last_watched < 90
        assert 910 < hub.run(pinned).pinned_seconds() <= 940
        clock.ahead += 50
        await saved(hub)
    with saving_hub(tmp_path) as hub:
        assert clock.monotonic() - hub.run(unwatched).last_watched >= 110


async def test_a_run_that_was_watched_for_long_waits_for_its_viewers(tmp_path, clock):
    with saving_hub(tmp_path, lease_seconds=100) as hub:
        run = started(hub)
        hub.viewers.join(run, Tab().viewer, OWNER)
        hub.pause(OWNER, run)
        hub.leave(OWNER, run)  # its tab shows another run, but a second tab watches it
        await saved(hub)
        clock.ahead += 1_000
        await saved(hub)
    with saving_hub(tmp_path, lease_seconds=100) as hub:
        maintain(hub.registry)
        clock.ahead += 90
        maintain(hub.registry)
        assert run in hub.registry.runs
        clock.ahead += 20
        maintain(hub.registry)
        assert run not in hub.registry.runs


async def test_the_state_of_a_search_and_a_failure_survive(tmp_path):
    with saving_hub(tmp_path) as hub:
        searching, failed = started(hub), started(hub)
        hub.find_best(OWNER, searching)
        hub.hear(failed, "error", message="Too little memory.", phrase=None)
        await saved(hub)
    with saving_hub(tmp_path) as hub:
        tab = Tab()
        hub.viewers.join(searching, tab.viewer, OWNER)
        await hub.settle()
        sent = [header["type"] for _, header, _ in hub.registry.workers.sent]
        assert sent == ["start", "best"]
        hub.viewers.join(failed, tab.viewer, OWNER)
        assert hub.info(failed).error == "Too little memory."
        hub.reset(OWNER, failed)
        assert hub.info(failed).status == "queued"


async def test_a_run_that_cannot_be_read_is_left_out(tmp_path):
    with saving_hub(tmp_path) as hub:
        good, bad = started(hub), started(hub)
        await saved(hub)
        hub.saver.put({(RUN, bad): b'{"owner": 3}', (CHECKPOINT, "none"): b"1\nx"})
    with saving_hub(tmp_path) as hub:
        assert [*hub.registry.runs] == [good]
    with saving_hub(tmp_path) as hub:
        assert {key for _, key in hub.saver._sizes} == {good, "clock"}


async def test_beyond_the_limit_runs_are_saved_without_checkpoints(tmp_path):
    with saving_hub(tmp_path, state_bytes=50_000) as hub:
        runs = [started(hub) for _ in range(5)]
        for run in runs:
            hub.hear(run, "checkpoint", bytes(15_000), step=50)
        hub._save(all_checkpoints=True)
        kept = [key for kind, key in hub.saver._sizes if kind == CHECKPOINT]
        assert 1 <= len(kept) <= 3
    with saving_hub(tmp_path) as hub:
        assert {*hub.registry.runs} == {*runs}


@pytest.mark.parametrize("count", [
    300, pytest.param(10_000, marks=[pytest.mark.verify, pytest.mark.timeout(3_600)]),
])  # fmt: skip
async def test_bytes_stay_bounded_after_many_runs(tmp_path, count: int):
    most = 2 * 2**20
    with saving_hub(tmp_path, state_bytes=most) as hub:
        for number in range(count):
            run = new_run(
                CONFIG, None, changes=[Change(step, {"learning_rate": 0.1}) for step in range(30)],
                from_step=None, parent=None, wants=(), owner=OWNER, pace="full",
                history=History(65_536),
            )  # fmt: skip
            run.placement.keep(Checkpoint(40, bytes(100_000)))
            with hub.registry.lock:
                hub.registry.runs[run.id] = run
                for ended in [*hub.registry.runs.values()][:-10]:
                    hub.registry.end(ended, "test")
            if number % 10 == 0:
                await saved(hub)
        await saved(hub)
        files = sum(path.stat().st_size for path in tmp_path.iterdir())
        entries = len(hub.saver._sizes)
    assert entries <= 2 * 10 + 3
    assert files <= 4 * most + 8 * 2**20
    assert (tmp_path / FILE).stat().st_size <= 4 * most


async def test_with_no_folder_a_pass_does_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with saving_hub("") as hub:
        started(hub)
        await saved(hub)
        await hub.saved_rooms.confirm()
        assert not hub._saved_runs._saved
        assert not hub.saver._waiting
        assert hub.saver._thread is None
    assert not [*tmp_path.iterdir()]


async def test_no_message_and_no_knob_waits_for_a_commit(tmp_path, monkeypatch):
    """A commit goes on during the whole test. Only a vote waits for it."""
    with saving_hub(tmp_path) as hub:
        run, tab = started(hub), Tab()
        hub.viewers.join(run, tab.viewer, OWNER)
        commits = SlowCommits(hub.saver, monkeypatch)
        hub._save()
        await asyncio.to_thread(commits.began.wait)

        classroom = hub.classrooms.open(OWNER, "192.0.2.1")
        classroom.ask("Which?", ("A", "B"))
        classroom.admit("ballot", "192.0.2.2")
        classroom.vote("ballot", classroom.question.id, 1, Vote(1, None))
        # The vote's own answer, and the page of a phone that is opened again in the meantime.
        monkeypatch.setattr(phone_routes, "current_hub", lambda: hub)
        confirmed = asyncio.gather(
            hub.saved_rooms.confirm(), phone_routes.saved_answer(classroom, "ballot")
        )
        assert await phone_routes.saved_answer(classroom, "other") is None

        hub.viewers.change(tab.viewer, SetKnob(n=1, knob="learning_rate", value=0.3, drag=0))
        hub.hear_change(run, 7, number=1, learning_rate=0.3)
        hub.hear_frame(run, 8)
        hub._save()
        await hub.settle()
        tab.take(99)
        said = {message["type"] for message in tab.heard}
        assert {"hello", "knob", "frame"} <= said
        assert json.loads(json.dumps(hub.saver.status()))["saving"] == "on"
        assert await asyncio.to_thread(lambda: hub.registry.lock.acquire(timeout=60))
        assert not confirmed.done()
        commits.may_end.set()
        assert (await confirmed)[1] == 1
    with saving_hub(tmp_path) as hub:
        assert hub.run(run).config.learning_rate == 0.3
        (classroom,) = hub.classrooms
        assert classroom.question.votes == {"ballot": Vote(1, None)}


@pytest.mark.parametrize("folder", ["state", ""])
async def test_a_stopping_hub_saves_all_and_tells_its_viewers(tmp_path, folder: str):
    with saving_hub(tmp_path / folder if folder else "") as hub:
        run, tab = started(hub), Tab()
        hub.viewers.join(run, tab.viewer, OWNER)
        await saved(hub)
        hub.hear_frame(run, 60)
        hub.hear(run, "checkpoint", b"state", step=60)
        hub._save()  # not due yet
        hub.registry.workers.stop = _nothing
        hub.maps.close = _nothing
        await hub.close()
        assert tab.viewer.finished
    if folder:
        with saving_hub(tmp_path / folder) as hub:
            assert hub.run(run).placement.checkpoint == Checkpoint(60, b"state")
            assert hub.run(run).step == 60


async def _nothing() -> None: ...


@pytest.mark.verify
async def test_a_pass_costs_at_most_5_ms_of_a_processor_with_48_runs(tmp_path, monkeypatch):
    """Each run has 2,000 changes, ten are dragged, and all send checkpoints of 0.5 MB."""
    with saving_hub(tmp_path) as hub:
        monkeypatch.setattr(saved_runs, "CHECKPOINT_SECONDS", 3.0)
        changes = [Change(step, {"learning_rate": 0.1}, drag=step) for step in range(1, 2_001)]
        for _ in range(48):
            run = new_run(
                CONFIG, None, changes=changes, from_step=2_000, parent=None, wants=(), owner=OWNER,
                pace="full", history=History(2**23),
            )  # fmt: skip
            hub.registry.runs[run.id] = run
        await saved(hub)
        runs, costs = [*hub.registry.runs.values()], []
        for number in range(60):
            for run in runs[:10]:
                run.log.add(Change(2_001 + number, {"learning_rate": 0.2}))
            for run in runs[number % 6 :: 6]:
                run.placement.keep(Checkpoint(2_000 + number, bytes(500_000)))
            began = time.thread_time()
            hub._save()
            costs.append(time.thread_time() - began)
            await hub.saver.saved()
    assert sum(costs) / len(costs) <= 0.005, costs


async def test_a_change_is_saved_at_once_and_made_after_the_restart_if_no_worker_has_confirmed_it(
    tmp_path: Path,
):
    with saving_hub(tmp_path) as hub:
        run = started(hub)
        await saved(hub)
        hub.set_knobs(OWNER, run, learning_rate=1.0, scale_weights=(2.0, None))
        await hub.saver.saved()
    with saving_hub(tmp_path) as hub:
        (pending,) = hub.run(run).pending.values()
        assert pending.values == {"learning_rate": 1.0, "scale_weights": (2.0, None)}
        assert hub.info(run).config.learning_rate == 1.0
        # The page must not take the new rate for that of the first steps.
        said = run_messages.hello(hub.run(run), None)
        assert (said["changes"], said["initial"]["learning_rate"]) == ([], CONFIG.learning_rate)
        assert said["knobs"]["values"]["learning_rate"] == 1.0
