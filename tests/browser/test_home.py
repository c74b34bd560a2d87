"""The home page: a visitor breaks one network on a desktop and on a phone."""

import math
import re

import pytest
from playwright.sync_api import expect

from bnviz.words.texts import texts
from tests.browser.accessible import serious, until_it_fits

PROMPT, SHARING = (texts("live")[name] for name in ("prompt", "sharing_break"))
READING = texts("live")["reading"]
ONE = PROMPT["one"]["none"]
PLAIN = "[data-card='none']"
SIZES = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def set_rate(home, rate):
    """Press arrow keys until the learning rate has this value."""
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


def drag_rate(home, rate):
    """Drag the thumb slowly to about this learning rate."""
    thumb = home.page.locator(".bnviz-rate input[type=range]")
    expect(thumb).to_be_enabled()
    box = thumb.bounding_box()

    def place(value):
        inset = 22  # half the width of the thumb
        share = (math.log10(value) + 3) / 4  # position on a log scale from 0.001 to 10
        return box["x"] + inset + share * (box["width"] - 2 * inset), box["y"] + box["height"] / 2

    at = home.step
    home.page.mouse.move(*place(0.1))
    home.page.mouse.down()
    for part in range(1, 5):
        home.page.mouse.move(*place(0.1 * (rate / 0.1) ** (part / 4)))
        home.until_step(at + 3 * part)
    home.page.mouse.up()


def until_in_sight(home, *selectors):
    """Wait until elements are inside the window without any scrolling."""
    home.page.wait_for_function(
        """selectors => document.querySelector("[data-testid=stMain]").scrollTop === 0
          && selectors.map((selector) => document.querySelector(selector).getBoundingClientRect())
            .every(({ top, bottom }) => 0 <= top && top < bottom && bottom <= innerHeight)""",
        arg=selectors,
    )


def until_uncovered(home, selector):
    """Wait until nothing covers the middle of an element."""
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


def shares_what_broke(home):
    """Check the shared picture, and that the shared link repeats the break at the same step."""
    page, origin = home.page, home.page.url.removesuffix("/")
    page.get_by_role("button", name=PROMPT["share"]).click()
    dialog = page.get_by_role("dialog", name=PROMPT["share"])
    expect(dialog.get_by_role("link", name=SHARING["save"])).to_be_visible()
    assert dialog.get_by_role("img").evaluate("({ naturalWidth }) => naturalWidth") == 1200
    assert serious(page) == []
    link = dialog.get_by_role("textbox").input_value()
    # The link lists the rates set by the drag, then the rates set by the key presses that restored
    # the initial rate.
    drag = r"\d+:[\d.]+(~\d+:[\d.]+)+"
    assert re.fullmatch(rf"/\?replay={drag}(,\d+:[\d.]+)+", link.removeprefix(origin))
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    headline, run = page.locator(f"{PLAIN} h2"), home.run
    expect(headline).to_contain_text(READING["one_digit"])
    layer = page.locator(".bnviz-callout-number:visible").first.inner_text()
    page.goto(link)
    home.wait("view.run && view.run !== argument", run)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Somebody changed")
    expect(headline).to_contain_text(READING["one_digit"])
    expect(page.locator(".bnviz-callout-number:visible").first).to_have_text(layer)
    expect(page.locator(".bnviz-answer")).to_have_count(0)


def thumb_moves_by_a_hair_for_whom_has_not_been_here(visit, home):
    beckons = ".bnviz-rate .bnviz-beckons"
    expect(home.page.locator(beckons)).to_have_count(1)
    again = visit("/", same=home).until_step(2)
    expect(again.page.locator(beckons)).to_have_count(0)
    again.page.close()


@pytest.mark.verify
def test_a_visitor_breaks_one_and_sees_which_without_scrolling_and_nothing_is_in_the_way(visit):
    home = visit("/", viewport=SIZES[0]).until_step(2)
    thumb_moves_by_a_hair_for_whom_has_not_been_here(visit, home)
    page = home.until_step(20).page
    expect(page.locator(".bnviz-doors a")).to_have_count(4)
    teachers = page.locator(".bnviz-doors a").last
    expect(teachers).to_have_attribute("href", "/lab?present=1&paused=1")
    expect(page.locator(".bnviz-digit")).to_have_count(8)
    # One button, usable by keyboard too, reveals the measured quantity, its numbers and the large
    # figure.
    sign, caption = page.locator(".bnviz-about summary"), page.locator(".bnviz-about .bnviz-title")
    expect(sign).to_have_count(1)
    for shown in (True, False):
        sign.press("Enter")
        expect(caption).to_be_visible(visible=shown)
    assert home.status == "running"
    painted = page.locator(".bnviz-painted")
    expect(painted).to_be_hidden()
    assert serious(page) == []
    drag_rate(home, 1.5)
    headline = page.locator(f"{PLAIN} h2")
    expect(headline).to_contain_text(READING["one_digit"])
    expect(page.locator(f"{PLAIN} .bnviz-wrong")).not_to_have_count(0)
    expect(painted).to_be_visible()
    expect(painted).to_have_accessible_name(re.compile("both learn"))
    expect(page.locator(".bnviz-callout-number:visible").first).to_be_visible()
    expect(page.locator(f"{PLAIN} .bnviz-accuracy")).to_contain_text("%")
    for size in reversed(SIZES):
        page.set_viewport_size(size)
        until_in_sight(home, f"{PLAIN} h2", ".bnviz-rate input[type=range]")
        if size["width"] == 390:
            until_uncovered(home, ".bnviz-play")
    prompt = page.locator(".bnviz-prompt")
    expect(prompt).to_contain_text(PROMPT["back"].format(one=ONE))
    set_rate(home, 0.1)
    expect(prompt).to_contain_text(PROMPT["wait"].format(one=ONE))
    # The view on the home page does not write the address.
    assert home.query() == {}
    shares_what_broke(home)
    for width in (720, 390):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator(".bnviz-narrow")).to_have_count(1 if width < 640 else 0)
        until_it_fits(page, width)
