"""A run's history: kept frames, the size of its change log, and steps that no viewer saw."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.change_log import plain_change
from bnviz.live.protocol.wire import pack
from bnviz.live.runs.history import MOST_LOGGED_CHANGES, MOST_UNSEEN_SPANS, History, UnseenSpans
from bnviz.live.runs.protected_steps import AROUND
from bnviz.records import Change
from tests.live.runs.histories import BODY, CAP, change, filled, steps_of


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
    fork = history.up_to(50, ())
    assert steps_of(fork) == list(range(51))
    fork.add(51, b"")
    assert steps_of(history) == list(range(100))
    assert not fork.add_break(40)


def test_after_a_restart_numbers_go_on():
    history = filled(range(5))
    history.restart()
    assert (len(history), history.size, history.newest) == (0, 0, None)
    assert history.add(0, b"") == 5
    assert history.index() == [[5, 0]]


def test_a_drag_of_hundreds_of_values_keeps_the_steps_around_its_ends():
    history = History(500_000)
    for step in range(6_000):
        if 1_000 <= step < 4_000 and step % 10 == 0:
            history.add_change(change(step, drag=7))
        history.add(step, BODY)
        assert history.size <= 500_000
    steps = set(steps_of(history))
    for end in (1_000, 3_990):
        assert set(range(end - AROUND, end + AROUND + 1)) <= steps
    assert len(steps & set(range(1_100, 3_900))) < 100


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 5_000), st.integers(0, 4_000), st.booleans()), max_size=300),
    st.integers(5_000, 60_000),
)
def test_whatever_comes_order_is_kept_and_bytes_are_counted(frames, cap):
    history = History(cap)
    history.add(0, b"")
    for step, size, is_centre in frames:
        if is_centre:
            history.add_break(step)
        history.add(step, b"x" * size)
        steps = steps_of(history)
        assert steps == sorted(set(steps))
        assert steps[0] == 0
        assert history.size == sum(len(frame.body) + 160 for frame in history)
        assert history.size <= cap or len(history) <= 3


def test_changes_count_as_bytes_and_the_cap_holds_however_many_come():
    history = History(CAP)
    taken = 0
    for step in range(0, 90_000, 3):
        if history.log.has_room():
            history.add_change(change(step))
            taken += 1
        if step % 30 == 0:
            history.add(step, BODY)
        assert history.size <= CAP
    assert 100 < taken < 1_000
    assert not history.log.has_room()
    frames = sum(len(frame.body) + 160 for frame in history)
    assert (
        history.size - frames >= sum(len(str(plain_change(change(0)))) for _ in range(taken)) // 2
    )
    assert history.size - frames <= CAP / 4
    assert steps_of(history)[0] == 0


def test_a_log_at_its_bound_fits_into_the_message_that_hands_the_run_over():
    history, log = History(2**28), []
    rates = tuple(0.123456789012345 + i for i in range(4))
    while history.log.has_room():
        log.append(Change(100_000 + len(log), {"learning_rates": rates}, drag=12_345))
        history.add_change(log[-1])
    assert len(log) > 1_000
    assert pack({"type": "start", "log": [plain_change(one) for one in log]})
    assert len(log) <= MOST_LOGGED_CHANGES
    assert History(2**28).log.has_room(MOST_LOGGED_CHANGES - 1)
    assert not History(2**28).log.has_room(MOST_LOGGED_CHANGES)


def test_values_of_a_drag_before_the_same_step_count_once():
    history = History(CAP)
    for rate in range(900):
        history.add_change(change(5, drag=1, rate=rate))
    assert history.size == filled_log(change(5, drag=1, rate=899))
    history.add_change(change(6, drag=1, rate=7))
    assert history.size > filled_log(change(5, drag=1, rate=899))


def filled_log(*changes: Change) -> int:
    history = History(CAP)
    for one in changes:
        history.add_change(one)
    return history.size


def test_changes_that_wait_to_take_effect_count():
    history = History(CAP)
    while history.log.has_room(waiting=20):
        history.add_change(change(5))
    for _ in range(20):
        assert history.log.has_room()
        history.add_change(change(5))


def test_a_fork_and_a_restart_know_what_their_log_costs():
    history = filled(range(10))
    for step in range(100):
        history.add_change(change(step))
    frames = history.size - filled(range(10)).size
    fork = history.up_to(49, map(change, range(50)))
    assert fork.size - filled(range(10)).size == pytest.approx(frames / 2, rel=0.05)
    history.restart()
    assert history.size == 0


def steps_in(spans: UnseenSpans) -> set[int]:
    return {step for first, last in spans for step in range(first, last + 1)}


def in_order(spans: UnseenSpans) -> bool:
    """Return whether no span is empty and at least one seen step is between any two spans."""
    return all(first <= last for first, last in spans) and all(
        one[1] + 1 < other[0] for one, other in pairwise(spans)
    )


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12), st.booleans()), max_size=40))
def test_spans_are_the_steps_that_were_passed_unseen_and_never_shown_since(events):
    spans, expected = UnseenSpans(), set[int]()
    for first, length, shown in events:
        before, version = list(spans), spans.version
        if shown:
            spans.show(first)
            expected.discard(first)
        else:
            spans.add(first, first + length)
            expected |= set(range(first, first + length + 1))
        assert steps_in(spans) == expected
        assert in_order(spans)
        assert spans.version > version or list(spans) == before
        fork = spans.up_to(30)
        assert steps_in(fork) == {step for step in expected if step <= 30}
    assert spans.plain()["spans"] == [list(span) for span in spans]


@pytest.mark.parametrize("seed", range(5))
def test_of_too_many_those_that_lie_closest_become_one_and_none_is_forgotten(seed):
    chance, spans, step, unseen = random.Random(seed), UnseenSpans(), 0, set[int]()
    for _ in range(4 * MOST_UNSEEN_SPANS):
        first = step + chance.randint(2, 9)
        step = first + chance.randint(0, 9)
        spans.add(first, step)
        unseen |= set(range(first, step + 1))
        if chance.random() < 0.3:
            spans.show(first)
            unseen.discard(first)
        assert in_order(spans)
    assert len(list(spans)) == MOST_UNSEEN_SPANS
    assert unseen <= steps_in(spans)


def test_what_was_seen_for_long_stays_told_apart_from_what_was_not():
    spans = UnseenSpans()
    for turn in range(10 * MOST_UNSEEN_SPANS):
        start = 100 * turn
        seen = 90 if turn % 50 == 0 else 5
        spans.add(start, start + 99 - seen)
    kept = {other[0] - one[1] - 1 for one, other in pairwise(spans)}
    assert 90 in kept
    assert sum(other[0] - one[1] == 91 for one, other in pairwise(spans)) == 20


def test_thinning_leaves_them_a_fork_has_them_up_to_its_step_and_a_restart_none():
    history = History(CAP)
    for step in (*range(1_000), *range(3_000, 5_000)):
        if step == 3_000:
            history.pass_unseen(1_000, 2_999)
        history.add(step, BODY)
    assert history.thinned
    assert list(history.unseen) == [(1_000, 2_999)]
    assert list(history.up_to(4_000, ()).unseen) == [(1_000, 2_999)]
    fork = history.up_to(2_000, ())
    assert list(fork.unseen) == [(1_000, 2_000)]
    fork.add(2_000, BODY)
    assert list(fork.unseen) == [(1_000, 1_999)], "it begins with a frame"
    assert list(history.unseen) == [(1_000, 2_999)], "its parent keeps its own"
    assert list(history.up_to(999, ()).unseen) == []
    history.add(1_500, BODY, replayed=True)
    assert list(history.unseen) == [(1_000, 1_499), (1_501, 2_999)]
    assert 1_500 in steps_of(history)
    version, told = history.version, history.unseen.version
    history.restart()
    assert list(history.unseen) == []
    assert history.version > version
    assert history.unseen.version > told
