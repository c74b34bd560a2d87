from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.live.hub.gaps import MOST_ASKED, PATIENCE
from bnviz.live.hub.history import AROUND, History
from bnviz.live.hub.key_steps import MOST_PLACES, KeySteps
from bnviz.live.hub.log_budget import MOST_CHANGES
from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.wire import pack
from bnviz.records import Change

BODY = b"x" * 1000
CAP = 200_000


def filled(steps, centres=(), cap=CAP) -> History:
    history = History(cap)
    for step in steps:
        for centre in centres:
            if centre == step:
                history.protect(centre)
        history.add(step, BODY)
    return history


def steps_of(history: History) -> list[int]:
    return [frame.step for frame in history]


def test_numbers_go_up_and_frames_lie_in_order_of_step():
    history = History(CAP)
    numbers = [history.add(step, b"") for step in (0, 10, 20)]
    replayed = history.add(15, b"", replayed=True)
    assert [*numbers, replayed] == [0, 1, 2, 3]
    assert history.index() == [[0, 0], [1, 10], [3, 15], [2, 20]]
    assert history.newest.step == 20


def test_a_second_frame_of_a_step_takes_the_place_of_the_first():
    history = filled([0, 1])
    size = history.size
    history.add(1, BODY)
    assert history.index() == [[0, 0], [2, 1]]
    assert history.size == size


def test_the_cap_holds_and_step_0_and_the_newest_frame_stay():
    history = History(CAP)
    for step in range(2_000):
        history.add(step, BODY)
        assert history.size <= CAP
    assert steps_of(history)[0] == 0
    assert steps_of(history)[-1] == 1_999


def test_what_is_old_is_thinned_more_than_what_is_new():
    steps = steps_of(filled(range(3_000)))
    old = sum(step < 1_500 for step in steps)
    assert 0 < old < len(steps) - old
    assert max(b - a for a, b in pairwise(steps)) < 1_000


def test_frames_around_a_break_or_change_stay():
    history = filled(range(5_000), centres=(700,))
    around = set(range(700 - AROUND, 700 + AROUND + 1))
    assert around <= set(steps_of(history))


def test_where_the_cap_is_too_small_for_all_surroundings_the_centres_stay():
    centres = range(100, 4_000, 120)
    history = filled(range(5_000), centres=centres)
    assert history.size <= CAP
    assert set(centres) <= set(steps_of(history))


def test_missing_names_the_steps_around_a_centre_that_no_frame_shows():
    history = filled([0, 60, 100, 101, 102, 140])
    missing = history.missing(100, last=140)
    assert missing[0] == 50
    assert missing[-1] == 139
    assert not {60, 100, 101, 102, 140} & set(missing)


def test_nearest_finds_the_frame_or_the_one_nearest_in_step():
    history = filled(range(2_000))
    assert history.nearest(1_999).step == 1_999
    assert history.nearest(10**9).step == 1_999
    thinned = next(step for step in range(2_000) if step not in steps_of(history))
    found = history.nearest(thinned)
    assert abs(found.step - thinned) == min(abs(step - thinned) for step in steps_of(history))
    assert History(CAP).nearest(3) is None


def test_a_fork_keeps_the_past_up_to_its_step_and_goes_its_own_way():
    history = filled(range(100), centres=(40,))
    fork = history.until(50)
    assert steps_of(fork) == list(range(51))
    fork.add(51, b"")
    assert steps_of(history) == list(range(100))
    assert not fork.protect(40)


def test_after_a_restart_numbers_go_on():
    history = filled(range(5))
    history.restart()
    assert (len(history), history.size, history.newest) == (0, 0, None)
    assert history.add(0, b"") == 5
    assert history.index() == [[5, 0]]


def change(step: int, drag: int = 0, rate: float = 0.1) -> Change:
    return Change(step, {"learning_rate": rate}, drag)


