"""The map in the presentation view fits the window, and a class predicts the map's result."""

import re
import secrets

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.accessible import serious
from tests.browser.conftest import Server
from tests.browser.test_ask import vote
from tests.browser.test_map import SMALL as FEW
from tests.browser.test_stage import WINDOWS, until_it_is_whole

# Query of a small map that one core draws in seconds, with enough steps for the networks to learn.
SETTING = "steps=60&width=16&depth=3&across=learning_rate,0.03,30.0,5&up=batch_size,4,64,2"
DRAWN = 240_000


def the_map(page: Page):
    return page.get_by_test_id("map")


def ask(page: Page, question: str) -> None:
    page.keyboard.press("a")
    composer = page.get_by_role("dialog", name="Ask the class")
    composer.get_by_role("radio", name=question).check()
    page.keyboard.press("Enter")
    expect(composer).to_have_count(0)


def have_nothing_drawn(route: Route) -> None:
    route.continue_(url=route.request.url.replace("wanted=1", "wanted=0"))


@pytest.mark.verify
def test_a_class_predicts_the_map_and_is_told_on_the_screen_and_on_the_phones(
    visit, tabs, server: Server
):
    # A new map. With `follow=1`, the page does not start to draw the map by itself.
    fresh = f"/map?{SETTING}&present=1&follow=1&seed={secrets.randbelow(100_000)}"
    page = visit("/_stcore/health", viewport={"width": 1280, "height": 800}).page
    # Hold back the drawing, because a slow browser could otherwise find the map finished.
    page.route(re.compile("wanted=1"), have_nothing_drawn)
    page.goto(server.url + fresh)
    root = the_map(page)
    expect(root).to_have_attribute("data-points", "0")
    ask(page, "At batch size 4, which network learns at the highest learning rate?")
    layer = page.get_by_role("dialog")
    code = layer.locator(".class-code")
    expect(code).to_have_text(re.compile(r"^\w{6}$"))
    assert serious(page) == []
    phone = tabs.take(viewport={"width": 390, "height": 844})
    phone.page.goto(f"{server.url}/b/{code.inner_text()}")
    expect(phone.page.get_by_role("heading")).to_have_text(re.compile("At batch size 4"))
    vote(phone.page, "A")
    expect(layer).to_contain_text("1 of 1 have answered")
    layer.get_by_role("button", name="Back to the page").click()
    expect(root.locator(".bnviz-stability-readout")).to_have_text("Covered while the class thinks.")
    # Reopening the question loses no votes.
    panel = page.get_by_role("region", name="The class")
    panel.get_by_role("button", name="Show", exact=True).click()
    layer.get_by_role("button", name="Reveal").click()
    expect(layer.locator("[data-place='0'] .class-bars")).to_have_text("1")
    layer.get_by_role("button", name="Run").click()
    expect(panel).to_contain_text("The answer will be known when the map is complete.")
    assert root.get_attribute("data-points") == "0"
    page.unroute_all()
    expect(root).to_have_attribute("data-status", "finished", timeout=DRAWN)
    said = "Largest learning rate at which each network learned, with batch size 4: without BN"
    expect(panel).to_contain_text(said)
    line = panel.locator(".class-line").inner_text()
    # The winner follows from the numbers in the sentence, and that answer is marked.
    reached = [float(number) for number in re.findall(r"BN (\d+(?:\.\d+)?)", line)]
    high, low = max(reached), min(reached)
    place = 2 if high <= 1.2 * low else reached.index(high)
    expect(panel.locator(".class-came")).to_have_attribute("data-place", str(place))
    expect(panel.locator("[data-place='0'] .class-bars")).to_have_text("1")
    expect(phone.page.get_by_text(line)).to_be_visible()
    tabs.give_back(phone, server.url + "/_stcore/health")


def fits(page: Page) -> None:
    """Check that the whole page fits into every window with legible type."""
    for window, least in WINDOWS.items():
        page.set_viewport_size(dict(zip(("width", "height"), window, strict=True)))
        until_it_is_whole(page, least)


def has_room(page: Page, share: float) -> None:
    """Check that the plane occupies more than half of the window's height and more than `share` of
    its width.
    """
    ground, window = page.locator(".bnviz-stability-ground").bounding_box(), page.viewport_size
    assert ground["height"] > 0.5 * window["height"]
    assert ground["width"] > share * window["width"]


def colour(page: Page, name: str) -> None:
    page.get_by_role("button", name="More").click()
    page.locator(".bnviz-stability-choice label", has_text=name).click()
    page.keyboard.press("Escape")


@pytest.mark.verify
def test_all_of_it_is_in_one_window_and_what_comes_to_it_moves_nothing(visit):
    hall = visit(f"/map?{FEW}&present=1", viewport={"width": 1280, "height": 800}).page
    expect(the_map(hall)).to_have_attribute("data-status", "finished", timeout=DRAWN)
    header = hall.get_by_role("navigation", name="Pages")
    expect(header).to_have_count(0)
    panel = hall.get_by_role("region", name="The class")
    plane = hall.locator(".bnviz-stability-ground")
    before = plane.bounding_box()
    plane.hover()
    expect(hall.locator(".bnviz-stability-readout")).to_contain_text("test accuracy")
    assert plane.bounding_box() == before
    fits(hall)
    has_room(hall, 0.8)
    colour(hall, "accuracy")
    fits(hall)
    ask(hall, "What covers most of the map?")
    dialog = hall.get_by_role("dialog")
    expect(dialog.locator(".class-code")).to_be_visible()
    dialog.get_by_role("button", name="Show the map").click()
    expect(panel).to_contain_text("Shares of the map: both learn")
    fits(hall)
    colour(hall, "who learns")
    fits(hall)
    has_room(hall, 0.45)
    hall.keyboard.press("p")
    expect(hall.locator(".bnviz-map-stage")).to_have_count(0)
    expect(header).to_be_visible()
    hall.get_by_role("button", name="Present").click()
    expect(hall.locator(".bnviz-map-stage")).to_be_visible()
