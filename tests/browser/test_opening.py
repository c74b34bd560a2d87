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
def page(chromium):
    """An empty page of a new visitor, whose requests may fail."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    yield context.new_page()
    context.close()


def test_the_networks_are_drawn_before_the_knobs_are_made(page, server):
    page.add_init_script(NOTE)
    page.goto(server.url)
    page.wait_for_function("window.order.length === 2")
    assert page.evaluate("window.order") == ["drawn", "knobs"]


@pytest.mark.parametrize("missing", ["**/plotly/*.js", "**/live_view.js", "**/templates/*"])
def test_the_knobs_come_where_the_charts_cannot(page, server, missing):
    page.route(missing, lambda route: route.abort())
    page.goto(server.url)
    expect(LabPage(page, []).slider("Hidden layers")).to_be_visible(timeout=30_000)


def test_what_was_measured_before_the_knobs_came_stands_beside_them(page, server):
    page.goto(f"{server.url}/?paused=1")
    edges = page.locator("[data-testid='stSidebar'] .bnviz-edge-words").first
    expect(edges).to_be_visible(timeout=30_000)
    assert LabPage(page, []).drawn().step == 0
