"""Limited places for running runs: unwatched runs give way, and addresses take turns."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest

from bnviz.live import LimitReached
from bnviz.live.runs import admission, housekeeping, registry, viewers
from bnviz.live.runs import run as runs_module
from bnviz.live.runs.housekeeping import maintain
from bnviz.live.runs.viewer import Viewer
from tests.live.conftest import SMALL
from tests.live.runs.quiet_hub import QuietHub

pytestmark = pytest.mark.anyio


class Clock:
    """Stand-in for the module `time`."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def monotonic(self) -> float:
        return self.now


class Page(Viewer):
    """Viewer that records the places in the queue that it receives."""

    def __init__(self) -> None:
        super().__init__(self._nowhere, 5.0)
        self.places: list[int | None] = []

    async def _nowhere(self, _text: str) -> None: ...

    def offer(self, message: dict[str, Any]) -> None:
        if "queue" in message:
            self.places.append(message["queue"])


class Server:
    """Hub whose housekeeping runs only when a test advances the clock."""

    def __init__(self, clock: Clock, **settings: Any) -> None:
        self.hub, self.clock = QuietHub(grace_seconds=10, **settings), clock

    def start(self, browser: str, address: str = "", *, watched: bool = False) -> str:
        run = self.hub.start(browser, SMALL, asleep=True, address=address)
        if watched:
            self.watch(run)
        return run

    def watch(self, run: str, browser: str | None = None, address: str = "") -> Page:
        self.hub.viewers.join(run, page := Page(), browser, address=address)
        return page

    def after(self, seconds: float) -> None:
        self.clock.now += seconds
        maintain(self.hub.registry)

    def places(self) -> set[str]:
        runs = self.hub.registry.runs.values()
        return {run.id for run in runs if run.placement.worker is not None}

    def queue(self) -> list[str]:
        return [run.id for run in self.hub.registry.queue()]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (admission, housekeeping, registry, viewers, runs_module):
        monkeypatch.setattr(module, "time", clock)
    return clock


async def test_a_run_whose_page_is_on_its_way_does_not_give_way(clock: Clock):
    server = Server(clock, max_runs=1)
    first = server.start("a")
    second = server.start("b")
    assert (server.places(), server.queue()) == ({first}, [second])
    server.watch(second)
    server.after(11)
    assert (server.places(), server.queue()) == ({second}, [])


async def test_a_page_that_was_hidden_and_is_loaded_again_finds_its_run(clock: Clock):
    server = Server(clock, max_runs=1)
    run = server.start("a")
    viewer = server.watch(run)
    server.hub.viewers.hide(viewer, hidden=True)
    server.after(11)
    assert not server.hub.run(run).attended
    server.hub.viewers.leave(viewer)
    server.start("b")
    assert server.places() == {run}


async def test_the_run_that_was_watched_longest_ago_gives_way_whoever_started_it(clock: Clock):
    server = Server(clock, max_runs=3)
    older, watched, newer = (server.start(browser) for browser in "aba")
    server.watch(watched)
    for run in (newer, older):
        viewer = server.watch(run)
        server.after(1)
        server.hub.viewers.leave(viewer)
    server.hub.viewers.leave(server.watch(older))
    server.after(11)
    third = server.start("c")
    assert server.places() == {older, watched, third}
    fourth = server.start("d")
    assert server.places() == {watched, third, fourth}


async def test_twelve_browsers_of_one_address_cannot_keep_others_from_a_place(clock: Clock):
    server = Server(clock, starts_per_minute=9_999)
    refused = 0
    for number in range(12 * 8):
        try:
            server.start(f"attacker {number % 12}", "192.0.2.1")
        except LimitReached:
            refused += 1
    assert (len(server.places()), len(server.queue()), refused) == (48, 40, 8)
    visitor = server.start("visitor", "192.0.2.2", watched=True)
    assert server.queue()[0] == visitor, "its address has no run, the other one has 48"
    server.after(11)
    assert visitor in server.places()


async def test_one_address_fills_the_queue_for_itself_and_half_of_it_for_others(clock: Clock):
    server = Server(clock, max_runs=1, max_queue=4, runs_per_owner=99)
    server.start("school", "192.0.2.1", watched=True)
    for _ in range(4):
        server.start("school", "192.0.2.1", watched=True)
    with pytest.raises(LimitReached, match="4 runs are waiting already"):
        server.start("another of the school", "192.0.2.1")
    for _ in range(2):
        server.start("home", "192.0.2.2", watched=True)
    with pytest.raises(LimitReached):
        server.start("home", "192.0.2.2")
    with pytest.raises(LimitReached):
        server.start("elsewhere", "192.0.2.3")


async def test_in_a_full_queue_a_run_that_was_left_gives_way(clock: Clock):
    server = Server(clock, max_runs=1, max_queue=2)
    server.start("a", watched=True)
    watched = server.start("a", watched=True)
    left = server.start("b")
    server.hub.viewers.leave(server.watch(left))
    server.after(2)
    with pytest.raises(LimitReached):
        server.start("c")
    server.after(2)
    assert server.queue() == [left, watched]
    new = server.start("c")
    assert server.queue() == [new, watched]


