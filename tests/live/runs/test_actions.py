"""Multiplied weights of a live run: order among knob changes, messages to viewers, exact replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bnviz.actions import SCALE_WEIGHTS
from bnviz.change_log import plain_change
from bnviz.config import ConfigError
from bnviz.live import NotYours
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, LiveHub, Watcher, until
from tests.live.runs.test_knob_replay import replayed

ALL = {SCALE_WEIGHTS: (2.0, None)}
FIRST = {SCALE_WEIGHTS: (0.5, 1)}


def waits(live: LiveHub, run: str, step: int) -> Watcher:
    hand = live.watch(run, owner=OWNER)
    hand.frame_at(step)
    return hand


def test_an_action_is_done_once_answered_and_shown(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = waits(live, run, 2)
    n = hand.act(SCALE_WEIGHTS, [2, None])
    answer = hand.answer(n)
    (change,) = live.info(run).changes
    assert (change.values, change.drag) == (ALL, 0)
    assert {name: answer[name] for name in ("type", "n", "action", "value", "step")} == {
        "type": "acted", "n": n, "action": SCALE_WEIGHTS, "value": [2.0, None],
        "step": change.step,
    }  # fmt: skip
    frame = hand.frame_at(change.step + 5)
    assert frame["changes"] == [json.loads(json.dumps(plain_change(change)))]
    same_as_undisturbed(frame, SMALL, {change.step: change.values})
    assert live.info(run).config == SMALL, "the weights are not a setting"


def test_every_tab_hears_of_it(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand, other = waits(live, run, 2), live.watch(run)
    n = hand.act(SCALE_WEIGHTS, [0.5, 1])
    step = hand.answer(n)["step"]
    told = other.frame_at(step + 1)["changes"]
    assert told == [{"step": step, "values": {SCALE_WEIGHTS: [0.5, 1]}}]
    later = live.watch(run)
    assert until(lambda: later.said("hello"))[0]["changes"] == told


def test_a_paused_run_goes_on_with_it(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    hand = waits(live, run, 0)
    hand.answer(hand.act(SCALE_WEIGHTS, [2, None]))
    assert hand.frame_at(3)
    live.hub.pause(OWNER, run)
    live.hub.set_knobs(OWNER, run, **ALL)
    until(lambda: live.info(run).status == "running")


def test_actions_and_knobs_are_done_in_the_order_in_which_they_came(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = waits(live, run, 2)
    hand.set_knob("learning_rate", 0.7)
    for factor, layer in ((2, None), (2, None), (0.5, 1)):
        hand.act(SCALE_WEIGHTS, [factor, layer])
    hand.answer(hand.set_knob("momentum", 0.5))
    assert [change.values for change in live.info(run).changes] == [
        {"learning_rate": 0.7}, ALL, ALL, FIRST, {"momentum": 0.5},
    ]  # fmt: skip


def test_a_wrong_value_is_refused_with_what_is_allowed(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = waits(live, run, 1)
    wrong = []
    for value in (None, 10, [10], [11, None], [10, 99], [True, None], "x"):
        refusal = hand.answer(hand.act(SCALE_WEIGHTS, value))
        told = [refusal[name] for name in ("type", "knob", "value")]
        if told != ["refused", SCALE_WEIGHTS, None]:
            wrong.append((value, refusal))
        if "a factor between 0.1 and 10" not in refusal["message"]:
            wrong.append((value, refusal["message"]))
        with pytest.raises(ConfigError, match="`scale_weights` must be a factor"):
            live.hub.set_knobs(OWNER, run, **{SCALE_WEIGHTS: value})
    assert not wrong
    hand.frame_at(live.info(run).step + 2)
    assert live.info(run).changes == ()


def test_who_may_only_watch_may_not_act(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    stranger = live.watch(run, owner="b" * 64)
    with pytest.raises(NotYours):
        stranger.act(SCALE_WEIGHTS, [2, None])
    assert until(lambda: stranger.said("refused"))[0]["field"] == "owner"
    with pytest.raises(NotYours):
        live.hub.set_knobs("b" * 64, run, **ALL)
    assert live.info(run).changes == ()


def test_its_number_is_higher_than_that_of_the_last_knob(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = waits(live, run, 1)
    hand.answer(hand.set_knob("momentum", 0.5))
    hand.last_number = 0
    with pytest.raises(BadMessage):
        hand.act(SCALE_WEIGHTS, [2, None])


def stand(live: LiveHub, run: str, hand: Watcher) -> Any:
    """Pause a run and return its last frame."""
    live.hub.pause(OWNER, run)
    log = live.info(run).changes
    told = [json.loads(json.dumps(plain_change(change))) for change in log]

    def shown() -> Any:
        frame = hand.frames()[-1]
        return (frame["status"], frame["changes"]) == ("paused", told) and frame

    return until(shown)


def three_actions(live: LiveHub, run: str) -> Watcher:
    hand = waits(live, run, 3)
    hand.answer(hand.act(SCALE_WEIGHTS, [2, None]))
    hand.answer(hand.set_knob("learning_rate", 0.3))
    hand.answer(hand.act(SCALE_WEIGHTS, [0.5, 1]))
    hand.answer(hand.act(SCALE_WEIGHTS, [0.5, 1]))
    return hand


def test_a_fork_has_the_actions_up_to_its_step(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = three_actions(live, run)
    stand(live, run, hand)
    first, *_, last = live.info(run).changes
    for step, count in ((first.step, 1), (last.step, 4)):
        fork = live.hub.fork(OWNER, run, step)
        own = [change for change in live.info(run).changes if change.step <= step]
        assert len(own) >= count
        assert list(live.info(fork).changes) == own
        viewer = live.watch(fork, owner=OWNER)
        frame = viewer.frame_at(step + 4)
        expected = replayed(SMALL, own, frame["step"]).snapshot(probes=())
        for norm, record in expected.networks.items():
            assert frame["networks"][norm]["loss"] == record.loss


def test_a_planned_action_is_done_at_its_step_and_once_in_forks(live: LiveHub):
    plan = Plan(rates=((0, 100.0),), last_step=12, changes=(Change(4, ALL),), shown=(4, 12))
    run = live.hub.start(OWNER, SMALL, plan=plan)
    hand = live.watch(run, owner=OWNER)
    hand.frame_at(12)
    assert live.info(run).changes == (Change(4, ALL),)
    assert live.info(run).config == SMALL
    for step in (3, 4, 5):
        fork = live.hub.fork(OWNER, run, step)
        viewer = live.watch(fork, owner=OWNER)
        frame = viewer.frame_at(12)
        assert live.info(fork).changes == (Change(4, ALL),)
        expected = replayed(SMALL, plan.changes, 12).snapshot(probes=())
        for norm, record in expected.networks.items():
            assert frame["networks"][norm]["loss"] == record.loss


def test_a_plan_with_a_wrong_action_is_refused(live: LiveHub):
    plan = Plan(rates=((0, 100.0),), last_step=12, changes=(Change(4, {SCALE_WEIGHTS: (2.0, 99)}),))
    with pytest.raises(ConfigError, match="`scale_weights` must be a factor"):
        live.hub.start(OWNER, SMALL, plan=plan)


def test_a_run_that_starts_over_has_none(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = three_actions(live, run)
    stand(live, run, hand)
    live.hub.set_knobs(OWNER, run, **ALL)  # These values may still be on their way to the worker.
    live.hub.reset(OWNER, run)
    assert live.info(run).changes == ()
    assert live.info(run).config.learning_rate == 0.3
    frame = until(lambda: [f for f in hand.frames() if f["step"] == 0 and f["seq"] > 1])[-1]
    assert frame["changes"] == []
