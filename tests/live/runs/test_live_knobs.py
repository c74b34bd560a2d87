"""Live knobs set over the socket: forwarded, acknowledged and shown to other viewers."""

from __future__ import annotations

import orjson
import pytest

from bnviz.change_log import plain_change
from bnviz.config import LIVE_KNOBS
from bnviz.live import NotYours
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.runs import history, live_knobs
from bnviz.live.runs.export import json_parts
from bnviz.live.runs.protected_steps import AROUND
from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, SMALL, LiveHub, until
from tests.live.one_process import Tab
from tests.live.runs.dragging import drag, rates, slowly
from tests.live.runs.quiet_hub import QuietHub


def test_a_value_is_answered_with_the_step_at_which_it_took_effect(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = live.watch(run, owner=OWNER)
    hand.frame_at(2)
    n = hand.set_knob("learning_rate", 0.7)
    answer = hand.answer(n)
    (change,) = live.info(run).changes
    assert (change.values, change.drag) == ({"learning_rate": 0.7}, 0)
    assert {name: answer[name] for name in ("type", "n", "knob", "value", "step")} == {
        "type": "knob", "n": n, "knob": "learning_rate", "value": 0.7, "step": change.step,
    }  # fmt: skip
    frame = hand.frame_at(change.step + 5)
    same_as_undisturbed(frame, SMALL, {change.step: change.values})


def test_statistics_are_fixed_and_freed_again_while_the_run_goes_on(live: LiveHub):
    """A knob with named values is confirmed, logged, exported and replayed like a numeric knob."""
    run = live.hub.start(OWNER, SMALL)
    hand = live.watch(run, owner=OWNER)
    steps = {}
    for value in ("running", "batch"):
        hand.frame_at(2)
        steps[hand.answer(hand.set_knob("norm_statistics", value))["step"]] = {
            "norm_statistics": value
        }
        frame = hand.frame_at(max(steps) + 5)
        same_as_undisturbed(frame, SMALL, steps)
    changes = live.info(run).changes
    assert {change.step: change.values for change in changes} == steps
    kept = orjson.loads("".join(json_parts(SMALL, changes, [], "cpu")))["changes"]
    assert [(each["step"], each["values"]) for each in kept] == list(steps.items())
    for value in ("frozen", 1, True, None, ["running"]):
        refusal = hand.answer(hand.set_knob("norm_statistics", value))
        assert refusal["field"] == "norm_statistics"
        assert refusal["allowed"] == "one of batch, running"
        assert refusal["value"] == "batch"


def test_who_may_turn_the_knobs_and_how_they_are_set_is_said_at_once(live: LiveHub):
    run = live.hub.start(OWNER, SMALL.replace(momentum=0.5))
    for owner in (OWNER, "", "b" * 64):
        viewer = live.watch(run, owner=owner)
        hello = until(lambda viewer=viewer: viewer.said("hello"))[0]
        assert hello["can_control"] is (owner == OWNER)
        assert hello["knobs"]["values"] == {
            "learning_rate": 0.1, "learning_rates": None, "batch_size": 16, "momentum": 0.5,
            "weight_decay": 0.0, "rate_factors": [1.0, 1.0, 1.0], "norm_statistics": "batch",
        }  # fmt: skip
        assert hello["knobs"]["drag"] is False


def test_everybody_sees_the_knobs_move_and_the_hand_leave_them(live: LiveHub):
    values = {"learning_rate": 0.25, "batch_size": 9, "momentum": 0.25, "weight_decay": 0.25}
    run = live.hub.start(OWNER, SMALL)
    hand, other = live.watch(run, owner=OWNER), live.watch(run)
    for number, (knob, value) in enumerate(values.items(), 4):
        since = {viewer: len(viewer.said("knobs")) for viewer in (hand, other)}
        hand.set_knob(knob, value, drag=number)
        for viewer, before in since.items():
            new = lambda viewer=viewer, before=before: viewer.said("knobs")[before:]  # noqa: E731
            has = lambda m, knob=knob, value=value: m["values"][knob] == value  # noqa: E731
            until(lambda new=new, has=has: any(has(m) and not m["drag"] for m in new()))
            assert next(m for m in new() if has(m))["drag"] is True, knob
    assert live.info(run).initial_config == SMALL


def test_a_drag_is_one_entry_with_both_ends_for_those_who_draw(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, pace="fast")
    hand = live.watch(run, owner=OWNER)
    live.hub.set_knobs(OWNER, run, learning_rate=0.2)
    until(lambda: live.info(run).changes)
    hand.answer(drag(hand, "learning_rate", rates(20), number=7))
    hand.answer(drag(hand, "learning_rate", rates(20, 0.3), number=8))
    until(lambda: live.info(run).changes[-1].values == {"learning_rate": 0.3})
    frame = hand.frame_at(live.info(run).changes[-1].step + 2)
    single, first, second = frame["changes"]
    log = live.info(run).changes
    mine = [change for change in log if change.drag == first["drag"]]
    assert single == {"step": log[0].step, "values": {"learning_rate": 0.2}}
    assert first == {
        "step": mine[0].step, "until": mine[-1].step, "drag": mine[0].drag,
        "from": {"learning_rate": 0.2}, "values": {"learning_rate": 0.5},
    }  # fmt: skip
    assert (second["from"], second["values"]) == ({"learning_rate": 0.5}, {"learning_rate": 0.3})
    assert first["drag"] < second["drag"]
    late = live.watch(run)
    hello = until(lambda: late.said("hello"))[0]
    assert hello["changes"] == [single, first, second]
    # The steps around both ends of each drag are kept, even at a fast pace.
    ends = [single["step"], *(one[side] for one in (first, second) for side in ("step", "until"))]
    around = {step for end in ends for step in range(max(0, end - AROUND), end + AROUND + 1)}
    until(lambda: around <= set(live.history_steps(run)))


def test_tabs_scripts_and_reconnects_share_one_order(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    one, two = live.watch(run, owner=OWNER), live.watch(run, owner=OWNER)
    one.frame_at(1)
    for at in range(10):
        one.set_knob("learning_rate", 0.1 + at / 100, drag=1)
        two.set_knob("momentum", at / 100, drag=1)
        two.set_knob("learning_rate", 0.3 + at / 100, drag=1)
    live.hub.set_knobs(OWNER, run, learning_rate=0.05, weight_decay=0.001)
    n = one.set_knob("momentum", 0.5)
    one.answer(n)
    two.answer(two.last_number)
    info = live.info(run)
    config = info.initial_config
    for change in info.changes:
        config = config.replace(**change.values)
    assert config == info.config
    assert (config.learning_rate, config.weight_decay, config.momentum) == (0.05, 0.001, 0.5)
    # Drag numbers are unique only within a tab, so these are different drags.
    drags = {change.drag for change in info.changes if "learning_rate" in change.values}
    assert drags == {
        0,
        *[change.drag for change in info.changes if "learning_rate" in change.values],
    }
    assert len({change.drag for change in info.changes} - {0}) >= 2
    again = live.watch(run, owner=OWNER)
    again.set_knob("learning_rate", 0.4, drag=1)
    again.answer(1)
    assert live.info(run).changes[-1].drag > max(change.drag for change in info.changes)


# For each case: a knob, an invalid value, and the field named in the error.
IMPOSSIBLE = [
    ("learning_rate", 1e9, "learning_rate"), ("learning_rate", "0.5", "learning_rate"),
    ("learning_rate", True, "learning_rate"), ("learning_rate", None, "learning_rate"),
    ("learning_rate", [0.1, 0.2], "learning_rate"), ("learning_rate", {}, "learning_rate"),
    ("learning_rates", 0.1, "learning_rates"), ("learning_rates", [0.1], "learning_rates"),
    ("learning_rates", [0.1, True], "learning_rates"), ("batch_size", 16.5, "batch_size"),
    ("batch_size", 1025, "batch_size"), ("batch_size", 10**18, "batch_size"),
    ("momentum", -1e-300, "momentum"), ("depth", 3, "depth"), ("owner", "x", "owner"),
    ("\ud800", 1, "?"), ("x" * 3000, [[[[]]]], "x" * 80), ("__class__", 1, "__class__"),
]  # fmt: skip


def test_a_value_that_cannot_be_is_refused_and_the_control_goes_back(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    hand = live.watch(run, owner=OWNER)
    wrong = []
    for knob, value, field in IMPOSSIBLE:
        n = hand.set_knob(knob, value)
        refusal = hand.answer(n)
        control = getattr(SMALL, knob) if knob in LIVE_KNOBS else None
        told = [refusal[name] for name in ("type", "n", "field", "value")]
        words = refusal["allowed"] and refusal["message"].startswith("`")
        if told != ["refused", n, field, control] or not words:
            wrong.append((knob, value, refusal))
    assert not wrong
    assert live.info(run).config == SMALL
    assert live.info(run).changes == ()
    n = hand.set_knob("momentum", 0.5)
    assert hand.answer(n)["value"] == 0.5


def test_a_viewers_attempt_is_refused_counted_and_changes_nothing(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    before = live.call(live.hub.viewers.status)["knob_refusals"]
    viewer = live.watch(run, owner="b" * 64)
    for _ in range(2):
        with pytest.raises(NotYours):
            viewer.set_knob("learning_rate", 1.0)
    refusal = viewer.answer(2)
    assert (refusal["field"], refusal["value"]) == ("owner", 0.1)
    assert refusal["message"] == str(NotYours())
    assert live.call(live.hub.viewers.status)["knob_refusals"] == before + 2
    assert live.info(run).config == SMALL


def test_a_hand_on_a_knob_lets_a_paused_run_go_on(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    hand = live.watch(run, owner=OWNER)
    drag(hand, "learning_rate", rates(5))
    hand.frame_at(3)
    live.hub.pause(OWNER, run)
    until(lambda: live.info(run).status == "paused")
    drag(hand, "learning_rate", rates(5, 0.2))
    hand.frame_at(live.info(run).step + 2)


def test_a_value_that_the_run_has_is_answered_and_changes_nothing(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, paused=True)
    hand = live.watch(run, owner=OWNER)
    n = hand.set_knob("batch_size", SMALL.batch_size)
    answer = hand.answer(n)
    assert (answer["value"], answer["step"]) == (SMALL.batch_size, 0)
    live.hub.set_knobs(OWNER, run, learning_rate=SMALL.learning_rate)
    # A different value is logged as the first change, and resumes the run.
    assert live.info(run).status == "paused"
    hand.answer(hand.set_knob("momentum", 0.5))
    assert [change.values for change in live.info(run).changes] == [{"momentum": 0.5}]
    assert live.info(run).status == "running"


def test_a_drag_orders_the_run_to_play_once(live: LiveHub):
    run = live.hub.start(OWNER, SMALL)
    hand = live.watch(run, owner=OWNER)
    hand.frame_at(1)
    desk_run = live.hub.registry.runs[run]
    orders, values = desk_run.command_number, desk_run.changes_made
    slowly(hand, "learning_rate", rates(5))
    assert (desk_run.command_number, desk_run.changes_made) == (orders + 1, values + 5)


def test_nothing_of_a_drag_leaks_into_the_run_that_starts_over(live: LiveHub):
    run = live.hub.start(OWNER, SMALL, pace="fast")
    hand = live.watch(run, owner=OWNER)
    live.reach(run, 30)

    def drag_and_reset() -> None:
        # Send everything in one call on the hub's loop, so that the worker cannot confirm any value
        # before the reset.
        for value in rates(10):
            hand.last_number += 1
            said = SetKnob(n=hand.last_number, knob="learning_rate", value=value, drag=1)
            live.hub.viewers.change(hand.viewer, said)
        assert live.info(run).config.learning_rate == 0.5, "scripts see pending changes"
        assert len(live.hub.registry.runs[run].unconfirmed()) > 2
        live.hub.reset(OWNER, run)

    live.call(drag_and_reset)
    answer = hand.answer(10)
    assert (answer["n"], answer["value"], answer["step"]) == (10, 0.5, 0)
    live.reach(run, 30)
    info = live.info(run)
    assert (info.changes, info.initial_config) == ((), SMALL.replace(learning_rate=0.5))
    assert hand.said("hello")[-1]["can_control"] is True
    frame = hand.frames()[-1]
    same_as_undisturbed(frame, SMALL.replace(learning_rate=0.5))


def test_a_run_whose_log_is_full_takes_no_more(live: LiveHub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(history, "MOST_LOGGED_CHANGES", 3)
    run = live.hub.start(OWNER, SMALL)
    hand = live.watch(run, owner=OWNER)
    for at in (1, 2, 3):
        hand.answer(hand.set_knob("momentum", at / 10))
    refusal = hand.answer(hand.set_knob("momentum", 0.9))
    assert (refusal["type"], refusal["field"], refusal["value"]) == ("refused", "changes", 0.3)
    with pytest.raises(live_knobs.ConfigError, match="fewer than 3 in one run: start over"):
        live.hub.set_knobs(OWNER, run, momentum=0.9)
    live.hub.reset(OWNER, run)
    assert hand.answer(hand.set_knob("momentum", 0.9))["type"] == "knob"


def test_a_full_log_still_fits_into_what_a_worker_is_told():
    """The log has 20,000 changes of every knob, with the longest numbers possible."""
    from bnviz.live.protocol.wire import pack
    from bnviz.records import Change

    rate = 0.12345678901234567
    values = {"learning_rate": rate, "learning_rates": (rate,) * 4, "batch_size": 1024,
              "momentum": rate, "weight_decay": rate}  # fmt: skip
    plain = plain_change(Change(10**9, values, history.MOST_LOGGED_CHANGES))
    assert pack({"type": "start", "log": [plain] * history.MOST_LOGGED_CHANGES})


def answers_of(tab: Tab) -> list[tuple[str, int]]:
    """Return the type and the number of each answer that a tab has received."""
    tab.take(99)
    return [(message["type"], message["n"]) for message in tab.heard if "n" in message]


@pytest.mark.anyio
@pytest.mark.parametrize("ends", ["failed", "reset"])
async def test_numbers_that_take_no_effect_are_told_so(ends):
    hub, tab = QuietHub(workers=1), Tab()
    run = hub.start(OWNER, SMALL)
    hub.viewers.join(run, tab.viewer, OWNER)
    hub.viewers.change(tab.viewer, SetKnob(n=1, knob="momentum", value=0.5, drag=0))
    for n in (2, 3):
        hub.viewers.change(tab.viewer, Act(n=n, action="scale_weights", value=[2.0, None]))
    if ends == "failed":
        hub.registry.fail(hub.run(run), "its test has it fail")
        expected = [("dropped", 1), ("dropped", 2), ("dropped", 3)]
    else:
        hub.reset(OWNER, run)
        expected = [("knob", 1), ("dropped", 2), ("dropped", 3)]
    await hub.settle()
    assert answers_of(tab) == expected
    assert hub.info(run).config.momentum == (0.0 if ends == "failed" else 0.5)
    assert not hub.run(run).unconfirmed()


@pytest.mark.anyio
async def test_each_of_two_actions_is_answered():
    hub, tab = QuietHub(workers=1), Tab()
    run = hub.start(OWNER, SMALL)
    hub.viewers.join(run, tab.viewer, OWNER)
    for n in (1, 2):
        hub.viewers.change(tab.viewer, Act(n=n, action="scale_weights", value=[2.0, None]))
    for number in (1, 2):
        hub.hear_change(run, 4, number=number, scale_weights=[2.0, None])
    await hub.settle()
    assert answers_of(tab) == [("acted", 1), ("acted", 2)]
