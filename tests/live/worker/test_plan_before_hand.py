"""Live changes of one step: planned changes first, then manual changes in order."""

from __future__ import annotations

import math

import pytest

from bnviz.change_log import ChangeLog
from bnviz.config import ConfigError
from bnviz.experiment import Experiment, run, stops
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.worker.builder import catch_up_to
from bnviz.live.worker.hub_link import HubLink
from bnviz.live.worker.live_changes import LiveChanges
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.live.worker.run_frames import RunFrames
from bnviz.live.worker.run_steps import RunSteps
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.live.bench import START, Bench, same_as_undisturbed
from tests.live.conftest import SMALL


def rate(step: int, value: float) -> Change:
    return Change(step, {"learning_rate": value})


class LiveRun:
    """Run between two steps, with its live changes and its messages to the hub."""

    def __init__(
        self, *planned: Change, done: int = 0, at: int = 0, yields: bool = False, **start
    ) -> None:
        self.experiment = Experiment(SMALL)
        self.log = ChangeLog(SMALL.model_dump())
        self.sent: list[dict] = []
        plan = Plan(rates=((9, 30.0),), last_step=50, changes=planned)
        self.steps = RunSteps({**START, "pace": "plan", "plan": plain_plan(plan), **start}, 0.01)
        self.changes = LiveChanges(
            self.log, planned, done, self.steps,
            RunFrames(ProbeSchedule(), attended=False, frames_wanted=False),
            HubLink("r", 1, 0, lambda header, payload: self.sent.append(header)), yields=yields,
        )  # fmt: skip
        self.go_to(at)

    def go_to(self, step: int) -> None:
        while self.experiment.step_number < step:
            self.experiment.step()

    def apply(self) -> None:
        self.changes.apply(self.experiment)

    @property
    def rate(self) -> float:
        return self.experiment.config.learning_rate

    def reported(self) -> list[tuple]:
        """Return, for each reported change, its number as a manual change, its number in the plan,
        its step and its values.
        """
        return [
            (head["number"], head["planned"], head["change"]["step"], head["change"]["values"])
            for head in self.sent if head["type"] == "changed"
        ]  # fmt: skip


def test_a_planned_drag_is_one_gesture():
    first = Change(2, {"learning_rate": 0.3}, 1)
    second = Change(3, {"learning_rate": 0.9}, 1)
    made = LiveRun(first, second, at=2)
    made.apply()
    made.go_to(3)
    made.apply()
    assert list(made.log) == list(made.experiment.changes) == [first, second]
    (gesture,) = made.log.gestures
    assert (gesture.step, gesture.last_step) == (2, 3)


def test_in_one_step_the_plans_change_comes_first_and_the_one_by_hand_stays():
    made = LiveRun(rate(2, 0.3), at=2)
    made.changes.queue.append((7, {"learning_rate": 0.9}, 0))
    made.apply()
    assert list(made.log) == list(made.experiment.changes) == [rate(2, 0.3), rate(2, 0.9)]
    assert made.rate == 0.9
    assert made.reported() == [
        (None, 1, 2, {"learning_rate": 0.3}), (7, None, 2, {"learning_rate": 0.9}),
    ]  # fmt: skip


def test_all_planned_changes_up_to_a_step_come_before_those_by_hand():
    """Planned changes of steps that a fork skips when it continues a plan are included."""
    made = LiveRun(rate(0, 0.2), Change(1, {"momentum": 0.5}), rate(2, 0.3), rate(3, 0.4), at=2)
    for number, values in enumerate(({"momentum": 0.1}, {"weight_decay": 0.01}, {"momentum": 0.7})):
        made.changes.queue.append((number, values, 0))
    made.apply()
    assert [(number, planned) for number, planned, *_ in made.reported()] == [
        (None, 1), (None, 2), (None, 3), (0, None), (1, None), (2, None),
    ]  # fmt: skip
    assert (made.rate, made.experiment.config.momentum) == (0.3, 0.7)
    assert {change.step for change in made.log} == {2}, "the step before which it took effect"


