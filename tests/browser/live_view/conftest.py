"""The stand-in, a recorded run, and tabs that show it."""

import pytest

from tests.browser.live_view.harness import Harness, page_data
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
def open_tab(chromium, harness):
    """`open_tab(data, frames)` begins a run and opens the page; console errors fail the test."""
    contexts, problems = [], []

    def begin(data, frames, *, begin=None, **options):
        harness.begin(data, frames, **(begin or {}))
        context = chromium.new_context(**{"viewport": {"width": 1300, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(harness.url)
        return Tab(page, problems)

    yield begin
    for context in contexts:
        context.close()
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
