"""Functions that draw a curve in a lesson with a pointer or a finger, and that read the drawn
values from the address.
"""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from bnviz.lessons.drawing import POINTS
from tests.browser.accessible import RESTS

# Margin in pixels of the drawing surface above and below the axes (drawn_curve.js).
BEYOND = 12


def until_it_stays(page, selector):
    """Wait until a visible element no longer moves. It moves while elements above it load."""
    page.wait_for_function(
        """selector => {
          const part = [...document.querySelectorAll(selector)].find((one) => one.offsetParent);
          const place = JSON.stringify(part?.getBoundingClientRect());
          window.stays = place && place === window.stayed ? (window.stays ?? 0) + 1 : 0;
          window.stayed = place;
          return window.stays > 20;
        }""",
        arg=selector,
    )


def places(page, values):
    """Yield window coordinates at which the five points of the active curve have these values."""
    points = page.locator(".bnviz-drawn-handle:visible")
    expect(points).to_have_count(len(values))
    page.wait_for_function(RESTS)
    until_it_stays(page, ".bnviz-drawn-sheet")
    sheet = page.locator(".bnviz-drawn-sheet:visible").first.bounding_box()
    for point, value in zip(points.all(), values, strict=True):
        box = point.bounding_box()
        height = sheet["height"] - 2 * BEYOND
        yield box["x"] + box["width"] / 2, sheet["y"] + BEYOND + height * (1 - value / 100)


def drawn_in(page):
    """Return the drawn values in the page's address."""
    (guessed,) = parse_qs(urlsplit(page.url).query)["guess"]
    return [int(value) for value in guessed.removeprefix("draw:").split(",")]


def near(found, values):
    return all(abs(a - b) <= 6 for a, b in zip(found, values, strict=True))


def draw(page, values):
    """Draw each curve with one sweep of the pointer. Select every curve but the first before
    drawing it.
    """
    for at in range(0, len(values), POINTS):
        if at:
            page.locator(".bnviz-drawn-choose:visible").nth(at // POINTS).click()
        _sweep(page, values[at : at + POINTS])


def _sweep(page, values):
    for at, place in enumerate(places(page, values)):
        page.mouse.move(*place, steps=1 if at == 0 else 5)
        if at == 0:
            page.mouse.down()
    page.mouse.up()


def draw_by_finger(page, values):
    """Draw a curve with one sweep of a finger."""
    touch = page.context.new_cdp_session(page)

    def finger(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    first, *rest = places(page, values)
    finger("touchStart", first)
    for place in rest:
        finger("touchMove", place)
    finger("touchEnd")