def test_a_change_is_applied_once_and_a_planned_one_waits_for_its_step():
    made = LiveRun(rate(3, 0.3), at=2)
    made.changes.queue.append((1, {"momentum": 0.5}, 0))
    made.apply()
    made.apply()
    assert [number for number, *_ in made.reported()] == [1]
    made.go_to(3)
    made.changes.queue.append((2, {"learning_rate": 0.9}, 0))
    made.apply()
    made.go_to(4)
    made.apply()
    assert [(n, p, step) for n, p, step, _ in made.reported()] == [
        (1, None, 2),
        (None, 1, 3),
        (2, None, 3),
    ]
    assert made.rate == 0.9


@pytest.mark.parametrize(("yields", "made"), [(True, [0.3, 0.9]), (False, [0.3, 0.9, 0.5])])
def test_a_plan_that_yields_ends_with_the_first_change_by_hand(yields, made):
    changes = LiveRun(rate(1, 0.3), rate(3, 0.5), at=1, yields=yields)
    changes.apply()
    changes.changes.queue.append((1, {"learning_rate": 0.3}, 0))
    changes.apply()  # Setting the present value again is not a change.
    changes.go_to(2)
    changes.changes.queue.append((2, {"learning_rate": 0.9}, 0))
    changes.apply()
    changes.go_to(4)
    changes.apply()
    assert [change.values["learning_rate"] for change in changes.log] == made


@pytest.mark.parametrize(("done", "left"), [(0, [1, 2, 3]), (1, [2, 3]), (2, [3]), (3, [])])
def test_planned_changes_that_were_applied_before_are_not_applied_again(done, left):
    made = LiveRun(rate(0, 0.2), rate(1, 0.3), rate(2, 0.4), done=done, at=2)
    made.apply()
    assert [planned for _, planned, *_ in made.reported()] == left


def test_a_planned_change_that_is_refused_is_reported_and_the_next_one_is_applied():
    wrong = Change(1, {"learning_rates": (0.1, 0.1, 0.1)})
    made = LiveRun(wrong, rate(2, 0.3), at=2)
    made.changes.queue.append((5, {"momentum": 0.5}, 0))
    made.apply()
    assert [(head["type"], head["planned"]) for head in made.sent] == [
        ("plan_refused", 1), ("changed", 2), ("changed", None),
    ]  # fmt: skip
    assert [dict(change.values) for change in made.log] == [
        {"learning_rate": 0.3}, {"momentum": 0.5},
    ]  # fmt: skip


def test_a_change_by_hand_puts_off_the_pause_and_a_planned_one_does_not():
    by_plan = LiveRun(rate(49, 0.3), pause_at=3)
    by_plan.go_to(2)
    by_plan.changes.queue.append((1, {"momentum": 0.5}, 0))
    by_plan.apply()
    assert by_plan.sent[-1]["pause_at"] == 3, "a plan that counts from step 0 has a step left"
    by_plan.go_to(3)
    by_plan.changes.queue.append((2, {"momentum": 0.6}, 0))
    by_plan.apply()
    assert by_plan.sent[-1]["pause_at"] == 3 + 50
    made = LiveRun(rate(3, 0.3), at=3, pause_at=3)
    made.apply()
    assert (made.sent[-1]["pause_at"], made.sent[-1]["origin"]) == (3, 3)


def test_values_of_a_drag_come_after_the_plans_and_the_last_of_a_step_is_kept():
    made = LiveRun(rate(2, 0.3), at=1)
    made.changes.queue.append((1, {"learning_rate": 0.5}, 4))
    made.apply()
    made.go_to(2)
    for number, value in ((2, 0.6), (3, 0.7)):
        made.changes.queue.append((number, {"learning_rate": value}, 4))
    made.apply()
    assert list(made.log) == [
        Change(1, {"learning_rate": 0.5}, 4), rate(2, 0.3), Change(2, {"learning_rate": 0.7}, 4),
    ]  # fmt: skip
    assert made.rate == 0.7


