"""A run shows the frames of an undisturbed run with the same log, whatever happens to it."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from bnviz.config import LIVE_KNOBS, RunConfig
from bnviz.experiment import Experiment
from bnviz.live.errors import LimitReached
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.protocol.frames import encode_body
from bnviz.live.protocol.pace import PACES
from bnviz.live.runs.housekeeping import Housekeeping
from bnviz.live.runs.run import Run
from bnviz.live.runs.viewer import ANSWERING
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.live.one_process import Tab, one_process

OWNER = "a" * 64
CONFIG = RunConfig(dataset="spirals", norms=("batch",), depth=1, width=2, batch_size=4)
PLAN = Plan(rates=((99, 30.0),), last_step=40, changes=(Change(6, {"learning_rate": 0.02}),))
RATES = st.sampled_from((0.05, 0.5, 2.0))
VALUES = st.sampled_from([
    *(("learning_rate", rate) for rate in (0.05, 0.5, 2.0)), ("momentum", 0.5), ("momentum", 0.0),
    ("batch_size", 8), ("learning_rates", (0.2,)), ("learning_rates", None),
])  # fmt: skip
FEW = st.integers(1, 6)
# The fields of a frame that are compared.
MEASURED = ("loss", "test_loss", "test_accuracy", "state")


class Reference:
    """What undisturbed runs measure, by step."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        self._going: dict[str, tuple[Experiment, int]] = {}

    def measured(self, config: RunConfig, log: list[Change], step: int) -> Iterator[dict[str, Any]]:
        """Yield the networks at a step, before and after each change of that step."""
        before = [change for change in log if change.step < step]
        at_once = [change for change in log if change.step == step]
        for count in range(len(at_once) + 1):
            made = [*before, *at_once[:count]]
            key = repr((config, step, made))
            if key not in self._known:
                self._known[key] = self._run(config, made, step)
            yield self._known[key]

    def _run(self, config: RunConfig, changes: list[Change], step: int) -> dict[str, Any]:
        experiment, made = self._going.pop(repr(config), (Experiment(config), 0))
        missed = [change for change in changes[made:] if change.step < experiment.step_number]
        if experiment.step_number > step or missed or experiment.changes != changes[:made]:
            experiment, made = Experiment(config), 0
        while True:
            while made < len(changes) and changes[made].step == experiment.step_number:
                experiment.update(drag=changes[made].drag, **changes[made].values)
                made += 1
            if experiment.step_number == step:
                break
            experiment.step()
        self._going[repr(config)] = experiment, len(experiment.changes)
        return compared(json.loads(encode_body(experiment.snapshot(()))))


def compared(body: dict[str, Any]) -> dict[str, Any]:
    """The part of a frame that is compared."""
    return {
        norm: {name: found[name] for name in MEASURED} for norm, found in body["networks"].items()
    }  # fmt: skip


REFERENCE = Reference()


