"""The map for a hall: all of it in one window, and a class that predicts it before it is drawn."""

import re
import secrets

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessible import serious
from tests.browser.conftest import Server
from tests.browser.test_ask import vote
from tests.browser.test_stage import OUTSIDE, SMALL, WINDOWS, WRAPPED

# Some seconds on one core, the first of them enough to ask in.
SETTING = "steps=60&width=16&depth=3&across=learning_rate,0.03,30.0,8&up=batch_size,4,64,4"
DRAWN = 60_000


def the_map(page: Page):
    return page.get_by_test_id("map")


def ask(page: Page, question: str) -> None:
    page.keyboard.press("a")
    composer = page.get_by_role("dialog", name="Ask the class")
    composer.get_by_role("radio", name=question).check()
    page.keyboard.press("Enter")
    expect(composer).to_have_count(0)


def test_a_class_predicts_the_map_and_is_told_on_the_screen_and_on_the_phones(
    visit, tabs, server: Server
):
    # One that nobody has had drawn yet.
    fresh = f"/map?{SETTING}&present=1&seed={secrets.randbelow(100_000)}"
    page = visit(fresh, viewport={"width": 1280, "height": 800}).page
    root = the_map(page)
    expect(root).to_have_attribute("data-points", re.compile(r"[1-9]"), timeout=DRAWN)
    ask(page, "At batch size 4, which one stands the highest rate?")
    layer = page.get_by_role("dialog")
    code = layer.locator(".class-code")
    expect(code).to_have_text(re.compile(r"^\w{6}$"))
    assert serious(page) == []
    phone, watching = (tabs.take(viewport={"width": 390, "height": 844}) for _ in range(2))
    phone.page.goto(f"{server.url}/b/{code.inner_text()}")
    expect(phone.page.get_by_role("heading")).to_have_text(re.compile("At batch size 4"))
    vote(phone.page, "A")
    # Who watches is led to this map, and has no more of it drawn than the class.
    watching.page.goto(f"{server.url}/w/{code.inner_text()}")
    followed = watching.page.frame_locator("iframe").get_by_test_id("map")
    expect(followed).to_have_attribute("data-key", root.get_attribute("data-key") or "none")
    expect(followed).to_have_attribute("data-status", "paused")
    expect(layer).to_contain_text("1 of 1 have answered")
    layer.get_by_role("button", name="Back to the stage").click()
    expect(root.locator(".bnviz-stability-readout")).to_have_text("Covered while the class thinks.")
    seen = root.get_attribute("data-points")
    # Another look at the page loses nothing, and still nothing more is drawn.
    panel = page.get_by_role("region", name="The class")
    panel.get_by_role("button", name="Show", exact=True).click()
    layer.get_by_role("button", name="Reveal").click()
    expect(layer.locator("[data-place='0'] .class-bars")).to_have_text("1")
    assert root.get_attribute("data-points") == seen
    layer.get_by_role("button", name="Run").click()
    expect(panel).to_contain_text("Decided when the map is drawn.")
    expect(root).to_have_attribute("data-status", "finished", timeout=DRAWN)
    expect(panel).to_contain_text("Batch size 4, largest learning rate that learned: without BN")
    line = panel.locator(".class-line").inner_text()
    # The sentence's numbers are those of the reading, and the larger one's network is marked.
    reached = [float(number) for number in re.findall(r"BN (\d+(?:\.\d+)?)", line)]
    high, low = max(reached), min(reached)
    place = 2 if high <= 1.2 * low else reached.index(high)
    expect(panel.locator(".class-came")).to_have_attribute("data-place", str(place))
    expect(panel.locator("[data-place='0'] .class-bars")).to_have_text("1")
    expect(phone.page.get_by_text(line)).to_be_visible()
    expect(followed).to_have_attribute("data-status", "finished", timeout=DRAWN)
    for tab in (phone, watching):
        tabs.give_back(tab, server.url + "/_stcore/health")


@pytest.fixture(scope="module")
def hall(visit_once):
    """The stage of a map that is drawn."""
    page = visit_once(f"/map?{SETTING}&present=1", viewport={"width": 1280, "height": 800}).page
    expect(the_map(page)).to_have_attribute("data-status", "finished", timeout=DRAWN)
    return page


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: "x".join(map(str, window)))
def test_all_of_it_is_in_one_window_with_and_without_a_question(hall, window):
    width, height = window
    hall.set_viewport_size({"width": width, "height": height})
    panel = hall.get_by_role("region", name="The class")
    for asked in (False, True):
        if asked:
            ask(hall, "What is most of the plane?")
            dialog = hall.get_by_role("dialog")
            expect(dialog.locator(".class-code")).to_be_visible()
            dialog.get_by_role("button", name="Show the map").click()
            expect(panel).to_contain_text("Of the plane: both learn")
        for colour in ("accuracy", "who survives"):
            hall.get_by_role("button", name="More").click()
            hall.locator(".bnviz-stability-choice label", has_text=colour).click()
            hall.keyboard.press("Escape")
            planes = 2 if colour == "accuracy" else 1
            expect(hall.locator(".bnviz-map-hall svg.bnviz-stability-svg")).to_have_count(planes)
            hall.wait_for_function(f"least => !({SMALL})(least).length", arg=WINDOWS[window])
            hall.wait_for_function(f"() => !({OUTSIDE})().length")
        assert hall.evaluate(WRAPPED) < 2
        ground = hall.locator(".bnviz-stability-ground").bounding_box()
        assert ground["height"] > 0.5 * height
        assert ground["width"] > (0.45 if asked else 0.8) * width
    panel.get_by_role("button", name="Close").click()


def test_what_is_pointed_at_moves_nothing_and_the_sidebar_lies_over_it(hall):
    hall.set_viewport_size({"width": 1280, "height": 800})
    plane = hall.locator(".bnviz-stability-ground")
    before = plane.bounding_box()
    plane.hover()
    expect(hall.locator(".bnviz-stability-readout")).to_contain_text("test accuracy")
    assert plane.bounding_box() == before
    hall.get_by_role("button", name="More").click()
    hall.get_by_role("button", name="All knobs").click()
    sidebar = hall.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text("Hidden layers").first).to_be_in_viewport()
    assert plane.bounding_box() == before
    sidebar.hover()
    sidebar.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    hall.keyboard.press("p")
    expect(hall.locator(".bnviz-map-stage")).to_have_count(0)
    hall.get_by_role("button", name="Present").click()
    expect(hall.locator(".bnviz-map-stage")).to_be_visible()
