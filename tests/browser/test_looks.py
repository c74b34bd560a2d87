"""Layout and keyboard use: no overflow, nothing hidden, and legible type."""

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious

FITS = """width => {
  const page = document.documentElement;
  const cards = ["none", "batch"].map((norm) =>
    document.querySelector(`[data-card=${norm}]`).getBoundingClientRect());
  return innerWidth === width && page.scrollWidth === page.clientWidth
    && cards.every((box) => box.width > 0 && box.left >= 0 && box.right <= width);
}"""
FOCUSED = """() => {
  if (document.activeElement === document.body) return { name: "none", inside: true };
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  const name = document.activeElement.outerHTML.slice(0, 120);
  return { name, inside: x + width > 0 && x < innerWidth && y + height > 0 && y < innerHeight };
}"""
# JavaScript function that returns the number of elements with a CSS transition.
LASTING = """() => [...document.querySelectorAll("*")].filter((element) =>
  parseFloat(getComputedStyle(element).transitionDuration) > 0).length"""
# JavaScript function that returns whether each visible slider has its value beside its label, near
# the right edge. After a scroll, Streamlit moves the value one frame later.
BESIDE = """() => {
  const sliders = [...document.querySelectorAll("[data-testid=stSidebar] [data-testid=stSlider]")]
    .filter((slider) => slider.checkVisibility({ visibilityProperty: true }));
  return sliders.length > 0 && sliders.every((slider) => {
    const [value, label] = ["stSliderThumbValue", "stWidgetLabel"].map(
      (name) => slider.querySelector(`[data-testid=${name}]`).getBoundingClientRect());
    const left = slider.getBoundingClientRect().right - value.right;
    return Math.abs(value.top - label.top) < 6 && left > 10 && left < 40;
  });
}"""
# Address of a paused run in which one knob has its lowest value.
DESK = "/lab?paused=1&depth=1&width=16"
WIDE = {"width": 1440, "height": 1000}


def open_desk(lab):
    return lab.drawn()


@pytest.fixture(scope="module")
def kept_desk(visit_once):
    return open_desk(visit_once(DESK))


@pytest.fixture
def desk(kept_desk):
    """Return the paused lab in a wide window."""
    kept_desk.page.set_viewport_size(WIDE)
    return kept_desk.paused_again(DESK, open_desk)


def test_nothing_is_wider_than_the_window_and_a_phone_has_a_bar_that_stays_and_one_chart(desk):
    page = desk.page
    for width in (1440, 1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 844 if width == 390 else 900})
        page.wait_for_function(FITS, arg=width)
    expect(desk.view.locator("[data-chart]:visible")).to_have_count(1)
    expect(desk.view.get_by_role("slider", name="Learning rate")).to_be_visible()
    page.get_by_test_id("stMain").evaluate("part => part.scrollTo(0, 500)")
    expect(desk.view.locator(".bnviz-bar")).to_be_in_viewport()
    # The sidebar is closed, so the Tab key reaches nothing outside the window.
    desk.button("Play").focus()
    stops = []
    for _ in range(40):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
    assert len({stop["name"] for stop in stops}) > 8
    assert [stop["name"] for stop in stops if not stop["inside"]] == []


def test_with_less_motion_nothing_glides(desk):
    for motion, glides in (("reduce", False), ("no-preference", True)):
        desk.page.emulate_media(reduced_motion=motion)
        assert (desk.page.evaluate(LASTING) > 0) == glides


def test_a_sliders_value_stands_beside_its_label_wherever_it_and_the_sidebar_are(desk):
    page, sidebar = desk.page, desk.page.get_by_test_id("stSidebar")
    page.get_by_role("button", name="All knobs").click()

    page.wait_for_function(BESIDE)
    page.get_by_test_id("stSidebarContent").evaluate("e => e.scrollBy(0, 120)")
    page.wait_for_function(BESIDE)
    sidebar.hover()
    sidebar.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    opener = page.get_by_test_id("stExpandSidebarButton")
    opener.click()
    expect(opener).to_be_hidden()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left === 0"
    )
    page.wait_for_function(BESIDE)


def test_focus_returns_after_a_dialog_and_space_plays_and_pauses(desk):
    page = desk.page
    page.set_viewport_size({"width": 1280, "height": 800})
    for opens in (
        lambda: page.keyboard.press("?"),
        lambda: desk.button("Add a chart").click(),
        lambda: desk.button("Share").click(),
    ):
        opens()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    expect(desk.view.locator("[data-control=share]")).to_be_focused()
    for status in ("running", "paused"):
        page.keyboard.press("Space")
        desk.until_status(status)
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    # Each chart's table has a unique name. The page has one main heading and one live region.
    names = page.get_by_role("button", name="Data of")
    told = names.evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert len(told) == len(set(told)) >= 2
    expect(page.get_by_role("heading", level=1)).to_have_text("Live lab")
    assert desk.view.locator("output, [aria-live], [role=status], [role=log]").count() == 1
    # Tab moves the focus to the chosen activation, not to the first one.
    page.get_by_label("Find a knob").fill("activation")
    page.get_by_role("button", name="Help for Activation").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="tanh")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Help for Activation")).to_be_focused()
    page.get_by_label("Find a knob").fill("")
    # Window sizes of a desktop at 200 % zoom, and of two phones.
    for width, height in ((640, 400), (390, 844), (360, 640)):
        page.set_viewport_size({"width": width, "height": height})
        desk.wait(
            "root.classList.contains('bnviz-narrow')"
            " && root.querySelector('.bnviz-bar').getBoundingClientRect().height <= argument",
            0.15 * height,
        )
