"""The home page: break one network, fail to heal it, play; in a window and on a phone."""

import re

from playwright.sync_api import expect

from bnviz.texts import texts
from tests.browser.accessible import serious

GAME = texts("live")["game"]
PLAIN = "[data-card='none']"
# Steps after which whoever has raised the rate would no longer see why: six seconds.
SOON = 60
# Some dozens of steps have to be taken first, beside whatever else the machine does.
DOZENS_OF_STEPS = 60_000


def set_rate(home, rate):
    """Move the rate by keys until it says so."""
    thumb = home.page.locator(".bnviz-rate input[type=range]")
    expect(thumb).to_be_enabled()
    thumb.focus()
    number = home.page.locator(".bnviz-rate .bnviz-knob-number")
    for _ in range(40):
        says = number.inner_text()
        at = float(says)
        if abs(at - rate) < 1e-9:
            return
        thumb.press("ArrowRight" if at < rate else "ArrowLeft")
        expect(number).not_to_have_text(says)
    raise AssertionError(f"the rate stands at {at}")


def in_sight(home, selector):
    """Whether an element is within the window, nothing having been scrolled."""
    top, bottom = home.page.locator(selector).evaluate(
        "element => ((box) => [box.top, box.bottom])(element.getBoundingClientRect())"
    )
    return 0 <= top < bottom <= home.page.viewport_size["height"]


def break_one(visit, **size):
    """Open the page, raise the rate, and see it said which one broke, without scrolling."""
    home = visit("/", viewport=size).until_step(20)
    set_rate(home, 1)
    raised_by = home.step
    headline = home.page.locator(f"{PLAIN} h2")
    expect(headline).to_contain_text("broke at step")
    assert int(re.search(r"step (\d+)", headline.inner_text())[1]) < raised_by + SOON
    assert in_sight(home, f"{PLAIN} h2")
    assert in_sight(home, ".bnviz-rate input[type=range]")
    assert home.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    return home


def test_a_visitor_breaks_one_cannot_heal_it_and_starts_over(visit):
    home = break_one(visit, width=1280, height=800)
    game = home.page.locator(".bnviz-game")
    expect(game).to_contain_text(GAME["back"])
    set_rate(home, 0.1)
    expect(game).to_contain_text(GAME["stays"], timeout=DOZENS_OF_STEPS)
    assert int(home.page.locator(f"{PLAIN} output").inner_text().split()[0]) < 30
    home.button(GAME["again"]).click()
    expect(game).to_contain_text(GAME["climb"].partition("{")[0].strip())
    expect(game).to_contain_text("Best so far: 0.1", timeout=DOZENS_OF_STEPS)
    assert home.run in home.page.get_by_role("link", name=GAME["show"]).get_attribute("href")
    # The address is not this view's to write.
    assert home.query() == {}


def test_on_a_phone_slider_and_headline_are_in_sight_together(visit):
    break_one(visit, width=390, height=844)


def test_nothing_on_home_stands_in_anybodys_way(visit):
    home = visit("/", viewport={"width": 1280, "height": 800}).until_step(5)
    expect(home.page.locator("[class*='st-key-door_']")).to_have_count(3)
    assert serious(home.page) == []
    main = home.page.get_by_test_id("stMain")
    for width in (720, 390):
        home.page.set_viewport_size({"width": width, "height": 800})
        expect(home.page.locator(".bnviz-narrow")).to_have_count(1 if width < 640 else 0)
        assert main.evaluate("part => part.scrollWidth <= part.clientWidth"), f"{width} px"
