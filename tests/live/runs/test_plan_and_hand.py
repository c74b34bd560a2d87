"""State that the hub sends for planned changes, and for unconfirmed manual changes."""

from __future__ import annotations

import pytest

from bnviz.live.runs.admission import inherit, new_run
from bnviz.live.runs.history import History
from bnviz.live.runs.placement import NO_CHECKPOINT, Checkpoint
from bnviz.live.runs.run import PendingChange, Run
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.live.conftest import OWNER, SMALL


def rate(step: int, value: float) -> Change:
    return Change(step, {"learning_rate": value})


FIRST, SECOND, THIRD = rate(0, 0.2), rate(10, 0.3), Change(20, {"momentum": 0.5})
PLAN = Plan(rates=((0, 30.0),), last_step=40, changes=(FIRST, SECOND, THIRD))


def made(plan: Plan | None = PLAN, step: int | None = None, changes=(), **given) -> Run:
    return new_run(
        SMALL, plan, owner=OWNER, pace="plan" if plan else "watch", playing=True, attended=False,
        changes=changes, from_step=step, parent=None, wants=(), history=History(10**6), **given,
    )  # fmt: skip


def test_a_run_begins_with_all_of_its_plan_to_come():
    assert (made().planned, made(plan=None).planned) == (0, 0)


@pytest.mark.parametrize(
    ("step", "changes", "done"),
    [
        # At the step of a change, the change counts as done only if the log contains it.
        (0, (), 0),
        (0, (FIRST,), 1),
        (5, (FIRST,), 1),
        (10, (FIRST,), 1),
        (10, (FIRST, SECOND), 2),
        # A manual change at the step of a planned change does not count as the planned change,
        # whichever knob it sets.
        (10, (FIRST, rate(10, 0.9)), 1),
        (10, (FIRST, Change(10, {"momentum": 0.5})), 1),
        (10, (FIRST, SECOND, rate(10, 0.9)), 2),
        (20, (FIRST, SECOND, Change(10, {"momentum": 0.5})), 2),
        # After its step, a change counts as done, whether it was applied or refused.
        (11, (FIRST,), 2),
        (21, (), 3),
        (40, (FIRST, SECOND, THIRD), 3),
    ],
)
def test_a_fork_goes_on_with_the_changes_that_had_no_turn_yet(step, changes, done):
    assert made(step=step, changes=changes).planned == done


def test_a_fork_has_the_knobs_as_the_last_change_of_its_step_left_them():
    by_hand = made(step=10, changes=(FIRST, SECOND, rate(10, 0.9)))
    assert by_hand.config == SMALL.replace(learning_rate=0.9)
    assert by_hand.initial_config == SMALL
    other_way = made(step=10, changes=(FIRST, rate(10, 0.9), SECOND))
    assert other_way.config.learning_rate == 0.3


def test_a_value_on_its_way_comes_after_the_plans_and_other_knobs_are_the_plans():
    run = made()
    run.pending[1] = PendingChange({"learning_rate": 0.7})
    run.config = SMALL.replace(learning_rate=0.7)
    run.take_planned_change(Change(10, {"learning_rate": 0.3, "momentum": 0.5}), 2)
    assert (run.config.learning_rate, run.config.momentum) == (0.7, 0.5)
    assert run.planned == 2
    del run.pending[1]
    run.take_planned_change(rate(20, 0.4), 3)
    assert (run.config.learning_rate, run.planned) == (0.4, 3)


def test_of_values_on_their_way_the_last_one_stands():
    run = made()
    run.pending[1] = PendingChange({"learning_rate": 0.7})
    run.pending[2] = PendingChange({"learning_rate": 0.8})
    run.pending[3] = PendingChange({"momentum": 0.1})
    run.take_planned_change(Change(10, {"learning_rate": 0.3, "momentum": 0.5}), 1)
    assert (run.config.learning_rate, run.config.momentum) == (0.8, 0.1)
    assert run.unconfirmed() == [*run.pending.values()]


def test_a_planned_value_that_does_not_fit_leaves_what_is_on_its_way():
    run = made()
    run.pending[1] = PendingChange({"momentum": 0.7})
    run.take_planned_change(Change(10, {"learning_rates": (0.1, 0.1, 0.1)}), 1)
    assert run.config == SMALL.replace(momentum=0.7)
    assert run.planned == 1


def test_who_starts_over_has_all_of_the_plan_before_them_again():
    run = made(step=15, changes=(FIRST, SECOND))
    run.take_planned_change(THIRD, 3)
    run.start_over()
    assert (run.planned, run.step, run.origin, run.config) == (0, 0, 0, SMALL)
    assert (run.pause_at, run.target, len(run.log)) == (40, 40, 0)
    free = made(plan=None)
    free.config = SMALL.replace(learning_rate=0.7)
    free.start_over()
    assert free.initial_config == free.config == SMALL.replace(learning_rate=0.7)


@pytest.mark.parametrize(("step", "ends"), [(5, 40), (39, 40), (40, 80), (41, 81)])
def test_a_fork_ends_where_its_plan_does_or_goes_as_far_again(step, ends):
    parent, fork = made(), made(step=step, changes=(FIRST,))
    inherit(fork, parent)
    assert (fork.pause_at, fork.target) == (ends, ends)
    assert fork.origin == 0
    late = made(step=12, changes=(FIRST, SECOND))
    inherit(late, parent)
    assert late.origin == 10, "the step of the last change"


def test_a_fork_takes_its_parents_checkpoint_unless_that_is_later():
    for kept, later in ((7, False), (8, False), (9, True)):
        parent, fork = made(), made(step=8)
        parent.placement.keep(Checkpoint(kept, b""))
        inherit(fork, parent)
        assert (fork.placement.checkpoint == NO_CHECKPOINT) == later