def test_a_replay_of_the_log_has_the_values_of_the_run_at_every_step():
    made = LiveRun(rate(1, 0.3), rate(3, 0.2), at=1)
    made.changes.queue.append((1, {"learning_rate": 0.9, "momentum": 0.4}, 0))
    made.apply()
    made.go_to(3)
    made.changes.queue.append((2, {"momentum": 0.1}, 0))
    made.apply()
    made.go_to(5)
    again, gone = Experiment(SMALL), []
    for step in range(6):
        assert catch_up_to(again, made.log, step, math.inf)
        gone.append((again.config.learning_rate, again.config.momentum))
    assert gone == [(0.1, 0.0), (0.9, 0.4), (0.9, 0.4), (0.2, 0.1), (0.2, 0.1), (0.2, 0.1)]
    for norm, network in made.experiment.networks.items():
        assert network.flat.equal(again.networks[norm].flat)
    plain = Experiment(SMALL)
    assert list(stops(plain, range(6), made.log)) == [0, 1, 2, 3, 4, 5]
    assert plain.changes == made.log
    assert plain.networks["batch"].flat.equal(again.networks["batch"].flat)


def test_a_planned_change_is_applied_before_the_frame_of_its_step():
    changes = (rate(0, 0.2), rate(2, 0.3), Change(4, {"learning_rate": 0.4, "momentum": 0.5}))
    plan = Plan(rates=((0, 30.0),), last_step=5, changes=changes)
    rates = [
        snapshot.networks["none"].learning_rate
        for snapshot in run_plan(SMALL, plan, probes=())
    ]  # fmt: skip
    assert rates == [0.2, 0.2, 0.3, 0.3, 0.4, 0.4]
    live = run(SMALL, steps=5, every=1, probes=(), changes=changes)
    assert [shot.networks["none"].learning_rate for shot in live] == rates


def test_of_two_changes_of_one_step_the_later_one_stays():
    """Logs contain two such changes when a manual change follows a planned one."""
    both = [rate(1, 0.3), rate(1, 0.9)]
    for changes, last in ((both, 0.9), (both[::-1], 0.3)):
        shots = list(run(SMALL, steps=1, every=1, probes=(), changes=changes))
        assert shots[-1].networks["none"].learning_rate == last
    with pytest.raises(ConfigError, match="ascending"):
        next(run(SMALL, steps=2, changes=[rate(2, 0.3), rate(1, 0.9)]))


def test_on_the_way_to_a_step_each_planned_change_acts_at_its_own_step(bench: Bench):
    planned = rate(5, 0.3), rate(9, 0.2), rate(12, 0.05)
    plan = Plan(rates=((9, 30.0),), last_step=50, changes=planned)
    bench.start("r", plan=plain_plan(plan), pace="plan", catch_up_to=12, playing=False)
    bench.work_until(lambda: bench.step_of("r") >= 12)
    assert [
        (head["planned"], head["step"], head["change"]["step"]) for head in bench.headers("changed")
    ] == [(1, 5, 5), (2, 9, 9), (3, 12, 12)]
    assert list(bench.scheduler.runs["r"].log) == [*planned]
    bench.tell(
        "r",
        "control",
        command_number=1,
        playing=True,
        pace="plan",
        attended=True,
        frames_wanted=True,
        in_view=True,
    )
    bench.work_until(lambda: bench.step_of("r") >= 15)
    same_as_undisturbed(
        bench.bodies()[-1], SMALL, {change.step: change.values for change in planned}
    )


def test_frames_of_the_past_do_not_overtake_a_run_that_is_on_its_way(bench: Bench):
    plan = Plan(rates=((9, 30.0),), last_step=50, changes=(rate(5, 0.9),))
    bench.start("r", plan=plain_plan(plan), pace="plan", catch_up_to=30, playing=False)
    bench.tell("r", "replay", steps=[7, 20])
    (replay,) = bench.scheduler._background.values()
    assert replay.due(0.0) == math.inf, "the run has not reached its change"
    bench.work_until(lambda: len(bench.bodies(kind="replayed")) == 2)
    for frame in bench.bodies(kind="replayed"):
        same_as_undisturbed(frame, SMALL, {5: {"learning_rate": 0.9}})
