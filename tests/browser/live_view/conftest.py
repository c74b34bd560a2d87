"""Fixtures: a server without workers, a recorded run, and tabs that show this run."""

from contextlib import contextmanager

import pytest

from tests.browser.live_view.harness import Harness
from tests.browser.live_view.page_data import knobs_of, page_data
from tests.browser.live_view.recorded import ONE, PAIR, bodies, record
from tests.browser.live_view.tab import WINDOW, Pages, Tab, call
from tests.charts.real_module import evaluate


@pytest.fixture(scope="package")
def harness():
    running = Harness()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def taken():
    return record(PAIR, 30, {12: 1.0})


@pytest.fixture(scope="session")
def frames(taken):
    return bodies(taken)


@pytest.fixture(scope="package")
def pages(tabs, harness):
    """Return a pool of tabs with a loaded page, on which tests mount and remove views."""
    return Pages(tabs, harness)


@pytest.fixture(scope="package")
def opening(pages, harness):
    """Return a context manager whose `open_tab` opens tabs that last until the block ends."""

    @contextmanager
    def opened():
        taken = []

        def open_tab(data, frames, *, begin=None, **options):
            harness.begin(data, frames, **(begin or {}))
            taken.append(given := pages.take(**options))
            given.page.evaluate("visit()")
            return Tab(given.page, given.problems)

        yield open_tab
        left = [element for given in taken for element in pages.give_back(given)]
        harness.wait(lambda: not harness.sockets)
        problems = [problem for given in taken for problem in given.problems]
        assert not left + problems, "\n".join(left + problems)

    return opened


@pytest.fixture
def open_tab(opening):
    """Yield `open_tab(data, frames)`, which begins a run and shows it. Console errors fail the
    test.
    """
    with opening() as open_tab:
        yield open_tab


@pytest.fixture
def tab(open_tab, frames):
    """Return a tab with one chart and a history of 31 steps."""
    opened = open_tab(page_data(PAIR, ONE), frames)
    opened.drawn(30)
    return opened


@pytest.fixture(scope="session")
def modules_tab(tabs):
    """Return a tab in which individual JavaScript modules are tested."""
    return tabs.take(WINDOW)


@pytest.fixture(scope="module")
def in_page(modules_tab, harness):
    """Yield a function that evaluates an expression of a JavaScript module in Chromium, where a
    document exists.
    """
    modules_tab.page.goto(harness.url + "blank")
    yield lambda *asked: call(modules_tab.page, *asked)
    problems, modules_tab.problems[:] = [*modules_tab.problems], []
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def module():
    """Return `module(name, expression, argument)`, which evaluates a JavaScript expression."""
    return evaluate


@pytest.fixture
def lab(open_tab, frames):
    """Return `lab(**data)`, which opens a page whose sidebar has every live knob."""

    def begin(*, begin=None, **data):
        knobs = knobs_of(PAIR, "learning_rate", "batch_size", "momentum", "weight_decay")
        sidebar = {"knobs": knobs, "heading": ["While it runs", "acts at once"]}
        tab = open_tab({**page_data(PAIR, ONE), "sidebar": sidebar, **data}, frames, begin=begin)
        tab.drawn(30)
        return tab

    return begin
