"""Content beside the live view does not wait for charts that cannot be drawn."""

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR


def test_the_page_is_told_to_go_on_where_charts_cannot_be_had(open_tab, harness, frames):
    tab = open_tab({**page_data(PAIR, MAIN), "page_waits": True}, frames)
    tab.page.wait_for_function("window.states?.drawn")
    # Block both Plotly and the chart templates.
    for missing in ("**/plotly/*.js", "**/templates/*"):
        tab.page.route(missing, lambda route: route.abort())
    tab.reload()
    tab.page.wait_for_function("window.states?.drawn")
    assert tab.view.get_attribute("data-seq") is None
    # This page has no charts, so the next test must not reuse it.
    tab.page.goto(harness.url + "blank")
    tab.problems.clear()
