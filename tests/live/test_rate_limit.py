from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bnviz.live import rate_limit
from bnviz.live.rate_limit import MINUTE, MOST_KEYS, RateLimiter


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_hall_may_come_at_once_and_as_many_again_in_every_minute():
    clock = Clock()
    each = RateLimiter(600, clock=clock)
    assert sum(each.take("hall") for _ in range(1000)) == 600
    clock.now += 1
    assert sum(each.take("hall") for _ in range(1000)) == 10
    clock.now += 10 * MINUTE
    assert sum(each.take("hall") for _ in range(1000)) == 600


def test_one_address_takes_nothing_from_another():
    each = RateLimiter(1, clock=Clock())
    assert each.take("a")
    assert not each.take("a")
    assert each.take("b")


@given(
    limit=st.integers(1, 20),
    pauses=st.lists(st.floats(0, 90, allow_nan=False), min_size=1, max_size=80),
)
def test_after_the_wait_there_is_one_and_never_more_than_allowed(limit, pauses):
    clock = Clock()
    each, taken = RateLimiter(limit, clock=clock), []
    for pause in pauses:
        clock.now += pause
        may = each.may_take("a")
        assert each.may_take("a") is may, "a check does not count"
        if each.take("a"):
            assert may
            taken.append(clock.now)
            continue
        assert not may
        wait = each.wait("a")
        assert wait is not None
        assert 1 <= wait <= MINUTE
        clock.now += wait
        assert each.take("a")
        taken.append(clock.now)
    # Within one minute, a client can use the whole burst and the tokens regained in that minute: at
    # most twice the limit.
    for moment in taken:
        assert sum(moment <= other < moment + MINUTE for other in taken) <= 2 * limit


def test_there_is_nothing_to_wait_for_where_nothing_was_refused():
    clock = Clock()
    each = RateLimiter(1, clock=clock)
    assert each.wait("a") is None
    each.take("a")
    assert each.wait("a") is None
    assert not each.take("a")
    assert each.wait("a") == MINUTE
    # Tokens have been regained, but a refused client still gets a time to retry.
    clock.now += MINUTE
    assert each.wait("a") == 1
    clock.now += 1
    assert each.wait("a") is None


def test_what_it_remembers_is_bounded_in_size_and_time(monkeypatch):
    monkeypatch.setattr(rate_limit, "MOST_KEYS", 50)
    clock = Clock()
    each = RateLimiter(1, clock=clock)
    for number in range(200):
        each.take(f"address {number}")
        each.take(f"address {number}")
        assert len(each) <= 50
    clock.now += 2 * MINUTE + 1
    each.take("later")
    assert len(each) == 1
    assert MOST_KEYS <= 100_000


def test_a_rate_is_a_burst_and_then_so_many_a_second():
    now = 100.0
    rate = RateLimiter(10, seconds=1, clock=lambda: now)
    assert [rate.take() for _ in range(12)] == [True] * 10 + [False] * 2
    now += 0.25
    assert [rate.take() for _ in range(3)] == [True, True, False]
    now += 1e6
    assert [rate.take() for _ in range(11)] == [True] * 10 + [False]
