"""Presentation view of a map with a simulated feed: a class predicts the map, and a presenter
changes the number of steps.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious
from tests.browser.widgets.conftest import ORIGIN
from tests.browser.widgets.map_page import base, map_pages


@pytest.fixture
def open_map(pages):
    with map_pages(pages) as begin:
        yield begin


def test_a_class_predicts_a_covered_map_and_is_told_when_it_is_drawn(open_map):
    opened = open_map(base()[:12], present=True)
    opened.drawn(12)
    page, root = opened.page, opened.root
    page.route(re.compile(rf"{ORIGIN}/room.*"), lambda route: route.abort())
    page.keyboard.press("a")
    composer = page.get_by_role("dialog", name="Ask the class")
    expect(composer).to_contain_text("The results of 12 networks were already on screen")
    composer.get_by_role("radio", name="At batch size 4").check()
    with page.expect_request(re.compile("wanted=0")):
        page.keyboard.press("Enter")
    layer = page.get_by_role("dialog")
    layer.get_by_role("button", name="A Without BN").click()
    layer.get_by_role("button", name="Back to the page").click()
    # The map ignores new cells while the class votes, and covers the cells that it already has.
    opened.rows, opened.status = base(), "finished"
    with page.expect_response(re.compile("wanted=0")):
        pass
    expect(root).to_have_attribute("data-status", "paused")
    expect(root).to_have_attribute("data-points", "12")
    expect(root.locator(".bnviz-stability-cells")).not_to_be_visible()
    expect(opened.readout).to_have_text("Covered while the class thinks.")
    assert serious(page) == []
    page.keyboard.press("Space")
    opened.drawn(24)
    panel = page.get_by_role("region", name="The class")
    expect(panel.locator(".class-came")).to_have_text(re.compile("With BN.*happened"))
    said = "Largest learning rate at which each network learned, with batch size 4: "
    said += "without BN 0.1, with BN 1."
    expect(panel).to_contain_text(said)
    expect(root.locator("[aria-live]")).to_have_text(said)
    expect(root.locator(".bnviz-stability-cells")).to_be_visible()
    expect(panel.locator("[data-place='0']")).to_contain_text("you")
    assert "right" not in panel.inner_text()
    # The map is complete, so a second question cannot wait for its cells.
    panel.get_by_role("button", name="Ask again").click()
    expect(composer).to_contain_text("This map is already drawn and was on screen.")
    composer.get_by_role("radio", name="Your own words").check()
    composer.get_by_label("Question", exact=True).last.fill("Why?")
    for letter in "AB":
        composer.get_by_label(f"Answer {letter}").fill(f"Because {letter}")
    page.keyboard.press("Enter")
    # A question in the teacher's own words covers nothing and has no computed answer.
    expect(layer.get_by_role("button", name="Show the map")).to_be_visible()
    layer.get_by_role("button", name="Show the map").click()
    expect(root.locator(".bnviz-stability-cells")).to_be_visible()
    expect(panel.locator(".class-came")).to_have_count(0)


def test_the_hall_turns_the_steps_and_a_number_that_is_none_is_answered(open_map):
    opened = open_map(base(), present=True)
    opened.drawn(24)
    steps = opened.root.get_by_role("slider", name="Steps")
    steps.press("ArrowRight")
    steps.press("ArrowRight")
    opened.page.wait_for_function("window.heard.length > 0")
    assert opened.heard() == [["steps", 500]]
    opened.root.get_by_role("button", name="Steps: 500. Type a value").click()
    opened.page.keyboard.type("2.5")
    opened.page.keyboard.press("Enter")
    expect(opened.root.get_by_role("alert")).to_have_text(
        "`steps` must be a whole number between 1 and 2000, got “2.5”."
    )
