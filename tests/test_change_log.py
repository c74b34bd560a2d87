"""Log of live changes, and the gestures derived from it."""

from __future__ import annotations

from bisect import bisect_right

from hypothesis import given
from hypothesis import strategies as st

from bnviz.change_log import ChangeLog
from bnviz.config import RunConfig
from bnviz.records import Change
from tests.every_case import every_case

START = RunConfig().model_dump()


def rate(step: int, value: float, drag: int = 0) -> Change:
    return Change(step, {"learning_rate": value}, drag)


def test_a_drag_is_one_gesture_from_its_first_value_to_its_last():
    changes = [rate(3, 0.5), rate(10, 0.6, 1), rate(12, 0.7, 1), rate(19, 0.8, 1), rate(30, 0.1)]
    log = ChangeLog(START, changes)
    assert log == changes
    single, drag, last = log.gestures
    assert (single.step, single.drag, single.values) == (3, 0, {"learning_rate": 0.5})
    assert (drag.step, drag.last_step, drag.drag) == (10, 19, 1)
    assert (drag.before, drag.values) == ({"learning_rate": 0.5}, {"learning_rate": 0.8})
    assert last.before == {"learning_rate": 0.8}


def test_of_a_drags_values_before_one_step_the_last_is_kept():
    log = ChangeLog(START)
    assert log.add(rate(4, 0.2, 1))
    assert not log.add(rate(4, 0.3, 1))
    assert log == [rate(4, 0.3, 1)]
    assert log.gestures[0].before == {"learning_rate": 0.1}


@every_case(
    "second",
    [rate(4, 0.3), rate(5, 0.3, 1), rate(4, 0.3, 2), Change(4, {"momentum": 0.3}, 1)],
)
def test_what_is_no_further_value_before_the_same_step_stays(second: Change):
    first = rate(4, 0.2, 1)
    assert ChangeLog(START, [first, second]) == [first, second]


def test_the_log_up_to_its_last_change_is_the_log_itself_and_before_that_another():
    log = ChangeLog(START, [rate(3, 0.5), rate(9, 0.6)])
    assert log.up_to(9) is log
    assert log.up_to(10) is log
    assert log.up_to(8) == log[:1]
    assert log == [rate(3, 0.5), rate(9, 0.6)]


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["momentum", "weight_decay"]),
        st.sampled_from([0.0, 0.25, 0.5]), st.integers(0, 3),
    ),
    max_size=30,
)  # fmt: skip


@given(CHANGES, st.integers(0, 40))
def test_the_log_keeps_what_each_step_was_taken_with(drawn, at: int):
    step, changes = 0, []
    for gap, knob, value, drag in drawn:
        step += gap
        changes.append(Change(step, {knob: value}, drag))
    log = ChangeLog(START, changes)

    def knobs(given) -> dict:
        known = dict(START)
        for change in given[: bisect_right(given, at, key=lambda change: change.step)]:
            known |= change.values
        return known

    assert knobs(list(log)) == knobs(changes)
    assert log.up_to(at).now == knobs(changes)
    assert log.up_to(at) == [change for change in log if change.step <= at]
    assert [c for c, _ in log.backwards(0, at)] == [*reversed(log.up_to(at))]
    drags = [change.drag for change in changes]
    assert len(log.gestures) == drags.count(0) + len(set(drags) - {0})
    assert [gesture.step for gesture in log.gestures] == sorted(g.step for g in log.gestures)
    assert sorted(c.step for g in log.gestures for c in g.changes) == [c.step for c in log]
