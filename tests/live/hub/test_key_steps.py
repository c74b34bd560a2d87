"""Which steps keep every frame around them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bnviz.live.hub.history import AROUND
from bnviz.live.hub.key_steps import MOST_PLACES, KeySteps


@settings(max_examples=50)
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
