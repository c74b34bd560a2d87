"""The stand-in, a recorded run, and tabs that show it."""

import pytest

from tests.browser.live_view.harness import Harness
from tests.browser.live_view.page_data import knobs_of, page_data
from tests.browser.live_view.recorded import MAIN, MORE, PAIR, bodies, record
from tests.browser.live_view.tab import Tab, call


@pytest.fixture(scope="session")
def harness():
    running = Harness()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def taken():
    return record(PAIR, 30, change=12)


@pytest.fixture(scope="session")
def frames(taken):
    return bodies(taken)


@pytest.fixture
def open_tab(tabs, harness):
    """`open_tab(data, frames)` begins a run and opens the page; console errors fail the test."""
    taken = []

    def begin(data, frames, *, begin=None, **options):
        harness.begin(data, frames, **(begin or {}))
        opened = tabs.take(**{"viewport": {"width": 1300, "height": 1000}, **options})
        taken.append(opened)
        opened.page.set_default_timeout(15_000)
        opened.page.goto(harness.url)
        return Tab(opened.page, opened.problems)

    yield begin
    problems = [problem for opened in taken for problem in opened.problems]
    for opened in taken:
        tabs.give_back(opened, harness.url + "blank")
    harness.wait(lambda: not harness._sockets)
    assert not problems, "\n".join(problems)


@pytest.fixture
def tab(open_tab, frames):
    """The main charts with a kept past of 31 steps."""
    opened = open_tab(page_data(PAIR, MAIN, MORE), frames)
    opened.drawn(30)
    return opened


@pytest.fixture(scope="module")
def module(chromium, harness):
    """`module(name, expression, argument)` evaluates an expression of one of our modules."""
    page = chromium.new_page()
    page.goto(harness.url + "blank")
    yield lambda *asked: call(page, *asked)
    page.close()


@pytest.fixture
def lab(open_tab, frames):
    """`lab(**data)`: a page whose sidebar has every live knob, connected."""

    def begin(*, begin=None, **data):
        knobs = knobs_of(PAIR, "learning_rate", "batch_size", "momentum", "weight_decay")
        sidebar = {"knobs": knobs, "heading": ["While it runs", "acts at once"]}
        tab = open_tab({**page_data(PAIR, MAIN), "sidebar": sidebar, **data}, frames, begin=begin)
        tab.drawn(30)
        return tab

    return begin
