"""The order in which a page opens, and its independence from parts that fail to load."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PATIENCE
from tests.browser.lab_page import VIEW, LabPage

# JavaScript that records the drawing order and the layout shifts. It disables the view's timeout of
# 1500 ms, which is too short for slow machines.
NOTE = f"""
const plain = window.setTimeout;
window.setTimeout = (call, wait, ...rest) => (wait === 1500 ? 0 : plain(call, wait, ...rest));
window.order = [];
window.shifts = [];
const note = (name, selector) => {{
  if (!window.order.includes(name) && document.querySelector(selector)) window.order.push(name);
}};
new MutationObserver(() => {{
  note("drawn", "{VIEW}[data-seq]");
  note("knobs", "[data-testid='stSlider']");
}}).observe(document, {{ childList: true, subtree: true, attributes: true }});
new PerformanceObserver((list) => {{
  if (!window.order.includes("drawn")) return;
  window.shifts.push(...list.getEntries().map(({{ value }}) => value));
}}).observe({{ type: "layout-shift", buffered: true }});
"""


@pytest.fixture
def page(tabs, server):
    """Yield an empty page of a new visitor, whose requests may fail."""
    tab = tabs.take(viewport={"width": 1440, "height": 1000})
    # Open a separate page, because a page keeps the init scripts and routes of its test.
    page = tab.page.context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    tabs.give_back(tab, server.url + "/_stcore/health")


def test_the_networks_are_drawn_before_the_knobs_which_move_nothing_and_have_what_was_measured(
    page, server
):
    page.add_init_script(NOTE)
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/lab?paused=1")
    page.wait_for_function("() => window.order.length === 2")
    assert page.evaluate("window.order") == ["drawn", "knobs"]
    lab = LabPage(page, []).drawn()
    assert lab.step == 0
    # Wait for the next frame, so that the browser has reported all layout shifts.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert sum(page.evaluate("window.shifts")) <= 0.02
    # The page, its cards and its charts use the visitor's theme.
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(20, 23, 26)")
    expect(lab.view).to_have_attribute("data-theme", "dark")
    expect(lab.card("none").locator("h2")).to_have_css("color", "rgb(255, 138, 61)")
    # The measured edges stay hidden while the opening question is open.
    page.get_by_label("Find a knob").fill("stability edge")
    edges = page.locator("[data-testid='stSidebar'] .bnviz-edge-words")
    expect(edges).to_have_count(0)
    page.get_by_role("region", name="The class").get_by_role("button", name="Close").click()
    expect(edges.first).to_be_visible()


def test_the_knobs_come_where_the_live_view_cannot(page, server):
    page.route("**/live_view.js", lambda route: route.abort())
    page.goto(f"{server.url}/lab?paused=1", wait_until="commit")
    slider = LabPage(page, []).slider("Hidden layers")
    expect(slider).to_have_count(1)
    expect(slider).to_be_visible()
