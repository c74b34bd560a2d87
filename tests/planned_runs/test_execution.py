"""Planned runs: yielded snapshots, times of changes, last step and saved weights."""

import numpy as np
import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.experiment import Experiment, run
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.every_case import every_case
from tests.test_same_bits import SMALL, assert_same_records, go

CONFIG = RunConfig(**SMALL)
RATES = ((0, 30.0),)


def test_a_plan_gives_what_updates_by_hand_give_at_its_steps() -> None:
    changes = (Change(4, {"learning_rate": 0.9}), Change(7, {"batch_size": 9, "momentum": 0.5}))
    plan = Plan(rates=RATES, last_step=11, changes=changes, shown=(4, 9))
    found = list(run_plan(CONFIG, plan, probes=("gradients", "rank"), every=5))
    assert [snapshot.step for snapshot in found] == [0, 4, 5, 9, 10, 11]
    by_hand = Experiment(CONFIG)
    for snapshot in found:
        while by_hand.step_number < snapshot.step:
            by_hand.step()
            for change in changes:
                if change.step == by_hand.step_number:
                    by_hand.update(**change.values)
        whole = snapshot.step in (4, 9, 11)
        expected = by_hand.snapshot(("gradients", "rank") if whole else ("gradients",))
        assert_same_records(snapshot, expected)
    scheduled = list(run(CONFIG, steps=11, every=11, probes="gradients", changes=changes))
    assert_same_records(scheduled[-1], by_hand.snapshot("gradients"))


def test_weights_are_kept_at_their_steps_and_come_back_with_a_checkpoint() -> None:
    plain, keeping = Experiment(CONFIG), Experiment(CONFIG, keep=(0, 2, 5))
    expected = {}
    for step in range(6):
        if step in (0, 2, 5):
            expected[step] = {n: network.flat.clone() for n, network in plain.networks.items()}
        go(plain, 1)
    frozen = go(keeping, 3).freeze(copies=True)
    restored = Experiment.restore(CONFIG, keeping.checkpoint(), keep=(0, 2, 5))
    early = keeping.checkpoint()
    for experiment in (keeping, restored):
        for norm, measured in go(experiment, 3).freeze().networks.items():
            assert list(measured.saved_weights) == [0, 2, 5]
            for step, flat in measured.saved_weights.items():
                np.testing.assert_array_equal(flat, expected[step][norm])
    # A frozen run does not change, and loading a checkpoint drops weights saved after it.
    assert list(frozen.networks["batch"].saved_weights) == [0, 2]
    keeping.load(early)
    assert list(keeping.freeze().networks["batch"].saved_weights) == [0, 2]


@every_case(
    ("knobs", "plan", "message"),
    [
        ({}, {"changes": (Change(1, {"depth": 3}),)}, "`depth` must be left alone"),
        ({}, {"changes": (Change(1, {"learning_rate": 0}),)}, "`learning_rate` must be a number"),
        (
            {"depth": 6, "width": 300},
            {"keep": tuple(range(8))},
            r"`keep` must be fewer steps: these need \d+ MB, and at most 24 MB",
        ),
    ],
)
def test_a_plan_that_does_not_suit_the_run_is_refused(knobs, plan, message) -> None:
    config = RunConfig(**SMALL | knobs)
    with pytest.raises(ConfigError, match=message):
        list(run_plan(config, Plan(rates=RATES, last_step=9, **plan), probes=()))


def test_changes_out_of_order_or_beyond_the_run_are_refused() -> None:
    rate = {"learning_rate": 1.0}
    message = "`changes` must be steps from 0 to 7, in ascending order"
    for steps in ((3, 2), (8,)):
        with pytest.raises(ConfigError, match=message):
            next(run(CONFIG, steps=7, changes=[Change(step, rate) for step in steps]))
