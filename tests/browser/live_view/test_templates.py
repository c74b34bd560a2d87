"""The charts' templates, which the page only names: what happens where they cannot be had."""

from playwright.sync_api import expect

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR
from tests.browser.live_view.tab import PATIENCE


def only_missing(problems, count):
    """Take the browser's own word on refused requests off the console's problems."""
    assert len(problems) == count
    assert all("503" in problem for problem in problems)
    problems.clear()


def test_charts_that_cannot_be_had_at_first_are_asked_for_again(open_tab, harness, frames):
    tab = open_tab(page_data(PAIR, ONE), frames, begin={"missing": 2})
    tab.filled("loss")
    assert harness.asked("templates") == 3
    only_missing(tab.problems, 2)


def test_charts_that_cannot_be_had_are_said_to_be_missing_and_the_page_may_try_again(
    open_tab, harness, frames
):
    tab = open_tab(page_data(PAIR, ONE), frames, begin={"missing": 4})
    notice = tab.view.locator("[data-notice=no_templates]")
    expect(notice).to_be_visible(timeout=PATIENCE)
    tab.page.evaluate("window.mountAgain()")
    tab.filled("loss")
    expect(notice).to_have_count(0)
    only_missing(tab.problems, 4)