def test_a_drag_of_hundreds_of_values_keeps_the_steps_around_its_ends():
    history = History(500_000)
    for step in range(6_000):
        if 1_000 <= step < 4_000 and step % 10 == 0:
            history.take_change(change(step, drag=7))
        history.add(step, BODY)
        assert history.size <= 500_000
    steps = set(steps_of(history))
    for end in (1_000, 3_990):
        assert set(range(end - AROUND, end + AROUND + 1)) <= steps
    assert len(steps & set(range(1_100, 3_900))) < 100


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


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from("bc"), st.integers(0, 2)),
        min_size=1, max_size=1_000,
    )
)  # fmt: skip
def test_places_are_bounded_and_breaks_and_the_first_and_last_change_stay(events):
    surroundings, step, breaks, changes = KeySteps(), 0, [], []
    for gap, kind, drag in events:
        step += gap
        if kind == "b" and len(breaks) < 20:
            surroundings.add_break(step)
            breaks.append(step)
        else:
            surroundings.add_change(step, drag)
            changes.append(step)
    assert len(surroundings) <= MOST_PLACES + 1
    spans = surroundings.spans(AROUND)
    for kept in [*breaks, *changes[:1], *changes[-1:]]:
        assert any(a <= kept - AROUND and kept + AROUND <= b for a, b in spans), kept
    assert all(one[1] + 1 < other[0] for one, other in pairwise(spans))


def test_the_oldest_changes_lose_their_surroundings_first():
    surroundings = KeySteps()
    for step in range(0, 500 * 200, 200):
        surroundings.add_change(step)
    kept = surroundings.centres()
    assert kept == [0, *range(301 * 200, 500 * 200, 200)]


def looked(history: History, newest: int, *, stands: bool = False) -> list[int]:
    return history.unseen(newest, stands=stands)


def test_a_drag_asks_for_the_frames_around_its_ends_alone():
    history, asked = History(10**7), []
    for step in range(0, 9_000, 30):
        if step >= 1_500:
            history.take_change(change(step, drag=3))
        history.add(step, BODY)
        asked += looked(history, step)
    asked += looked(history, 12_000) + looked(history, 12_500)
    first, last = 1_500, 8_970
    wanted = {*history.missing(first, 9_999), *history.missing(last, 9_999)}
    assert set(asked) == wanted
    assert len(asked) == len(wanted)


def test_each_step_is_asked_for_once_when_it_is_passed_or_the_run_stands():
    history = filled(range(0, 1_000, 10))
    history.protect(500)
    assert not looked(history, 549)
    assert looked(history, 549, stands=True) == history.missing(500, 549)
    assert not looked(history, 549, stands=True)
    assert looked(history, 1_000) == []
    history.protect(970)
    assert looked(history, 980, stands=True) == history.missing(970, 980)
    assert looked(history, 1_020) == [step for step in range(981, 1_021) if step != 990]


def test_steps_on_order_are_bounded_and_lost_ones_do_not_stop_what_follows():
    history = filled(range(0, 10_000, 100))
    asked = []
    for _ in range(2 * PATIENCE):
        looked(history, 500)
    for step in range(1_000, 4_000, 200):
        history.take_change(change(step))
        asked += looked(history, step + 100)
    assert len(asked) <= MOST_ASKED
    for _ in range(PATIENCE):
        looked(history, 9_000)
    history.take_change(change(9_500))
    assert looked(history, 9_600)


def test_what_arrives_makes_room_and_another_worker_is_asked_anew():
    history = filled([0, 1_000])
    history.protect(500)
    asked = looked(history, 1_000)
    for step in asked[:40]:
        history.add(step, BODY, replayed=True)
    assert looked(history, 1_000) == []
    history.ask_again()
    assert looked(history, 1_000) == asked[40:]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 4_000), st.booleans()), max_size=300),
    st.integers(5_000, 60_000),
)
def test_whatever_comes_order_is_kept_and_bytes_are_counted(frames, cap):
    history = History(cap)
    history.add(0, b"")
    for step, size, is_centre in frames:
        if is_centre:
            history.protect(step)
        history.add(step, b"x" * size)
        steps = steps_of(history)
        assert steps == sorted(set(steps))
        assert steps[0] == 0
        assert history.size == sum(len(frame.body) + 160 for frame in history)
        assert history.size <= cap or len(history) <= 3
