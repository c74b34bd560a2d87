"""Chart templates, which the page loads by id. The response may be missing or late."""

import pytest
from playwright.sync_api import expect

from bnviz.live.web.templates import offer
from tests.browser.live_view.page_data import page_data, templates
from tests.browser.live_view.recorded import ONE, PAIR
from tests.browser.live_view.tab import PATIENCE


@pytest.fixture
def late():
    """Templates that the server does not have yet."""
    return templates(PAIR, ONE)


@pytest.fixture
def tab(open_tab, frames, late):
    """Yield a page that requests the missing templates."""
    tab = open_tab({**page_data(PAIR, ONE), "charts_ids": {"0": late.id}}, frames)
    yield tab
    # The browser itself reports the failed requests as console errors.
    assert all("404" in problem for problem in tab.problems)
    tab.problems.clear()


def test_charts_that_cannot_be_had_at_first_are_asked_for_again(tab, harness, late):
    harness.wait(lambda: harness.asked["templates"] == 2)
    offer(late)
    tab.filled("loss")


def test_charts_that_cannot_be_had_are_said_to_be_missing_and_the_page_may_try_again(
    tab, harness, late
):
    notice = tab.view.locator("[data-notice=no_templates]")
    expect(notice).to_be_visible(timeout=PATIENCE)
    assert harness.asked["templates"] == 4
    offer(late)
    tab.page.evaluate("window.mountAgain()")
    tab.filled("loss")
    expect(notice).to_have_count(0)
