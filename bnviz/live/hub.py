"""The hub: runs, maps and classes of a server. It is thread-safe, and its methods do not block."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bnviz import device
from bnviz.actions import knobs_in
from bnviz.change_log import ChangeLog
from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig, with_change
from bnviz.live import log
from bnviz.live.classroom.classrooms import Classrooms
from bnviz.live.errors import HubNotRunning, LimitReached, NotYours
from bnviz.live.maps.maps import Maps
from bnviz.live.protocol.pace import PLANNED
from bnviz.live.protocol.server_messages import Message
from bnviz.live.protocol.wire import Header
from bnviz.live.runs import run_messages
from bnviz.live.runs.admission import (
    check_pace,
    check_pin,
    check_plan,
    check_start,
    inherit,
    new_run,
)
from bnviz.live.runs.history import History
from bnviz.live.runs.housekeeping import run_housekeeping
from bnviz.live.runs.live_knobs import confirm, set_knobs
from bnviz.live.runs.parsed_frames import HistoryRecords
from bnviz.live.runs.recovery import recover_runs
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run, RunInfo
from bnviz.live.runs.viewers import Viewers
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.runs.worker_process import Death, WorkerProcess
from bnviz.live.saved.saved_rooms import SavedRooms
from bnviz.live.saved.saved_runs import SavedRuns
from bnviz.live.saved.saved_talks import restore_talks
from bnviz.live.saved.saver import Saver
from bnviz.live.saved.secret import kept_secret
from bnviz.live.settings import Settings
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from bnviz.words.phrase import integer_between


class Hub:
    """Runs, maps and classes of a server. Scripts may call its methods from any thread.

    Methods that control a run raise `NoSuchRun` if it has ended, and `NotYours` if it has another
    owner.

    Attributes:
        registry: all runs and their workers, used with its lock held.
        viewers: interface for WebSockets and routes, used only on the event loop.
        classrooms: open classes, used only on the event loop.
        saver: saved state of the server.
        saved_rooms: saved classes, used only on the event loop.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        folder = Path(settings.state_dir) if settings.state_dir else None
        if folder is not None and not settings.secret:
            settings = dataclasses.replace(settings, secret=kept_secret(folder))
        self.settings = settings
        self.saver = Saver(folder, settings.state_bytes)
        self.registry = RunRegistry(self.settings)
        self._housekeeping: asyncio.Task[None] | None = None
        self.maps = Maps(self.registry)
        self.classrooms = Classrooms(self.settings)
        self.viewers = Viewers(self.registry)
        self._worker_messages = WorkerMessages(self.registry)
        self._saved_runs = SavedRuns(self.registry, self.saver)
        self.registry.save = self._saved_runs.save_run
        self.saved_rooms = SavedRooms(self.classrooms, self.saver)
        self._open = contextlib.ExitStack()

    async def open(self) -> None:
        """Start the workers on the running event loop. Wait for the GPU check only."""
        log.set_up(self.settings.log_level)
        log.event("host", **self.registry.host_facts())
        self._open.enter_context(device.smaller_runs(self.settings.runs_bytes))
        self.registry.open(self.receive, self.recover)
        self.maps.start(self.receive, self.recover)
        await self.registry.wait_for_gpu()
        self._restore()
        others = {
            "maps": self.maps.maintain, "classrooms": self.classrooms.maintain,
            "saved state": self._save,
        }  # fmt: skip
        self._housekeeping = asyncio.create_task(run_housekeeping(self.registry, others))

    def _restore(self) -> None:
        """Read the saved state. The device of a run must be known before."""
        entries = self.saver.open()
        with self.registry.lock:
            self._saved_runs.restore(entries)
        self.saved_rooms.restore(entries, self.settings.ballots_per_room)
        restore_talks(entries, self.saver)
        if entries:
            log.event("state restored", runs=len(self.registry.runs))

    def _save(self, *, all_checkpoints: bool = False) -> None:
        with self.registry.lock:
            self._saved_runs.save(all_checkpoints=all_checkpoints)
        self.saved_rooms.save()

    async def close(self) -> None:
        with log.guarded("last save failed"):
            self._save(all_checkpoints=True)
        if self._housekeeping is not None:
            self._housekeeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._housekeeping
        await asyncio.gather(self.registry.close(), self.maps.close())
        await asyncio.to_thread(self.saver.close)
        self._open.close()

    def receive(self, worker: WorkerProcess, header: Header, payload: bytes) -> None:
        if not self.maps.receive(header):
            self._worker_messages.receive(worker, header, payload)
            if header["type"] == "ready":
                self.maps.maintain()

    def recover(self, death: Death) -> None:
        """Restart the runs and maps of a dead worker on other workers."""
        with self.registry.lock:
            recover_runs(self.registry, death)
            with log.guarded("recovery of stacks failed"):
                self.maps.recover(death)

    # For scripts.

    def start(
        self,
        owner: str,
        config: RunConfig,
        *,
        pace: str | None = None,
        plan: Plan | None = None,
        paused: bool = False,
        replaces: str | None = None,
        back: bool = False,
        changes: Sequence[Change] = (),
        from_step: int | None = None,
        parent: str | None = None,
        asleep: bool = False,
        wants: Sequence[str] = (),
        tab: str = "",
        known: RunConfig | None = None,
        address: str = "",
    ) -> str:
        """Start a run or put it in the queue, and return its id.

        Args:
            owner: secret of the browser that may control the run.
            pace: one of `paces(plan)`; by default "plan" with a plan, otherwise "watch".
            plan: schedule of the run. At any pace the run pauses at the plan's last step. After a
                resume or a change it runs for as many steps again. Planned changes apply after
                `from_step`, and at `from_step` unless they are in `changes`.
            replaces: this owner's run that the same tab showed before; see `leave`.
            changes: live changes to replay up to `from_step`.
            from_step: step to replay to before the first frame; None for 0.
            parent: run whose history up to `from_step` the new run inherits.
            asleep: whether the run takes no step before its first viewer connects.
            wants: extra probes to measure until viewers send their own lists of probes.
            tab: name of the browser tab. Knobs set in this tab go to the new run, even while the
                tab's page still shows the previous run.
            known: config of `replaces` from which the script made `config`. Live knobs of
                `replaces` that have changed since are kept, unless `config` changed them too.
            address: network address of the browser. Addresses share the queue fairly.

        Raises:
            LimitReached: a limit does not allow the run now.
            ConfigError: the pace is unknown, or the plan does not suit the config.
        """
        pace = pace or (PLANNED if plan else "watch")
        check_pace(pace, plan)
        check_plan(plan, config)
        with self.registry.lock:
            if not self.registry.running:
                raise HubNotRunning
            with self._leaving(owner, replaces, back=back):
                check_start(self.registry, owner, config, address)
            if known is not None and (replaced := self.registry.runs.get(replaces or "")):
                config = _with_later_values(config, known, replaced.config)
            run = new_run(
                config, plan, changes=changes, from_step=from_step, parent=parent, wants=wants,
                owner=owner, pace=pace, address=address, playing=not paused, attended=not asleep,
                history=History(self.settings.history_bytes),
            )  # fmt: skip
            inherit(run, self.registry.runs.get(parent or ""))
            self.registry.runs[run.id] = run
            self.registry.counts["runs_started"] += 1
            self.registry.admit()
            self.registry.show(tab, run.id)
            previous = self.registry.runs.get(replaces or "")
            if previous is not None and previous.owner == run.owner:
                # Tell the viewers of the tab's previous run which run the tab shows now.
                moved: Message = {"type": "moved_to_run", "run": run.id}
                self.registry.broadcast(previous, moved)
        log.event("run started", run=run.id, status=run.status, config=config.changed())
        return run.id

    def info(self, run_id: str | None) -> RunInfo | None:
        """Return the state of a run, or None if there is no run with this id."""
        with self.registry.lock:
            run = self.registry.runs.get(run_id or "")
            return None if run is None else RunInfo.of(run, self.registry.queue_place(run))

    def snapshots(self, run_id: str) -> HistoryRecords:
        """Return the measurements of all kept frames. Anyone who knows the run's id may read
        them.
        """
        with self.registry.held(run_id) as run:
            return HistoryRecords(list(run.history))

    def set_knobs(self, owner: str, run_id: str, **values: Any) -> None:
        """Set live knobs or perform actions before the next step. A paused run resumes.

        Raises:
            ConfigError: a knob is not live, or a value is out of range.
        """
        with self._own(owner, run_id) as run:
            if values:
                set_knobs(self.registry, run, values)

    def advance(self, owner: str, run_id: str, step: int) -> None:
        """Jump to a later step. The skipped steps are measured afterwards."""
        with self._own(owner, run_id) as run:
            if run.step < step and run.placement.failure is None:
                passed = run.jump(step)
                self.registry.start_on_worker(run)
                self.registry.send(run, "replay", steps=passed)
                self.registry.broadcast(run, run_messages.unseen(run))

    def play(self, owner: str, run_id: str) -> None:
        with self._own(owner, run_id) as run:
            self.registry.play(run)

    def pause(self, owner: str, run_id: str) -> None:
        with self._own(owner, run_id) as run:
            run.playing = False
            self.registry.send_control(run)

    def step(self, owner: str, run_id: str) -> None:
        with self._own(owner, run_id) as run:
            run.playing = False
            self.registry.send_control(run)
            self.registry.send(run, "step")

    def set_pace(self, owner: str, run_id: str, pace: str) -> None:
        """Set the pace of a run, or raise `ConfigError` if there is no such pace."""
        with self._own(owner, run_id) as run:
            check_pace(pace, run.plan)
            run.pace = pace
            self.registry.send_control(run)

    def reset(self, owner: str, run_id: str) -> None:
        """Restart at step 0 with the same initial weights; see `Run.start_over`."""
        with self._own(owner, run_id) as run:
            # A run without a plan restarts with the values that its worker has not confirmed yet.
            unconfirmed = run.unconfirmed()
            run.start_over()
            self.registry.start_on_worker(run)
            self.registry.broadcast(run, run_messages.hello(run, self.registry.queue_place(run)))
            for pending in unconfirmed:
                now = {name: getattr(run.config, name) for name in knobs_in(pending.values)}
                if now:
                    self.registry.call_soon(confirm, dataclasses.replace(pending, values=now), 0)
                else:  # action that was not performed yet
                    self.registry.call_soon(run_messages.drop_change, pending, "reset")

    def fork(
        self, owner: str, run_id: str, step: int, config: RunConfig | None = None, tab: str = "",
        address: str = "",
    ) -> str:  # fmt: skip
        """Start a run that is identical to another run up to `step`, and return its id.

        Args:
            run_id: id of the other run. Anyone who knows it may fork the run.
            config: live knobs to set at that step, or None to keep the other run's values.

        Raises:
            ConfigError: the other run has not reached that step.
        """
        with self.registry.held(run_id) as parent:
            if not 0 <= step <= parent.step:
                raise ConfigError("step", step, integer_between(0, parent.step))
            changes = ChangeLog(
                parent.initial_config.model_dump(), [c for c in parent.log if c.step <= step]
            )
            now = RunConfig(**changes.now)
            moved = {
                name: getattr(config, name) for name in LIVE_KNOBS
                if config is not None and getattr(config, name) != getattr(now, name)
            }  # fmt: skip
            plan = parent.plan
            if moved:
                # Check the values before the run exists, because a refused request must not leave a
                # run behind.
                _, values = with_change(now, moved)
                changes.add(Change(step, values))
                plan = plan and plan.after_change_by_hand()
            fork_id = self.start(
                owner,
                parent.initial_config,
                pace=parent.pace,
                plan=plan,
                changes=changes,
                from_step=step,
                parent=parent.id,
                address=address,
            )
            self.registry.show(tab, fork_id)
            return fork_id

    def find_best(self, owner: str, run_id: str) -> None:
        """Start a background search for each network's best learning rate; see `info`."""
        with self._own(owner, run_id) as run:
            if run.searching is None and run.placement.failure is None:
                self.registry.search_best_rates(run)

    def pin(self, owner: str, run_id: str) -> None:
        """Keep a run for `pin_seconds` from now, or raise `LimitReached`.

        If the run has no viewers when its lease ends, it gives up its worker. It continues from the
        same step when someone watches it again.
        """
        with self._own(owner, run_id) as run:
            check_pin(self.registry, run)
            run.pinned_until = time.monotonic() + self.settings.pin_seconds
            self.registry.broadcast_status(run)

    def unpin(self, owner: str, run_id: str) -> None:
        """Undo `pin`. A run without viewers ends as soon as its lease is over."""
        with self._own(owner, run_id) as run:
            run.pinned_until = None
            self.registry.broadcast_status(run)

    def pinned(self, owner: str) -> list[RunInfo]:
        """Return the runs that a browser has pinned, in the order of their start."""
        with self.registry.lock:
            place = self.registry.queue_place
            return [RunInfo.of(run, place(run)) for run in self.registry.pinned(owner)]

    def come_back(self, owner: str, run_id: str, tab: str = "") -> None:
        """Undo `leave` for a run that the tab shows again. For `tab`, see `start`."""
        with self.registry.lock:
            run = self.registry.runs.get(run_id)
            if run is not None and run.owner_is(owner):
                run.ends_at = None
            self.registry.show(tab, run_id)

    def leave(self, owner: str, run_id: str | None, *, back: bool = False) -> None:
        """Schedule the end of a run that a tab no longer shows.

        Args:
            owner: secret of the tab's browser. Runs of other owners are left alone.
            run_id: id of the run, or None for no run.
            back: whether the browser's Back button returns to the run. The run then ends after
                `lease_seconds`, otherwise after `grace_seconds`.
        """
        wait = self.settings.lease_seconds if back else self.settings.grace_seconds
        with self.registry.lock:
            previous = self.registry.runs.get(run_id or "")
            if previous is not None and previous.owner == owner:
                previous.ends_at = time.monotonic() + wait

    # Context managers: `_leaving` needs the lock, `_own` takes it.

    @contextlib.contextmanager
    def _leaving(self, owner: str, run_id: str | None, *, back: bool) -> Iterator[None]:
        """Call `leave`, and undo it if the block raises `LimitReached`."""
        previous = self.registry.runs.get(run_id or "")
        before = None if previous is None else previous.ends_at
        self.leave(owner, run_id, back=back)
        try:
            yield
        except LimitReached:
            if previous is not None:
                previous.ends_at = before
            raise

    @contextlib.contextmanager
    def _own(self, owner: str, run_id: str) -> Iterator[Run]:
        """Hold the lock for work on a run. Raise `NotYours` if the run has another owner."""
        with self.registry.held(run_id) as run:
            if not run.owner_is(owner):
                raise NotYours
            yield run


def _with_later_values(config: RunConfig, known: RunConfig, now: RunConfig) -> RunConfig:
    """Add to `config` the live knobs set since `known`, unless `config` changes them itself."""
    for name in LIVE_KNOBS:
        if getattr(now, name) != getattr(known, name) == getattr(config, name):
            # Learning rates per network do not suit a config with other networks.
            with contextlib.suppress(ConfigError):
                config = config.replace(**{name: getattr(now, name)})
    return config
