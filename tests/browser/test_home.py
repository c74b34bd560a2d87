"""The home page: break one network, in a window and on a phone; and nothing stands in the way."""

from playwright.sync_api import expect

from bnviz.texts import texts
from tests.browser.accessible import serious, until_it_fits

GAME = texts("live")["game"]
PLAIN = "[data-card='none']"
SIZES = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


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


def until_in_sight(home, *selectors):
    """Wait until elements are within the window, nothing having been scrolled."""
    home.page.wait_for_function(
        """selectors => document.querySelector("[data-testid=stMain]").scrollTop === 0
          && selectors.map((selector) => document.querySelector(selector).getBoundingClientRect())
            .every(({ top, bottom }) => 0 <= top && top < bottom && bottom <= innerHeight)""",
        arg=selectors,
    )


def until_uncovered(home, selector):
    """Wait until an element's middle is what a finger would touch there."""
    home.page.wait_for_function(
        """selector => {
          const element = document.querySelector(selector);
          const { left, right, top, bottom } = element.getBoundingClientRect();
          const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
          return element.contains(there);
        }""",
        arg=selector,
        timeout=20_000,
    )


def test_a_visitor_breaks_one_and_sees_which_without_scrolling_and_nothing_is_in_the_way(visit):
    home = visit("/", viewport=SIZES[0]).until_step(20)
    page = home.page
    expect(page.locator("[class*='st-key-door_']")).to_have_count(3)
    teachers = page.locator(".bnviz-home-foot").get_by_role("link")
    expect(teachers).to_have_attribute("href", "/lab?present=1&paused=1")
    assert serious(page) == []
    set_rate(home, 1)
    headline = page.locator(f"{PLAIN} h2")
    expect(headline).to_contain_text("broke at step")
    expect(page.locator(f"{PLAIN} .bnviz-share")).to_contain_text("% test accuracy")
    for size in reversed(SIZES):
        page.set_viewport_size(size)
        until_in_sight(home, f"{PLAIN} h2", ".bnviz-rate input[type=range]")
        if size["width"] == 390:
            until_uncovered(home, ".bnviz-play")
    game = page.locator(".bnviz-game")
    expect(game).to_contain_text(GAME["back"])
    set_rate(home, 0.1)
    expect(game).to_contain_text(GAME["wait"])
    # The address is not this view's to write.
    assert home.query() == {}
    for width in (720, 390):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator(".bnviz-narrow")).to_have_count(1 if width < 640 else 0)
        until_it_fits(page, width)
