"""In which order a page opens, and that no part of it waits for one that does not come."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab_page import VIEW, LabPage

# The view's patience is another matter: a machine may be too slow for it, so here it has no end.
NOTE = f"""
const plain = window.setTimeout;
window.setTimeout = (call, wait, ...rest) => (wait === 1500 ? 0 : plain(call, wait, ...rest));
window.order = [];
const note = (name, selector) => {{
  if (!window.order.includes(name) && document.querySelector(selector)) window.order.push(name);
}};
new MutationObserver(() => {{
  note("drawn", "{VIEW}[data-seq]");
  note("knobs", "[data-testid='stSlider']");
}}).observe(document, {{ childList: true, subtree: true, attributes: true }});
"""


@pytest.fixture
def new_page(tabs, server):
    """Makes empty pages of a new visitor, whose requests may fail."""
    tab = tabs.take(viewport={"width": 1440, "height": 1000})
    # A page of its own, since what is done to it stays with it.
    yield tab.page.context.new_page
    tabs.give_back(tab, server.url + "/_stcore/health")


@pytest.fixture
def page(new_page):
    return new_page()


def test_the_networks_are_drawn_before_the_knobs_are_made(page, server):
    page.add_init_script(NOTE)
    page.goto(f"{server.url}/lab")
    page.wait_for_function("window.order.length === 2")
    assert page.evaluate("window.order") == ["drawn", "knobs"]


def test_the_knobs_come_where_the_charts_cannot(new_page, server):
    pages = []
    # Side by side: each waits for what does not come.
    for missing in ("**/plotly/*.js", "**/live_view.js", "**/templates/*"):
        pages.append(new_page())
        pages[-1].route(missing, lambda route: route.abort())
        pages[-1].goto(f"{server.url}/lab", wait_until="commit")
    for page in pages:
        expect(LabPage(page, []).slider("Hidden layers")).to_be_visible(timeout=60_000)


def test_what_was_measured_before_the_knobs_came_stands_beside_them(page, server):
    page.goto(f"{server.url}/lab?paused=1")
    edges = page.locator("[data-testid='stSidebar'] .bnviz-edge-words").first
    expect(edges).to_be_visible(timeout=30_000)
    assert LabPage(page, []).drawn().step == 0
