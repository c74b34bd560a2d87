"""What the log of a run's changes costs."""

from __future__ import annotations

import pytest

from bnviz.live.hub.history import History
from bnviz.live.hub.log_budget import MOST_CHANGES
from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.wire import pack
from bnviz.records import Change
from tests.live.hub.histories import BODY, CAP, change, filled, steps_of


def test_changes_count_as_bytes_and_the_cap_holds_however_many_come():
    history = History(CAP)
    taken = 0
    for step in range(0, 90_000, 3):
        if history.takes_change():
            history.take_change(change(step))
            taken += 1
        if step % 30 == 0:
            history.add(step, BODY)
        assert history.size <= CAP
    assert 100 < taken < 1_000
    assert not history.takes_change()
    frames = sum(len(frame.body) + 160 for frame in history)
    assert (
        history.size - frames >= sum(len(str(plain_change(change(0)))) for _ in range(taken)) // 2
    )
    assert history.size - frames <= CAP / 4
    assert steps_of(history)[0] == 0


def test_a_log_at_its_bound_fits_into_the_message_that_hands_the_run_over():
    history, log = History(2**28), []
    rates = tuple(0.123456789012345 + i for i in range(4))
    while history.takes_change():
        log.append(Change(100_000 + len(log), {"learning_rates": rates}, drag=12_345))
        history.take_change(log[-1])
    assert len(log) > 1_000
    assert pack({"type": "start", "log": [plain_change(one) for one in log]})
    assert len(log) <= MOST_CHANGES
    assert History(2**28).takes_change(MOST_CHANGES - 1)
    assert not History(2**28).takes_change(MOST_CHANGES)


def test_values_of_a_drag_before_the_same_step_count_once():
    history = History(CAP)
    for rate in range(900):
        history.take_change(change(5, drag=1, rate=rate))
    assert history.size == filled_log(change(5, drag=1, rate=899))
    history.take_change(change(6, drag=1, rate=7))
    assert history.size > filled_log(change(5, drag=1, rate=899))


def filled_log(*changes: Change) -> int:
    history = History(CAP)
    for one in changes:
        history.take_change(one)
    return history.size


def test_changes_that_wait_to_take_effect_count():
    history = History(CAP)
    while history.takes_change(waiting=20):
        history.take_change(change(5))
    for _ in range(20):
        assert history.takes_change()
        history.take_change(change(5))


def test_a_fork_and_a_restart_know_what_their_log_costs():
    history = filled(range(10))
    for step in range(100):
        history.take_change(change(step))
    frames = history.size - filled(range(10)).size
    assert history.until(49).size - filled(range(10)).size == pytest.approx(frames / 2, rel=0.05)
    history.restart()
    assert history.size == 0
