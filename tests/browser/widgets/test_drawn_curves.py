"""Two curves drawn one after the other, and reported once both are complete."""

from itertools import combinations

import pytest
from playwright.sync_api import expect

from bnviz.ui.lessons.prediction import DRAWN_TEXTS
from bnviz.words.texts import texts
from tests.browser.widgets.conftest import taking

DATA = {
    "on": "mode_gap", "network": "batch", "steps": [0, 20, 50, 100, 200], "last_step": 200,
    "highest": 100, "percent": True, "points": None, "open": True, "gap": None, "marks": [],
    "texts": {name: texts("lessons")["drawing"][name] for name in DRAWN_TEXTS},
    "curves": ["anew", "stored"],
}  # fmt: skip
# JavaScript function that mounts two curves. One step is 3 pixels wide, and one percentage point is
# 3 pixels high.
BEGIN = """async (data) => {
  const { DrawnCurves } = await import("/assets/v1/live/charts/drawn_curves.js");
  const place = document.getElementById("place");
  place.innerHTML = '<link rel="stylesheet" href="/assets/v1/drawn_curve.css">'
    + '<div id="frame" style="position: relative; width: 800px; height: 400px"></div>';
  const style = place.querySelector("link");
  await new Promise((done) => { style.onload = done; });
  window.told = [];
  window.curves = new DrawnCurves(document.getElementById("frame"), (points) => told.push(points));
  window.curves.update(data);
  window.curves.draw({
    x: (step) => 50 + 3 * step, y: (value) => 350 - 3 * value, value: (y) => (350 - y) / 3,
    left: 50, right: 650, top: 50, bottom: 350, colour: "#c00",
  });
}"""
ANEW, STORED = [10, 80, 90, 95, 95], [10, 40, 70, 90, 95]


@pytest.fixture(scope="module")
def taken(pages):
    with taking(pages) as take:
        yield take(900, 600)


@pytest.fixture
def page(taken):
    """Return a page on which nothing is drawn yet."""
    taken.mouse.up()
    taken.evaluate(BEGIN, DATA)
    return taken


def handles(page):
    return page.locator("[role=slider]:visible")


def values(page):
    return [int(each.get_attribute("aria-valuenow")) for each in handles(page).all()]


def sweep(page, points):
    box = page.locator("#frame").bounding_box()
    for at, (step, value) in enumerate(zip(DATA["steps"], points, strict=True)):
        page.mouse.move(box["x"] + 50 + 3 * step, box["y"] + 350 - 3 * value, steps=4 if at else 1)
        if at == 0:
            page.mouse.down()
    page.mouse.up()


def near(found, wanted):
    return len(found) == len(wanted) and all(
        abs(a - b) <= 4 for a, b in zip(found, wanted, strict=True)
    )


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_the_second_is_drawn_once_it_is_chosen_and_both_are_told_together(page):
    expect(handles(page)).to_have_count(5)
    expect(page.get_by_text("Draw here: anew")).to_be_visible()
    expect(button(page, "anew")).to_have_attribute("aria-pressed", "true")
    sweep(page, ANEW)
    sweep(page, ANEW)
    expect(page.get_by_text("Draw here: stored")).to_be_hidden()
    assert near(values(page), ANEW), "a further stroke draws the same curve"
    assert page.evaluate("told") == []
    button(page, "Start drawing: stored").click()
    expect(page.get_by_text("Draw here: stored")).to_be_visible()
    expect(handles(page)).to_have_count(5)
    sweep(page, STORED)
    (told,) = page.evaluate("told")
    assert near(told, [*ANEW, *STORED])
    assert told[5:] == values(page)


def test_two_curves_have_other_dashes(page):
    page.evaluate("data => curves.update(data)", {**DATA, "points": [*ANEW, *STORED]})
    dashes = "line => getComputedStyle(line).strokeDasharray"
    one, other = (line.evaluate(dashes) for line in page.locator(".bnviz-drawn-line").all())
    assert one != other