class Runs(RuleBasedStateMachine):
    """One owner's runs on two workers, and tabs that watch them."""

    def __init__(self) -> None:
        super().__init__()
        self._context = one_process(
            workers=2, max_runs=3, runs_per_owner=4, starts_per_minute=1_000, max_steps=100,
            checkpoint_seconds=0.1, away_seconds=2, grace_seconds=4, lease_seconds=20,
        )  # fmt: skip
        self.hub, self.workers, self.clock, self.loop = self._context.__enter__()
        self.housekeeping = Housekeeping(self.hub.registry, {})
        self.names = itertools.count()
        self.given: dict[str, int] = {}
        self.tabs: dict[Tab, str] = {}
        self.sent: dict[Tab, list[int]] = {}
        self.checked = 0

    def teardown(self) -> None:
        try:
            self.every_number_ends()
        finally:
            self._context.__exit__(None, None, None)

    def every_number_ends(self) -> None:
        """Once all is heard, what a tab sent was answered by its number, or by a later value's; and
        a run has the values that were set last.
        """
        for _ in range(10):
            self.clock.now += 0.2
            self.all_work(2)
            for tab in self.tabs:
                tab.take(99)
        for run in self.runs:
            if run.placement.state == "placed":
                assert not run.unconfirmed()
                now = RunConfig(**run.log.now)
                assert {name: getattr(now, name) for name in LIVE_KNOBS} == run.live_knobs()
        for tab, run in self.tabs.items():
            found = self.hub.registry.runs[run]
            shown = self.hub.registry.shown_by(tab.viewer.tab, found)
            if {found.placement.state, shown.placement.state} != {"placed"}:
                continue  # the change waits with the run
            last = max((said["n"] for said in tab.heard if said["type"] == "knob"), default=-1)
            alone = {said["n"] for said in tab.heard if said["type"] in ANSWERING and "n" in said}
            assert [n for n in self.sent[tab] if n > last and n not in alone] == []
            answers = [said["n"] for said in tab.heard if "n" in said]
            assert len(set(answers)) == len(answers), "each number is answered once"

    # Who is there.

    @property
    def runs(self) -> list[Run]:
        return [*self.hub.registry.runs.values()]

    def chosen(self, number: int) -> Run:
        return self.runs[number % len(self.runs)]

    def settle(self) -> None:
        self.loop.run()

    # Starts.

    @initialize(plan=st.booleans())
    def first(self, plan: bool) -> None:
        self._start(PLAN if plan else None)
        self.all_work(4)

    @rule(plan=st.booleans(), pace=st.sampled_from(("watch", "full")))
    def start(self, plan: bool, pace: str) -> None:
        self._start(PLAN if plan else None, pace)

    def _start(self, plan: Plan | None, pace: str = "full") -> None:
        try:
            run = self.hub.start(OWNER, CONFIG, pace=pace, plan=plan)
        except LimitReached:
            return
        self._open(run)

    @precondition(lambda self: self.tabs)
    @rule(number=FEW)
    def start_in_place_of_another(self, number: int) -> None:
        """The page of the tab goes on showing the run before."""
        tab = [*self.tabs][number % len(self.tabs)]
        config = self.hub.registry.runs[self.tabs[tab]].config
        with contextlib.suppress(LimitReached):
            self.hub.start(
                OWNER, config, pace="full", replaces=self.tabs[tab], tab=tab.viewer.tab,
                known=config,
            )  # fmt: skip
        self.settle()

    def _open(self, run: str) -> None:
        self.settle()
        tab = Tab()
        self.hub.viewers.join(run, tab.viewer, OWNER, f"tab {next(self.names)}")
        self.tabs[tab], self.sent[tab] = run, []
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, share=st.floats(0, 1), rate=st.none() | RATES)
    def fork(self, number: int, share: float, rate: float | None) -> None:
        parent = self.chosen(number)
        step = int(share * parent.step)
        now = RunConfig(**parent.log.until(step).now)
        config = None if rate is None else now.replace(learning_rate=rate)
        try:
            self._open(self.hub.fork(OWNER, parent.id, step, config))
        except LimitReached:
            self.settle()

    # What is asked for.

    @precondition(lambda self: self.runs)
    @rule(number=FEW, values=st.lists(VALUES, min_size=1, max_size=2).map(dict))
    def set_knobs(self, number: int, values: dict[str, Any]) -> None:
        self.hub.set_knobs(OWNER, self.chosen(number).id, **values)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, setting=VALUES, drag=st.integers(0, 2))
    def turn(self, number: int, setting: tuple[str, Any], drag: int) -> None:
        tab = [*self.tabs][number % len(self.tabs)]
        knob, value = setting
        said = SetKnob(n=tab.viewer.last_knob_number + 1, knob=knob, value=value, drag=drag)
        self.hub.viewers.set_knob(self.tabs[tab], tab.viewer, said)
        self.sent[tab].append(said.n)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, setting=VALUES, read=st.integers(0, 9))
    def turn_and_start_over(self, number: int, setting: tuple[str, Any], read: int) -> None:
        self.turn(number, setting, 0)
        run = self.tabs[[*self.tabs][number % len(self.tabs)]]
        if (worker := self.hub.registry.runs[run].placement.worker) is not None:
            self._work(worker, read, 1, 0)
        self.hub.reset(OWNER, run)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW)
    def scale_weights(self, number: int) -> None:
        tab = [*self.tabs][number % len(self.tabs)]
        said = Act(n=tab.viewer.last_knob_number + 1, action="scale_weights", value=[2.0, None])
        self.hub.viewers.act(self.tabs[tab], tab.viewer, said)
        self.sent[tab].append(said.n)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, rate=RATES, rounds=st.integers(1, 9), further=st.integers(1, 6))
    def advance_before_the_last_change(
        self, number: int, rate: float, rounds: int, further: int
    ) -> None:
        """The worker is further than the hub knows, which has heard of a change there."""
        run = self.chosen(number)
        if (worker := run.placement.worker) is None:
            return
        self._work(worker, 99, rounds, 0)
        self.hub.set_knobs(OWNER, run.id, learning_rate=rate)
        self._work(worker, 99, 2, 0)
        changes = len(run.log)
        while self.workers.at(worker).from_it and len(run.log) == changes:
            self._hear(worker)
        self.advance(number, further)

    @precondition(lambda self: self.runs)
    @rule(number=FEW, share=st.floats(0, 1), rate=RATES, further=st.integers(1, 15))
    def change_a_fork_and_advance_it(
        self, number: int, share: float, rate: float, further: int
    ) -> None:
        self.fork(number, share, rate)
        run = self.runs[-1]
        self.hub.advance(OWNER, run.id, run.step + further)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, further=st.integers(1, 15))
    def advance(self, number: int, further: int) -> None:
        run = self.chosen(number)
        self.hub.advance(OWNER, run.id, run.step + further)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, what=st.sampled_from(("play", "pause", "step", "reset", "pin", "unpin")))
    def order(self, number: int, what: str) -> None:
        with contextlib.suppress(LimitReached):
            getattr(self.hub, what)(OWNER, self.chosen(number).id)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW, pace=st.sampled_from(PACES))
    def set_pace(self, number: int, pace: str) -> None:
        self.hub.set_pace(OWNER, self.chosen(number).id, pace)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW)
    def close_a_tab(self, number: int) -> None:
        tab = [*self.tabs][number % len(self.tabs)]
        self._leave(tab)
        self.settle()

    def _leave(self, tab: Tab) -> None:
        self.hub.viewers.leave(self.tabs.pop(tab), tab.viewer)

    @precondition(lambda self: self.runs)
    @rule(number=FEW)
    def come_back(self, number: int) -> None:
        self._open(self.chosen(number).id)

    # What happens.

    @rule(worker=st.integers(0, 1), read=st.integers(0, 9), slices=FEW, heard=st.integers(0, 20))
    def work(self, worker: int, read: int, slices: int, heard: int) -> None:
        self._work(worker, read, slices, heard)

    @rule(rounds=st.integers(1, 8))
    def all_work(self, rounds: int) -> None:
        for _ in range(rounds):
            for worker in (0, 1):
                self._work(worker, 99, 5, 99)

    @rule(rounds=st.integers(1, 8), unheard=st.integers(0, 1))
    def all_work_and_one_is_not_heard(self, rounds: int, unheard: int) -> None:
        for _ in range(rounds):
            for worker in (0, 1):
                self._work(worker, 99, 5, 0 if worker == unheard else 99)

    def _work(self, worker: int, read: int, slices: int, heard: int) -> None:
        self.workers.at(worker).read(read)
        self.workers.at(worker).work(slices)
        for _ in range(heard):
            self._hear(worker)
        self.settle()

    def _hear(self, worker: int) -> None:
        waiting = self.workers.at(worker).from_it
        if not waiting:
            return
        header, body = waiting[0]
        run = self.hub.registry.runs.get(header.get("run", ""))
        counts = run is not None and run.placement.worker == worker
        counts = counts and run.placement.generation == header["generation"]
        self.workers.hear(worker, 1)
        if counts and header["type"] == "error":
            raise AssertionError(header["message"])
        if counts and header["type"] in ("frame", "replayed"):
            self._check(run, header["step"], json.loads(body))

    def _check(self, run: Run, step: int, frame: dict[str, Any]) -> None:
        """A frame is that of the undisturbed run with the log."""
        found = compared(frame)
        expected = REFERENCE.measured(run.initial_config, list(run.log), step)
        assert any(found == each for each in expected), (step, list(run.log))
        self.checked += 1

    @rule(worker=st.integers(0, 1), blames=st.booleans(), heard=st.integers(0, 20))
    def a_worker_dies(self, worker: int, blames: bool, heard: int) -> None:
        for _ in range(heard):
            self._hear(worker)
        theirs = [run for run in self.runs if run.placement.worker == worker]
        blamed = theirs[0] if theirs and blames else None
        if blamed is not None and blamed.placement.deaths:
            blamed = None  # the second time ends it
        self.workers.kill(worker, blamed and blamed.id)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW)
    def a_run_moves(self, number: int) -> None:
        run = self.chosen(number)
        if run.placement.state == "placed":
            with self.hub.registry.lock:
                self.hub.registry.move(run, 1 - run.placement.worker)
        self.settle()

    @rule(seconds=st.sampled_from((0.05, 0.5, 2.0)))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        self.settle()

    @rule(seconds=st.sampled_from((1.0, 5.0, 25.0)))
    def the_hub_looks_after_its_runs(self, seconds: float) -> None:
        """Unwatched runs pause, rest or end; tabs that take nothing are dropped."""
        self.clock.now += seconds
        self.housekeeping.look_after()
        for tab in [tab for tab in self.tabs if tab.viewer.dropped]:
            self._leave(tab)
        self.settle()

    @precondition(lambda self: self.runs)
    @rule(number=FEW)
    def rest(self, number: int) -> None:
        run = self.chosen(number)
        if not run.viewers and run.placement.state == "placed":
            self.hub.registry.rest(run)
        self.settle()

    @precondition(lambda self: self.tabs)
    @rule(number=FEW, most=FEW)
    def a_tab_reads(self, number: int, most: int) -> None:
        [*self.tabs][number % len(self.tabs)].take(most)

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
    def no_run_ends_while_a_tab_watches_it(self) -> None:
        for tab, run in self.tabs.items():
            assert tab.viewer.dropped or run in self.hub.registry.runs


Runs.TestCase.settings = settings(max_examples=30, stateful_step_count=40)
test_frames_are_those_of_an_undisturbed_run = Runs.TestCase
