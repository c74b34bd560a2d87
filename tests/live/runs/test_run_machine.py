"""A run shows the same frames as an undisturbed run with the same log, whatever events occur."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.live.errors import LimitReached
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.protocol.pace import PACES
from bnviz.live.runs.run import Run
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.live.one_process import Tab, one_process
from tests.live.runs.restarts import Restarts
from tests.live.runs.undisturbed import Reference, compared

OWNER = "a" * 64
CONFIG = RunConfig(dataset="spirals", norms=("batch",), depth=1, width=2, batch_size=4)
PLAN = Plan(rates=((99, 30.0),), last_step=40, changes=(
    Change(6, {"learning_rate": 0.02}), Change(11, {"learning_rate": 0.3}),
    Change(16, {"momentum": 0.5}), Change(22, {"learning_rate": 0.02}),
    Change(29, {"learning_rate": 0.3}), Change(36, {"momentum": 0.0}),
))  # fmt: skip
RATES = st.sampled_from((0.05, 0.5, 2.0))
VALUES = st.sampled_from([
    *(("learning_rate", rate) for rate in (0.05, 0.5, 2.0)), ("momentum", 0.5), ("momentum", 0.0),
    ("batch_size", 8), ("learning_rates", (0.2,)), ("learning_rates", None),
])  # fmt: skip
FEW = st.integers(1, 6)
KNOBS = st.lists(VALUES, min_size=1, max_size=2).map(dict)
SCALE = ("scale_weights", [2.0, None])
RESTARTS = ("advance", "reset", "fork", "move", "killed with it", "killed")
ORDERS = ("play", "pause", "step", "reset", "pin", "unpin")
AT_A_STOP = (("play",), ("pause", "play"), ("step",))
MOST_STEPS = 100
SECONDS = st.sampled_from((0.5, 5.0, 25.0))
# Numbers of messages that a worker reads, of slices that it executes, and of its messages that the
# hub reads.
WORK = st.tuples(*map(st.sampled_from, ((0, 1, 2, 99), (0, 1, 2, 5), (0, 1, 3, 99))))
# Transitions that the long test requires in at least 2 % of its examples.
TRANSITIONS = (
    "start", "refused start", "change", "drag", "action", "fork", "changed fork", "advance",
    "pause", "play", "step", "pace", "reset", "pin", "rest", "wake", "leave", "come back",
    "slow viewer", "killed worker", "moved run", "restart",
)  # fmt: skip
# Number of examples with each transition.
HAPPENED: Counter[str] = Counter()
REFERENCE = Reference()


class Runs(Restarts):
    """One owner's runs on two workers, and tabs that watch them."""

    def __init__(self) -> None:
        super().__init__()
        self.names = itertools.count()
        self.given: dict[str, int] = {}
        self.tabs: dict[Tab, str] = {}
        # Step of the first frame of a fork or of a reset run, by run.
        self.begins: dict[str, int] = {}
        self.happened: set[str] = set()

    def teardown(self) -> None:
        try:
            self.all_is_heard()
        finally:
            self.context.__exit__(None, None, None)
        HAPPENED.update(self.happened)

    @property
    def runs(self) -> list[Run]:
        return [*self.hub.registry.runs.values()]

    def chosen(self, number: int) -> Run:
        return self.runs[number % len(self.runs)]

    def a_worker(self, number: int) -> int:
        return number % len(self.workers.all)

    def tab(self, number: int) -> Tab:
        return [*self.tabs][number % len(self.tabs)]

    def shown(self, tab: Tab) -> Run:
        return self.hub.registry.runs[self.tabs[tab]]

    def settle(self) -> None:
        self.loop.run()

    # Starts.

    @initialize(
        workers=st.integers(1, 2), most=st.sampled_from((3, 5)), own=st.integers(3, 5),
        plan=st.booleans(),
    )  # fmt: skip
    def first(self, workers: int, most: int, own: int, plan: bool) -> None:
        self.context = one_process(
            workers=workers, max_runs=most, runs_per_owner=own, starts_per_minute=1_000,
            max_steps=MOST_STEPS,
            checkpoint_seconds=0.1, away_seconds=2, grace_seconds=4, lease_seconds=20,
            idle_seconds=6, pins_per_owner=9,
        )  # fmt: skip
        self.hub, self.workers, self.clock, self.loop = self.context.__enter__()
        self.begin_saving()
        self._start(PLAN if plan else None)
        self.all_work(4)

    @rule(plan=st.booleans(), pace=st.sampled_from(("watch", "full")), times=st.integers(1, 3))
    def start(self, plan: bool, pace: str, times: int) -> None:
        for _ in range(times):
            self._start(PLAN if plan else None, pace)

    def _start(self, plan: Plan | None, pace: str = "full") -> None:
        try:
            run = self.hub.start(OWNER, CONFIG, pace=pace, plan=plan)
        except LimitReached:
            self.happened.add("refused start")
            return
        self.happened.add("start")
        self._open(run)

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, others=st.integers(0, 4))
    def start_in_place_of_another(self, number: int, others: int) -> None:
        """Start a run in place of the tab's run, while the page still shows the tab's old run."""
        tab = self.tab(number)
        run = self.shown(tab)
        for _ in range(others):
            self._start(None)
        may_end = run.ends_at is not None
        try:
            self.hub.start(
                OWNER, run.config, pace="full", replaces=run.id, tab=tab.viewer.tab,
                known=run.config,
            )  # fmt: skip
        except LimitReached:
            self.happened.add("refused start")
            if not may_end:
                self._reload(run)
        self.settle()

    def _reload(self, run: Run) -> None:
        """Close all tabs of a run, and open a new one before the lease ends."""
        for tab in [tab for tab, shown in self.tabs.items() if shown == run.id]:
            self._leave(tab)
        for_another = any(other.placement.state == "queued" for other in self.runs)
        self.the_hub_looks_after_its_runs(5.0)
        assert run in self.runs or for_another, "a run continues while its page is reloaded"
        if run in self.runs:
            self._open(run.id)

    def _open(self, run: str) -> None:
        self.settle()
        if self.hub.registry.runs[run].placement.state == "resting":
            self.happened.add("wake")
        tab = Tab()
        self.hub.viewers.join(run, tab.viewer, OWNER, f"tab {next(self.names)}")
        self.tabs[tab] = run
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(
        number=FEW, rounds=st.integers(0, 3), back=st.integers(0, 15) | st.integers(0, 99),
        rate=st.none() | RATES, further=st.just(0) | st.integers(1, 15),
    )  # fmt: skip
    def fork(self, number: int, rounds: int, back: int, rate: float | None, further: int) -> None:
        """Fork a run that may have checkpoints after the step of the fork."""
        parent = self.chosen(number)
        self.all_work(rounds)
        if (fork := self._fork(parent, back, rate)) is not None and further:
            self._advance(fork, further)

    @rule(rounds=FEW, back=FEW, rate=st.none() | RATES, then=st.sampled_from(RESTARTS))
    def fork_a_new_run(self, rounds: int, back: int, rate: float | None, then: str) -> None:
        """Fork a new run, and then advance or restart the fork."""
        self._start(None)
        parent = self.runs[-1]
        self.all_work(rounds)
        if (fork := self._fork(parent, back, rate)) is not None:
            self._restart(fork, then, 5)
            self.all_is_heard()

    def _fork(self, parent: Run, back: int, rate: float | None) -> Run | None:
        step = max(0, parent.step - back)
        now = RunConfig(**parent.log.up_to(step).now)
        config = None if rate is None else now.replace(learning_rate=rate)
        try:
            fork = self.hub.fork(OWNER, parent.id, step, config)
        except LimitReached:
            self.settle()
            return None
        self.happened.add("fork" if config in (None, now) else "changed fork")
        self.begins[fork] = step
        self._open(fork)
        found = self.hub.registry.runs[fork]
        before = [change for change in parent.log if change.step <= step]
        assert list(found.log)[: len(before)] == before, "a fork has its parent's changes"
        return found

    # Requests.

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, setting=VALUES | st.just(SCALE), of_script=st.none() | KNOBS)
    def turn(self, number: int, setting: tuple[str, Any], of_script: dict[str, Any] | None) -> None:
        tab = self.tab(number)
        self._turn(tab, setting)
        if of_script is not None:
            self.hub.set_knobs(OWNER, self.tabs[tab], **of_script)

    @precondition(lambda self: self.tabs)
    @rule(
        number=FEW, drag=st.integers(1, 2), rates=st.lists(RATES, min_size=2, max_size=4),
        work=WORK,
    )  # fmt: skip
    def drag(self, number: int, drag: int, rates: list[float], work: tuple[int, int, int]) -> None:
        tab = self.tab(number)
        for rate in rates:
            self._turn(tab, ("learning_rate", rate), drag)
            if (worker := self.shown(tab).placement.worker) is not None:
                self._work(worker, *work)

    def _turn(self, tab: Tab, setting: tuple[str, Any], drag: int = 0) -> None:
        name, value = setting
        viewers, n = self.hub.viewers, tab.viewer.last_knob_number + 1
        if setting == SCALE:
            viewers.change(tab.viewer, Act(n=n, action=name, value=value))
            tab.actions.append(n)
            self.happened.add("action")
        else:
            viewers.change(tab.viewer, SetKnob(n=n, knob=name, value=value, drag=drag))
            tab.values.append(n)
            self.happened.add("drag" if drag else "change")
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(
        number=FEW, setting=VALUES | st.just(SCALE), work=WORK, then=st.sampled_from(RESTARTS),
        further=st.integers(1, 15),
    )  # fmt: skip
    def change_and_restart(
        self, number: int, setting: tuple[str, Any], work: tuple[int, int, int], then: str,
        further: int,
    ) -> None:  # fmt: skip
        """Restart a run while a change is in transit between the hub and the worker."""
        tab = self.tab(number)
        self._turn(tab, setting)
        run = self.shown(tab)
        if (worker := run.placement.worker) is not None:
            self._work(worker, *work)
        self._restart(run, then, further)
        self.all_is_heard()

    def _restart(self, run: Run, how: str, further: int) -> None:
        if how == "advance":
            self._advance(run, further)
        elif how == "reset":
            self._order(run, "reset")
        elif how == "fork":
            self._fork(run, 0, None)
        elif how == "move":
            self._move(run)
        elif run.placement.worker is not None:
            self._kill(run.placement.worker, how == "killed with it")

    @precondition(lambda self: self.runs)
    @rule(number=FEW, rate=RATES, rounds=st.integers(1, 9), further=st.integers(1, 2))
    def advance_before_the_last_change(
        self, number: int, rate: float, rounds: int, further: int
    ) -> None:
        """Advance a run whose newest change is the last message that the hub has read."""
        run = self.chosen(number)
        if (worker := run.placement.worker) is None:
            return
        self._work(worker, 99, rounds, 0)
        self.hub.set_knobs(OWNER, run.id, learning_rate=rate)
        self._work(worker, 99, 2, 0)
        changes = len(run.log)
        while self.workers.at(worker).from_it and len(run.log) == changes:
            self._hear(worker)
        self._advance(run, further)

    @precondition(lambda self: self.runs)
    @rule(number=FEW, further=st.integers(1, 15))
    def advance(self, number: int, further: int) -> None:
        self._advance(self.chosen(number), further)

    def _advance(self, run: Run, further: int) -> None:
        self.begins.pop(run.id, None)
        self.hub.advance(OWNER, run.id, run.step + further)
        self.happened.add("advance")
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(
        number=FEW, orders=st.lists(st.sampled_from(ORDERS), min_size=1, max_size=4),
        pace=st.none() | st.sampled_from(PACES), rounds=st.integers(0, 9),
    )  # fmt: skip
    def order(self, number: int, orders: list[str], pace: str | None, rounds: int) -> None:
        """Send orders to a run that may already have stopped by itself."""
        run = self.chosen(number)
        if run.placement.worker is not None:
            self._work(run.placement.worker, 99, rounds, 0)
        for what in orders:
            self._order(run, what)
        if pace is not None:
            self.hub.set_pace(OWNER, run.id, pace)
            self.happened.add("pace")
            self.settle()

    @rule(number=FEW, orders=st.sampled_from(AT_A_STOP))
    def order_as_it_stops(self, number: int, orders: tuple[str, ...]) -> None:
        """Send orders to a stopped run before the hub has read that it stopped by itself."""
        planned = [
            run for run in self.runs
            if run.plan and run.placement.state == "placed" and run.step < PLAN.last_step
        ]  # fmt: skip
        if not planned:
            self._start(PLAN)
            planned = self.runs[-1:]
        run = planned[number % len(planned)]
        if run.placement.worker is None:
            return
        self._order(run, "play")
        worker = self.workers.at(run.placement.worker)
        for _ in range(20):
            self._work(worker.worker_index, 99, 5, 0)
            said = [header for header, _ in worker.from_it if header["run"] == run.id]
            if any(header["type"] == "state" and header["reason"] for header in said):
                break
        for what in orders:
            self._order(run, what)
        self.all_is_heard()

    def _order(self, run: Run, what: str) -> None:
        with contextlib.suppress(LimitReached):
            getattr(self.hub, what)(OWNER, run.id)
            self.happened.add(what)
            if what == "reset":
                self.begins[run.id] = 0
            elif what == "step":
                self.begins.pop(run.id, None)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, orders=st.integers(1, 3))
    def step(self, number: int, orders: int) -> None:
        """Check that each order to step takes exactly one step."""
        tab = self.tab(number)
        self.hub.viewers.hide(tab.viewer, hidden=False)
        run = self.shown(tab)
        self._order(run, "pause")
        self.all_work(8)
        self.all_is_heard()
        placed, step = run.placement.state == "placed", run.step
        for _ in range(orders):
            self._order(run, "step")
        self.all_work(8)
        self.all_is_heard()
        if placed:
            assert run.step == max(step, min(step + orders, MOST_STEPS)), "each order is one step"

    def _leave(self, tab: Tab) -> None:
        del self.tabs[tab]
        self.hub.viewers.leave(tab.viewer)
        self.happened.add("leave")

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, does=st.sampled_from(("sleep", "hide", "show", "close")))
    def a_tab(self, number: int, does: str) -> None:
        tab = self.tab(number)
        if does == "close":
            self._leave(tab)
        elif does == "sleep":
            tab.take(99, answers=False)
            self.the_hub_looks_after_its_runs(25.0)
        else:
            self.hub.viewers.hide(tab.viewer, does == "hide")
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, then=st.sampled_from(("pauses", "ends", "rests", "wakes", *RESTARTS[:4])))
    def nobody_watches(self, number: int, then: str) -> None:
        run = self.chosen(number)
        for tab in [tab for tab, shown in self.tabs.items() if shown == run.id]:
            self._leave(tab)
        if then in ("rests", "wakes"):
            self._order(run, "pin")
        self.the_hub_looks_after_its_runs(25.0 if then in ("ends", "rests", "wakes") else 5.0)
        if run not in self.runs:
            return
        if then == "wakes":
            self._come_back(run)
        elif then in RESTARTS:
            self._restart(run, then, 5)
        self.all_is_heard()

    @precondition(lambda self: self.runs)
    @rule(number=FEW)
    def come_back(self, number: int) -> None:
        self._come_back(self.chosen(number))

    def _come_back(self, run: Run) -> None:
        self.hub.come_back(OWNER, run.id)
        self._open(run.id)
        self.happened.add("come back")

    # What happens.

    @rule(number=FEW, work=WORK)
    def work(self, number: int, work: tuple[int, int, int]) -> None:
        self._work(self.a_worker(number), *work)

    @rule(rounds=st.integers(1, 8))
    def all_work(self, rounds: int) -> None:
        for _ in range(rounds):
            for worker in self.workers.all:
                self._work(worker, 99, 5, 99)

    def _work(self, worker: int, read: int, slices: int, heard: int) -> None:
        self.workers.at(worker).read(read)
        self.workers.at(worker).work(slices)
        for _ in range(min(heard, len(self.workers.at(worker).from_it))):
            self._hear(worker)
        self.settle()

    def _hear(self, worker: int) -> None:
        header, body = self.workers.at(worker).from_it[0]
        run = self.hub.registry.runs.get(header.get("run", ""))
        sender = worker, header.get("generation")
        if run is None or (run.placement.worker, run.placement.generation) != sender:
            self.workers.hear(worker, 1)  # the hub drops this message
            return
        kind, goal = header["type"], run.placement.arrives_at
        self.workers.hear(worker, 1)
        assert kind != "error", header["message"]
        if kind in ("frame", "replayed"):
            self._check(run, header["step"], json.loads(body))
        if kind == "unseen":
            self.begins.pop(run.id, None)
        if kind == "frame":
            assert header["step"] == self.begins.pop(run.id, header["step"]), "where a fork begins"
            shows_start = goal in (None, header["step"]) or not run.frames_wanted
            assert shows_start, "a run that starts shows the step that it starts at"

    def _check(self, run: Run, step: int, frame: dict[str, Any]) -> None:
        """Check that a frame equals the frame of an undisturbed run with the same log."""
        found = compared(frame)
        expected = REFERENCE.measured(run.initial_config, list(run.log), step)
        assert any(found == each for each in expected), (step, list(run.log))

    @rule(number=FEW, blames=st.booleans(), heard=st.integers(0, 20))
    def a_worker_dies(self, number: int, blames: bool, heard: int) -> None:
        self._work(self.a_worker(number), 0, 0, heard)
        self._kill(self.a_worker(number), blames)

    def _kill(self, worker: int, blames: bool) -> None:
        theirs = [run for run in self.runs if run.placement.worker == worker]
        # Blame only a run without deaths: a second death would end the run.
        blamed = [run.id for run in theirs if not run.placement.deaths]
        self.workers.kill(worker, blamed[0] if blamed and blames else None)
        self.happened.add("killed worker")
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW)
    def a_run_moves(self, number: int) -> None:
        self._move(self.chosen(number))

    def _move(self, run: Run) -> None:
        others = self.workers.all.keys() - {run.placement.worker}
        if run.placement.state == "placed" and others:
            with self.hub.registry.lock:
                self.hub.registry.move(run, *others)
            self.happened.add("moved run")
        self.settle()

    @rule(seconds=SECONDS)
    def the_hub_looks_after_its_runs(self, seconds: float) -> None:
        """Advance the clock, and let the hub pause or end unwatched runs and drop slow tabs."""
        self.clock.now += seconds
        rested = [run for run in self.runs if run.placement.state == "resting"]
        self.look_after_runs()
        resting = [run for run in self.runs if run.placement.state == "resting"]
        if any(run not in rested for run in resting):
            self.happened.add("rest")
        assert all(run.status != "running" for run in resting)
        for tab in [tab for tab in self.tabs if tab.viewer.dropped]:
            self.happened.add("slow viewer")
            self._leave(tab)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, most=FEW)
    def a_tab_reads(self, number: int, most: int) -> None:
        self.tab(number).take(most)

    # What holds.

    @invariant()
    def logs_are_in_order_and_have_each_change_once(self) -> None:
        for run in self.runs:
            steps = [change.step for change in run.log]
            assert steps == sorted(steps)
            assert run.placement.failure is None
            planned = len(run.plan.changes) if run.plan else 0
            given = self.given.setdefault(run.id, len(run.log))
            assert len(run.log) <= given + planned + run.changes_made

    @invariant()
    def a_run_that_a_tab_watches_neither_ends_nor_rests(self) -> None:
        for tab, run in self.tabs.items():
            found = self.hub.registry.runs.get(run)
            if not tab.viewer.dropped:
                assert found is not None
                assert found.placement.state != "resting"
                assert tab.viewer.hidden or found.stop_reason != "unwatched"

    @rule()
    def all_is_heard(self) -> None:
        """Deliver all messages, and check that every request has been answered."""
        self.look_after_runs()
        for _ in range(50):
            self.clock.now += 0.2
            self.all_work(1)
            for tab in self.tabs:
                tab.take(99)
            for worker in self.workers.all:
                self._work(worker, 99, 0, 0)
            if not (unanswered := [*self._unanswered()]):
                break
        assert not unanswered, unanswered
        for run in [run for run in self.runs if run.placement.state == "placed"]:
            now = RunConfig(**run.log.now)
            assert {name: getattr(now, name) for name in LIVE_KNOBS} == run.live_knobs()
        self._runs_do_what_their_status_says([r for r in self.runs if r.status != "queued"])

    def _unanswered(self) -> Iterator[str]:
        """Yield descriptions of requests that were neither fulfilled nor refused."""
        placed = [run for run in self.runs if run.placement.state == "placed"]
        queued = [run for run in self.runs if run.placement.state == "queued"]
        if queued and self.hub.registry.has_room(self.hub.registry.queue()[0].size):
            yield "a queued run, and there is room for it"
        yield from (f"changes of {run.id}" for run in placed if run.unconfirmed())
        # Changes of a run without a worker also wait, so they do not count as unanswered.
        waiting = {
            number for run in self.runs if run not in placed
            for pending in run.unconfirmed() for number in pending.set_by.items()
        }  # fmt: skip
        for tab in self.tabs:
            for n in tab.unanswered():
                if (tab.viewer, n) not in waiting:
                    yield f"number {n} of a tab"

    def _runs_do_what_their_status_says(self, runs: list[Run]) -> None:
        before = {run.id: (run.status, run.step, self._goes_to(run)) for run in runs}
        for _ in range(300):  # a run that is out of view gets an eighth of the worker's time
            self.clock.now += 1.5
            self.all_work(1)
            if all((r.status, r.step) != before[r.id][:2] for r in runs if r.status == "running"):
                break
        for run in runs:
            status, step, last = before[run.id]
            if status == "running":
                assert run.status != "running" or run.step > step, "a playing run continues"
            else:
                assert step <= run.step <= max(step, last), "a paused run takes no steps"

    def _goes_to(self, run: Run) -> int:
        worker = run.placement.worker
        return 0 if worker is None else self.workers.at(worker).goes_to(run.id)


@pytest.mark.parametrize("examples", [
    pytest.param(30, marks=pytest.mark.timeout(900)),
    pytest.param(1_500, marks=[pytest.mark.verify, pytest.mark.timeout(7_200)]),
])  # fmt: skip
def test_frames_are_those_of_an_undisturbed_run(examples: int) -> None:
    HAPPENED.clear()
    run_state_machine_as_test(
        Runs, settings=settings(max_examples=examples, stateful_step_count=40)
    )
    # With few examples, some transitions may not occur.
    rare = {name for name in TRANSITIONS if HAPPENED[name] < examples // 50}
    assert not rare or examples < 500, HAPPENED