def test_a_press_moves_the_chosen_one_alone_however_near_the_other_is(page):
    page.evaluate("data => curves.update(data)", {**DATA, "points": [*ANEW, *STORED]})
    expect(handles(page)).to_have_count(5)
    for name, wanted in (
        ("anew", [10, 80, 60, 95, 95, *STORED]),
        ("stored", [10, 80, 60, 95, 95, 10, 40, 60, 90, 95]),
    ):
        button(page, name).click()
        box = page.locator("#frame").bounding_box()
        page.mouse.move(box["x"] + 50 + 3 * 50, box["y"] + 350 - 3 * 66)
        page.mouse.down()
        page.mouse.move(box["x"] + 50 + 3 * 50, box["y"] + 350 - 3 * 60, steps=3)
        page.mouse.up()
        assert near(page.evaluate("told.at(-1)"), wanted)


def test_keys_alone_draw_both(page):
    handles(page).nth(0).press("PageUp")
    button(page, "Start drawing: stored").press("Enter")
    expect(handles(page).nth(0)).to_be_focused()
    handles(page).nth(0).press("ArrowRight")
    handles(page).nth(1).press("PageDown")
    assert page.evaluate("told.at(-1)") == [70, 50, 50, 50, 50, 50, 30, 50, 50, 50]
    assert "stored: point 2 of 5" in handles(page).nth(1).get_attribute("aria-label")


def test_changes_are_undone_one_by_one_and_the_page_is_told(page):
    expect(button(page, "Undo")).to_be_disabled()
    sweep(page, ANEW)
    button(page, "Start drawing: stored").click()
    sweep(page, STORED)
    handles(page).nth(4).press("Home")
    assert near(page.evaluate("told.at(-1)"), [*ANEW, *STORED[:4], 0])
    button(page, "Undo").click()
    assert near(page.evaluate("told.at(-1)"), [*ANEW, *STORED])
    button(page, "Undo").click()
    assert page.evaluate("told.at(-1)") == [], "one of them is missing"
    page.evaluate("data => curves.update(data)", DATA)
    expect(page.get_by_text("Draw here: stored")).to_be_visible()
    button(page, "anew").click()
    assert near(values(page), ANEW), "the page has none, and the other one is kept"
    button(page, "Undo").click()
    expect(page.get_by_text("Draw here: anew")).to_be_visible()
    expect(button(page, "Undo")).to_be_disabled()


def test_a_drawing_from_the_address_is_drawn_again_from_the_first_curve_on_and_that_is_undone(page):
    both = {**DATA, "points": [*ANEW, *STORED]}
    page.evaluate("data => curves.update(data)", {**both, "open": False})
    page.evaluate("data => curves.update(data)", both)
    button(page, "stored").click()
    button(page, "Draw again").click()
    assert page.evaluate("told.at(-1)") == []
    page.evaluate("data => curves.update(data)", both)
    expect(page.get_by_text("Draw here: anew")).to_be_visible()
    expect(button(page, "Draw again")).to_be_disabled()
    button(page, "Undo").click()
    assert page.evaluate("told.at(-1)") == [*ANEW, *STORED]


def test_of_a_single_curve_there_is_nothing_to_choose(taken):
    taken.evaluate(BEGIN, {**DATA, "curves": [""]})
    expect(taken.locator(".bnviz-drawn-choice")).to_be_hidden()
    sweep(taken, ANEW)
    button(taken, "Undo").click()
    assert taken.evaluate("told.at(-1)") == []
    expect(taken.get_by_text(DATA["texts"]["help"], exact=True)).to_be_visible()


def test_at_the_end_one_sentence_is_told_of_both(page):
    gap = {
        "text": "You drew 40\nit was 30", "charted": True, "name": "",
        "curves": [[[0, 10], [200, 97]], [[0, 5], [200, 96]]],
    }  # fmt: skip
    page.evaluate("data => curves.update(data)",
                  {**DATA, "points": [*ANEW, *STORED], "open": False, "gap": gap})  # fmt: skip
    expect(page.locator(".bnviz-drawn-told:visible")).to_have_count(1)
    expect(page.locator(".bnviz-drawn-told:visible")).to_contain_text("You drew 40")
    expect(page.locator(".bnviz-drawn-yours:visible")).to_have_text(
        ["yours: anew", "yours: stored"]
    )
    expect(handles(page)).to_have_count(0)
    words = page.locator(":is(.bnviz-drawn-yours, .bnviz-drawn-told):visible").all()
    for one, other in combinations([each.bounding_box() for each in words], 2):
        beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        below = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
        assert beside or below, "no texts overlap"
