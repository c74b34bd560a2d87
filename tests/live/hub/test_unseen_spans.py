"""Spans of steps that nobody saw: exactly those, and more only where there are too many."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.live.hub.history import History
from bnviz.live.hub.unseen_spans import MOST_SPANS, UnseenSpans
from tests.live.hub.histories import BODY, CAP, steps_of


def steps_in(spans: UnseenSpans) -> set[int]:
    return {step for first, last in spans for step in range(first, last + 1)}


def in_order(spans: UnseenSpans) -> bool:
    """Whether each span has steps, and a step that was seen lies between any two."""
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
        fork = spans.until(30)
        assert steps_in(fork) == {step for step in expected if step <= 30}
    assert spans.plain()["spans"] == [list(span) for span in spans]


@pytest.mark.parametrize("seed", range(5))
def test_of_too_many_those_that_lie_closest_become_one_and_none_is_forgotten(seed):
    chance, spans, step, unseen = random.Random(seed), UnseenSpans(), 0, set[int]()
    for _ in range(4 * MOST_SPANS):
        first = step + chance.randint(2, 9)
        step = first + chance.randint(0, 9)
        spans.add(first, step)
        unseen |= set(range(first, step + 1))
        if chance.random() < 0.3:
            spans.show(first)
            unseen.discard(first)
        assert in_order(spans)
    assert len(list(spans)) == MOST_SPANS
    assert unseen <= steps_in(spans)


def test_what_was_seen_for_long_stays_told_apart_from_what_was_not():
    spans = UnseenSpans()
    for turn in range(10 * MOST_SPANS):
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
    assert list(history.until(4_000).unseen) == [(1_000, 2_999)]
    fork = history.until(2_000)
    assert list(fork.unseen) == [(1_000, 2_000)]
    fork.add(2_000, BODY)
    assert list(fork.unseen) == [(1_000, 1_999)], "it begins with a frame"
    assert list(history.unseen) == [(1_000, 2_999)], "its parent keeps its own"
    assert list(history.until(999).unseen) == []
    history.add(1_500, BODY, replayed=True)
    assert list(history.unseen) == [(1_000, 1_499), (1_501, 2_999)]
    assert 1_500 in steps_of(history)
    version, told = history.version, history.unseen.version
    history.restart()
    assert list(history.unseen) == []
    assert history.version > version
    assert history.unseen.version > told
