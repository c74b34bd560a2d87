"""A page whose browser is not allowed to start a run."""

from playwright.sync_api import expect

from bnviz.words.texts import text
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR


def test_who_may_start_no_run_is_told_when_to_try_again_and_nothing_else(open_tab, harness):
    notice = text("lab.notice.too_many_browsers").format(seconds=42)
    tab = open_tab({**page_data(PAIR, MAIN), "run": None, "notices": [notice]}, [])
    said = tab.view.locator(".bnviz-notices")
    expect(said).to_contain_text("Reload the page in 42")
    # This is the only notice, because no run has ever existed.
    expect(said.locator(".bnviz-notice")).to_have_count(1)
    assert harness.asked["live"] == 0
