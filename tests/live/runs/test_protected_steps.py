"""Steps around breaks and changes: protected steps, and missing steps that are requested."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.live.runs.history import History
from bnviz.live.runs.protected_steps import (
    AROUND,
    MOST_EVENT_SPANS,
    MOST_REQUESTED,
    PATIENCE,
    ProtectedSteps,
    is_near,
)
from tests.live.runs.histories import BODY, change, filled


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from("bc"), st.integers(0, 2)),
        min_size=1, max_size=1_000,
    )
)  # fmt: skip
def test_places_are_bounded_and_breaks_and_the_first_and_last_change_stay(events):
    surroundings, step, breaks, changes = ProtectedSteps(), 0, [], []
    for gap, kind, drag in events:
        step += gap
        if kind == "b" and len(breaks) < 20:
            surroundings.add_break(step)
            breaks.append(step)
        else:
            surroundings.add_change(step, drag)
            changes.append(step)
    assert len(surroundings) <= MOST_EVENT_SPANS + 1
    centres = surroundings.centres()
    assert centres == sorted(set(centres))
    for kept in [*breaks, *changes[:1], *changes[-1:]]:
        around = range(kept - AROUND, kept + AROUND + 1)
        assert all(is_near(step, centres, AROUND) for step in around), kept


def test_the_oldest_changes_lose_their_surroundings_first():
    surroundings = ProtectedSteps()
    for step in range(0, 500 * 200, 200):
        surroundings.add_change(step)
    kept = surroundings.centres()
    assert kept == [0, *range(301 * 200, 500 * 200, 200)]


def looked(history: History, newest: int, *, stands: bool = False) -> list[int]:
    return history.take_steps_to_replay(newest, stopped=stands)


def test_a_drag_asks_for_the_frames_around_its_ends_alone():
    history, asked = History(10**7), []
    for step in range(0, 9_000, 30):
        if step >= 1_500:
            history.add_change(change(step, drag=3))
        history.add(step, BODY)
        asked += looked(history, step)
    asked += looked(history, 12_000) + looked(history, 12_500)
    first, last = 1_500, 8_970
    wanted = {*history.missing(first, 9_999), *history.missing(last, 9_999)}
    assert set(asked) == wanted
    assert len(asked) == len(wanted)


def test_each_step_is_asked_for_once_when_it_is_passed_or_the_run_stands():
    history = filled(range(0, 1_000, 10))
    history.add_break(500)
    assert not looked(history, 549)
    assert looked(history, 549, stands=True) == history.missing(500, 549)
    assert not looked(history, 549, stands=True)
    assert looked(history, 1_000) == []
    history.add_break(970)
    assert looked(history, 980, stands=True) == history.missing(970, 980)
    assert looked(history, 1_020) == [step for step in range(981, 1_021) if step != 990]


def test_steps_on_order_are_bounded_and_lost_ones_do_not_stop_what_follows():
    history = filled(range(0, 10_000, 100))
    asked = []
    for _ in range(2 * PATIENCE):
        looked(history, 500)
    for step in range(1_000, 4_000, 200):
        history.add_change(change(step))
        asked += looked(history, step + 100)
    assert len(asked) <= MOST_REQUESTED
    for _ in range(PATIENCE):
        looked(history, 9_000)
    history.add_change(change(9_500))
    assert looked(history, 9_600)


def test_what_arrives_makes_room_and_another_worker_is_asked_anew():
    history = filled([0, 1_000])
    history.add_break(500)
    asked = looked(history, 1_000)
    for step in asked[:40]:
        history.add(step, BODY, replayed=True)
    assert looked(history, 1_000) == []
    history.restart_backfill()
    assert looked(history, 1_000) == asked[40:]
