"""What a run's history keeps of its frames."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.live.hub.history import AROUND, History
from tests.live.hub.histories import BODY, CAP, change, filled, steps_of


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
            history.protect(step)
        history.add(step, b"x" * size)
        steps = steps_of(history)
        assert steps == sorted(set(steps))
        assert steps[0] == 0
        assert history.size == sum(len(frame.body) + 160 for frame in history)
        assert history.size <= cap or len(history) <= 3