async def test_addresses_take_turns_and_within_one_its_browsers_do(clock: Clock):
    server = Server(clock, max_runs=1)
    server.start("a", "192.0.2.1", watched=True)
    of_a = [server.start("a", "192.0.2.1", watched=True) for _ in range(3)]
    of_b = [server.start("b", "192.0.2.1", watched=True) for _ in range(2)]
    of_c = [server.start("c", "192.0.2.2", watched=True) for _ in range(2)]
    assert server.queue() == [of_c[0], of_b[0], of_c[1], of_a[0], of_b[1], *of_a[1:]]


async def test_watched_runs_of_six_browsers_do_not_keep_another_address_out(clock: Clock):
    server = Server(clock, starts_per_minute=9_999)
    of_six = [server.start(f"{n % 6}", "192.0.2.1", watched=True) for n in range(48)]
    visitor = server.start("visitor", "192.0.2.2", watched=True)
    server.after(0.5)
    assert visitor in server.places()
    # The run that gave way was not ended: it waits in the queue, and continues later.
    (gone,) = server.queue()
    assert {*of_six} == server.places() - {visitor} | {gone}
    assert server.hub.registry.runs[gone].attended
    server.hub.viewers.leave(next(iter(server.hub.registry.runs[visitor].viewers)))
    server.after(11)
    assert server.places() == {*of_six}


async def test_within_an_address_nobody_keeps_eight_places_while_another_has_none(clock: Clock):
    server = Server(clock, max_runs=9, starts_per_minute=9_999)
    server.start("student", "192.0.2.1", watched=True)
    of_one = [server.start("greedy", "192.0.2.1", watched=True) for _ in range(8)]
    others = [server.start(f"{n}", "192.0.2.1", watched=True) for n in range(8)]
    server.after(0.5)
    assert {*others[:7]} < server.places()
    assert [*server.places() & {*of_one}] == [of_one[-1]]
    before = server.places()
    server.after(0.5)
    assert server.places() == before, "no address has two more runs than a waiting one"


async def test_a_run_out_of_view_gives_way_before_another(clock: Clock):
    server = Server(clock, max_runs=3)
    for at in range(3):
        run = server.start("a", "192.0.2.1")
        viewer = server.watch(run)
        if at == 1:
            server.hub.viewers.hide(viewer, hidden=True)
            hidden = run
    server.start("b", "192.0.2.2", watched=True)
    server.after(0.5)
    assert server.queue() == [hidden]


async def test_watched_sockets_of_one_address_do_not_keep_another_from_watching(clock: Clock):
    server = Server(clock, max_viewers=6, viewers_per_browser=3)
    run = server.start("a", "192.0.2.1")
    pages = [server.watch(run, browser, "192.0.2.1") for browser in "aaabbb"]
    own = server.watch(server.start("c", "192.0.2.2"), "c", "192.0.2.2")
    assert [page.dropped for page in (*pages, own)].count(True) == 1
    assert not own.dropped
    # Among the browsers of one address, the browser with the most viewers loses one viewer.
    server.watch(run, "d", "192.0.2.1")
    assert [page.dropped for page in pages].count(True) == 2
    for page in (*pages, own):
        assert page.dropped <= (page is not own)
    with pytest.raises(LimitReached):
        server.watch(run, "b", "192.0.2.1")


async def test_who_starts_a_run_always_gets_one_place_to_watch_it(clock: Clock):
    server = Server(clock, max_viewers=2)
    for browser in "ab":
        server.watch(server.start(browser, "192.0.2.1"), browser, "192.0.2.1")
    run = server.start("c", "192.0.2.1")
    with pytest.raises(LimitReached):
        server.watch(run, "stranger", "192.0.2.1")
    server.watch(run, "c", "192.0.2.1")
    with pytest.raises(LimitReached):
        server.watch(run, "c", "192.0.2.1")


async def test_one_address_pins_at_most_half_of_the_runs(clock: Clock):
    server = Server(clock, max_pins=4)
    for browser in "ab":
        server.hub.pin(browser, server.start(browser, "192.0.2.1"))
    with pytest.raises(LimitReached, match="2 runs from your internet connection are kept already"):
        server.hub.pin("c", server.start("c", "192.0.2.1"))
    server.hub.pin("d", server.start("d", "192.0.2.2"))


async def test_whoever_waits_is_told_when_another_comes_before_it(clock: Clock):
    server = Server(clock, max_runs=1)
    server.start("a", "192.0.2.1", watched=True)
    page = server.watch(server.start("a", "192.0.2.1"))
    other = server.start("b", "192.0.2.2")
    server.after(0)
    await server.hub.settle()
    server.after(11)
    server.after(0.5)
    await server.hub.settle()
    assert server.hub.info(other) is None, "nobody watches it"
    assert [place for place, _ in itertools.groupby(page.places)] == [1, 2, 1]
