"""The hub: runs, maps and classes of a server. Thread-safe; nothing in it blocks."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from bnviz.config import LIVE_KNOBS, ConfigError, RunConfig
from bnviz.live import log
from bnviz.live.classroom.classrooms import Classrooms
from bnviz.live.errors import HubNotRunning, NoSuchRun, NotYours
from bnviz.live.maps.maps import Maps
from bnviz.live.runs import run_messages
from bnviz.live.runs.admission import (
    Admission,
    check_pace,
    check_plan,
    choose_pace,
    inherit,
    new_run,
)
from bnviz.live.runs.history import History
from bnviz.live.runs.housekeeping import Housekeeping
from bnviz.live.runs.kept_frames import KeptRecords
from bnviz.live.runs.live_knobs import LiveKnobs, confirm
from bnviz.live.runs.recovery import recover_runs
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run, RunInfo, info_of
from bnviz.live.runs.viewers import Viewers
from bnviz.live.runs.worker_messages import WorkerMessages
from bnviz.live.settings import Settings
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from bnviz.words.phrase import integer_between


class Hub:
    """Runs, their owners, their viewers, their workers.

    Attributes:
        settings: the limits.
        state: runs and workers, shared by the hub's parts; used under its lock.
        maps: those that are drawn, or are kept.
        classrooms: classes that are asked questions; used on the event loop alone.
        viewer_api: the side of the hub that sockets and routes use, on its event loop.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_environment()
        self.registry = RunRegistry(self.settings)
        self._admission = Admission(self.registry)
        self._upkeep: asyncio.Task[None] | None = None
        self._changes = LiveKnobs(self.registry)
        self.maps = Maps(self.registry, self._admission)
        self.classrooms = Classrooms(self.settings)
        self.viewers = Viewers(self.registry, self._changes)

    async def open(self) -> None:
        """Start the workers, without waiting for them, on the running event loop."""
        log.set_up(self.settings.log_level)
        receive = WorkerMessages(self.registry, self.maps).receive
        self.registry.open(receive, partial(recover_runs, self.registry, self.maps))
        self.maps.start(receive, self.registry.worker_died)
        others = {"maps": self.maps.look_after, "classrooms": self.classrooms.look_after}
        self._upkeep = asyncio.create_task(Housekeeping(self.registry, others).run())

    async def close(self) -> None:
        """End everything."""
        if self._upkeep is not None:
            self._upkeep.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._upkeep
        await asyncio.gather(self.registry.close(), self.maps.close())

    # What scripts ask for.

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
    ) -> str:
        """Start a run, or put it in the queue.

        Args:
            owner: the secret of the browser that may control it.
            config: the knobs at step 0.
            pace: one of `paces(plan)`; None: "plan" where there is one, else "watch".
            plan: what is settled of the run before it starts. It waits at its last step, at any
                pace; played on, or changed, it goes as far again. Of its changes those that come
                after `from_step`, or are not among `changes`, are still to come.
            paused: stay at the first frame.
            replaces: this owner's run that the same tab showed until now; it ends a little later,
                or if `back` leads to it when its lease is over.
            changes: live changes to replay up to `from_step`.
            from_step: the step to get to before anything is shown; None: 0.
            parent: the run whose history up to `from_step` becomes this one's.
            asleep: measure step 0, and take the first step when the first viewer has come.
            wants: probes to measure besides the default ones until viewers say what they want.

        Returns:
            The run's id: 32 hexadecimal digits that only those may know who may watch.

        Raises:
            LimitReached: a limit is reached.
            ConfigError: no such pace, or the plan does not suit the config.
        """
        pace = choose_pace(pace, plan)
        check_plan(plan, config)
        with self.registry.lock:
            if self.registry.workers is None:
                raise HubNotRunning
            self.leave(owner, replaces, back=back)
            self._admission.check(owner)
            run = new_run(
                owner, config, pace, plan, playing=not paused, awake=not asleep, changes=changes,
                from_step=from_step, parent=parent, wants=wants,
                history=History(self.settings.history_bytes),
            )  # fmt: skip
            inherit(run, self.registry.runs.get(parent or ""))
            self.registry.runs[run.id] = run
            self.registry.started_runs += 1
            self.registry.admit()
            self._announce(run, replaces)
        log.event("run started", run=run.id, status=run.status, config=config.changed())
        return run.id

    def info(self, run_id: str | None) -> RunInfo | None:
        """What is known of a run; None if there is none of that id."""
        with self.registry.lock:
            run = self.registry.runs.get(run_id or "")
            return None if run is None else info_of(run, self.registry.queue_place(run))

    def snapshots(self, run_id: str, steps: Iterable[int] | None = None) -> KeptRecords:
        """What was measured in a run, as far as it is kept: NumPy arrays and plain values.

        Nothing is read before it is looked at. What else a verdict needs (changes, breaks, knobs)
        `info` has.

        Args:
            run_id: anybody who knows it may look.
            steps: those whose nearest kept frames are asked for; None: all frames.

        Raises:
            NoSuchRun: the run is over.
        """
        records = KeptRecords(self.viewers.kept(run_id))
        return records if steps is None else records.near(steps)

    def change(self, owner: str, run_id: str, **changes: Any) -> None:
        """Change live knobs before the next step; a paused run goes on.

        Raises:
            ConfigError: a knob may not change while a run is going, or is out of range.
            NotYours, NoSuchRun: see there.
        """
        with self.registry.lock:
            run = self._own(owner, run_id)
            if changes:
                self._changes.set(run, changes)

    def advance(self, owner: str, run_id: str, step: int) -> None:
        """Take all steps up to one at once, if they are still to come; they are measured after."""
        with self.registry.lock:
            run = self._own(owner, run_id)
            if run.step < step and run.error is None:
                passed = run.jump(step)
                self.registry.start_on_worker(run)
                self.registry.send(run, "replay", steps=passed)
                self.registry.tell(run, run_messages.unseen(run))

    def play(self, owner: str, run_id: str) -> None:
        """Go on."""
        with self.registry.lock:
            self.registry.play(self._own(owner, run_id))

    def pause(self, owner: str, run_id: str) -> None:
        """Stop after the present step."""
        with self.registry.lock:
            run = self._own(owner, run_id)
            run.playing = False
            self.registry.send_order(run)

    def step(self, owner: str, run_id: str) -> None:
        """Take one step and stay there."""
        with self.registry.lock:
            run = self._own(owner, run_id)
            run.playing = False
            self.registry.send_order(run)
            self.registry.send(run, "step")

    def set_pace(self, owner: str, run_id: str, pace: str) -> None:
        """Step slower or faster.

        Raises:
            ConfigError: no such pace.
        """
        with self.registry.lock:
            run = self._own(owner, run_id)
            check_pace(pace, run.plan)
            run.pace = pace
            self.registry.send_order(run)

    def reset(self, owner: str, run_id: str) -> None:
        """Start over at step 0: the same initial weights, the knobs as they are now; a run with a
        plan has those that it began with, and goes through its plan again.
        """
        with self.registry.lock:
            run = self._own(owner, run_id)
            # Values on their way are knobs that it starts with, unless a plan says with which.
            unconfirmed = run.unconfirmed()
            run.start_over()
            if run.worker is not None:
                self.registry.start_on_worker(run)
            self.registry.tell(run, run_messages.hello(run, self.registry.queue_place(run)))
            for pending in unconfirmed:
                now = {name: getattr(run.config, name) for name in pending.values}
                self.registry.call_soon(confirm, dataclasses.replace(pending, values=now), 0)

    def fork(self, owner: str, run_id: str, step: int, config: RunConfig | None = None) -> str:
        """The id of a new run that is this one up to a step; anybody who knows it may make it.

        Args:
            owner: of the new run.
            run_id: the run to copy.
            step: up to which.
            config: its live knobs are set from there on; None: as they were at that step.

        Raises:
            NoSuchRun, LimitReached: see there.
            ConfigError: the run has not come to that step.
        """
        with self.registry.lock:
            parent = self._run(run_id)
            if not 0 <= step <= parent.step:
                raise ConfigError("step", step, integer_between(0, parent.step))
            changes = [change for change in parent.log if change.step <= step]
            fork = self.start(
                owner, parent.initial_config, pace=parent.pace, plan=parent.plan, changes=changes,
                from_step=step, parent=parent.id,
            )  # fmt: skip
            now = self.registry.runs[fork].config
            asked = now if config is None else config
            wanted = {name: getattr(asked, name) for name in LIVE_KNOBS
                      if getattr(asked, name) != getattr(now, name)}  # fmt: skip
            if wanted:
                self.change(owner, fork, **wanted)
            return fork

    def find_best(self, owner: str, run_id: str) -> None:
        """Look in spare time for each network's best learning rate; then `info` has it."""
        with self.registry.lock:
            run = self._own(owner, run_id)
            if run.searching is None and run.error is None:
                self.registry.search(run)

    def come_back(self, owner: str, run_id: str) -> None:
        """A tab shows a run again that it had left: it stays. Anybody else's is left alone."""
        with self.registry.lock:
            run = self.registry.runs.get(run_id)
            if run is not None and run.owner_is(owner):
                run.ends_at = None

    def leave(self, owner: str, run_id: str | None, *, back: bool = False) -> None:
        """End a tab's last run a little later, or if Back leads to it when its lease is over."""
        wait = self.settings.lease_seconds if back else self.settings.grace_seconds
        with self.registry.lock:
            left = self.registry.runs.get(run_id or "")
            if left is not None and left.owner == owner:
                left.ends_at = time.monotonic() + wait

    # Inside, with the lock held.

    def _run(self, run_id: str) -> Run:
        run = self.registry.runs.get(run_id)
        if run is None:
            raise NoSuchRun
        return run

    def _own(self, owner: str, run_id: str) -> Run:
        run = self._run(run_id)
        if not run.owner_is(owner):
            raise NotYours
        return run

    def _announce(self, run: Run, replaces: str | None) -> None:
        """Tell who still watches the last run where its tab went."""
        left = self.registry.runs.get(replaces or "")
        if left is not None and left.owner == run.owner:
            self.registry.tell(left, {"type": "moved", "run": run.id})
