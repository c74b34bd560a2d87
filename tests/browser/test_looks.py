"""Sizes and themes: nothing overflows, nothing is unmounted, type stays legible."""

import pytest
from playwright.sync_api import expect

FITS = """width => {
  const page = document.documentElement;
  const cards = ["none", "batch"].map((norm) =>
    document.querySelector(`[data-card=${norm}]`).getBoundingClientRect());
  return innerWidth === width && page.scrollWidth === page.clientWidth
    && cards.every((box) => box.width > 0 && box.left >= 0 && box.right <= width);
}"""


DESK = "/lab"


def open_desk(lab):
    return lab.until_step(12).pause()


@pytest.fixture(scope="module")
def kept_desk(visit_once):
    return open_desk(visit_once(DESK))


@pytest.fixture
def desk(kept_desk):
    """The lab, paused."""
    kept_desk.page.set_viewport_size({"width": 1440, "height": 1000})
    return kept_desk.paused_again(DESK, open_desk)


def test_nothing_is_wider_than_the_window(desk):
    for width in (1440, 1280, 1024, 390):
        desk.page.set_viewport_size({"width": width, "height": 844 if width == 390 else 900})
        desk.page.wait_for_function(FITS, arg=width)


def test_a_phone_shows_cards_a_sticky_bar_and_one_chart_at_a_time(visit):
    lab = visit("/lab", viewport={"width": 390, "height": 844}, has_touch=True).until_step(3)
    for norm in ("none", "batch"):
        expect(lab.card(norm)).to_be_visible()
    expect(lab.view.locator("[data-chart]:visible")).to_have_count(1)
    lab.page.wait_for_function(FITS, arg=390)
    bar = lab.view.locator(".bnviz-bar")
    lab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 500)")
    expect(bar).to_be_in_viewport()
    rate = lab.view.get_by_role("slider", name="Learning rate")
    rate.focus()
    rate.press("ArrowRight")
    lab.wait("Number(view.changes) >= 1")


def test_the_dark_theme_reaches_charts_and_cards(visit):
    lab = visit("/lab", color_scheme="dark").until_step(3)
    expect(lab.view).to_have_attribute("data-theme", "dark")
    # A rerun of the page may be making the cards anew.
    expect(lab.card("none").locator("h2")).to_have_css("color", "rgb(255, 138, 61)")
    expect(lab.page.locator(".stApp")).to_have_css("background-color", "rgb(20, 23, 26)")


READ_RANGE = (
    "() => document.querySelector(\"[data-chart='loss'] .js-plotly-plot\").layout.xaxis.range"
)


def test_while_frames_stream_no_chart_is_unmounted_and_zoom_stays(visit):
    lab = visit("/lab").until_step(10)
    lab.page.evaluate(
        """() => {
          window.unmounted = 0;
          const plots = [...document.querySelectorAll('.js-plotly-plot')];
          window.plots = plots;
          new MutationObserver((records) => {
            const removed = records.flatMap((record) => [...record.removedNodes]);
            const held = (node) => plots.some((plot) => node.contains(plot));
            window.unmounted += removed.filter(held).length;
          }).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    zoomed = zoom(lab)
    lab.nudge("Learning rate", 1)
    lab.wait("Number(view.changes) >= 1")
    lab.until_step(lab.step + 15)
    assert lab.page.evaluate("window.unmounted") == 0
    assert lab.page.evaluate("window.plots.length") >= 2
    assert lab.page.evaluate("window.plots.every((plot) => plot.isConnected)")
    assert lab.page.evaluate(READ_RANGE) == zoomed


def zoom(lab):
    """Drag over a part of the loss; returns the range that its axis has then."""
    whole = lab.page.evaluate(READ_RANGE)
    box = lab.page.locator("[data-chart='loss'] .nsewdrag").first.bounding_box()
    across, down = box["x"], box["y"] + box["height"] * 0.5
    lab.page.mouse.move(across + box["width"] * 0.2, down)
    lab.page.mouse.down()
    lab.page.mouse.move(across + box["width"] * 0.5, down, steps=5)
    lab.page.mouse.up()
    lab.page.mouse.move(5, 5)
    # Dragged over less than a third of the axis, which has not grown half as long meanwhile.
    lab.page.wait_for_function(
        f"whole => {{ const now = ({READ_RANGE})(); return now[1] - now[0] < whole / 2; }}",
        arg=whole[1] - whole[0],
    )
    return lab.page.evaluate(READ_RANGE)


def test_reduced_motion_moves_nothing_and_draws_at_most_about_once_a_second(visit):
    lab = visit("/lab", reduced_motion="reduce").until_step(2)
    drawn = lab.page.evaluate(
        """() => new Promise((resolve) => {
          const root = document.querySelector("[data-testid='live-view']");
          const times = [];
          new MutationObserver(() => {
            times.push(performance.now());
            if (times.length === 5) resolve(times);
          }).observe(root, { attributes: true, attributeFilter: ['data-seq'] });
        })"""
    )
    # Four pauses of a second; but a drawing takes its time, and not the same each time.
    assert drawn[-1] - drawn[0] > 3000
    lasting = """() => [...document.querySelectorAll("*")].filter((element) =>
      parseFloat(getComputedStyle(element).transitionDuration) > 0).length"""
    assert lab.page.evaluate(lasting) == 0


def test_a_chart_has_its_numbers_as_a_table(desk):
    panel = desk.view.locator("[data-chart='layers']")
    panel.get_by_text("Data", exact=True).click()
    expect(panel.locator("table tbody tr").first).to_be_visible()


def test_only_keys_are_needed(desk):
    desk.button("Play").focus()
    for status in ("running", "paused"):
        desk.page.keyboard.press("Enter")
        desk.until_status(status)
    desk.one_step(lambda: desk.page.locator("body").press("s"))


FOCUSED = """() => {
  if (document.activeElement === document.body) return { name: "none", inside: true };
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  const name = document.activeElement.outerHTML.slice(0, 120);
  return { name, inside: x + width > 0 && x < innerWidth && y + height > 0 && y < innerHeight };
}"""


def test_keys_reach_nothing_outside_the_window(desk):
    lab = desk
    lab.page.set_viewport_size({"width": 390, "height": 800})
    lab.button("Play").focus()
    stops = []
    for _ in range(40):
        lab.page.keyboard.press("Tab")
        stops.append(lab.page.evaluate(FOCUSED))
    assert len({stop["name"] for stop in stops}) > 8
    assert [stop["name"] for stop in stops if not stop["inside"]] == []


def test_the_table_of_a_loss_begins_at_the_step_shown(desk):
    panel = desk.view.locator("[data-chart='loss']")
    panel.get_by_text("Data", exact=True).click()
    desk.wait("root.querySelector('[data-chart=loss] tbody th')?.textContent === view.step")
    expect(panel.locator("caption")).to_contain_text("measured steps listed")


def test_a_sliders_value_stands_beside_its_label_wherever_it_and_the_sidebar_are(visit):
    lab = visit("/lab?depth=50&width=16&learning_rate=100").until_step(1)
    page, sidebar = lab.page, lab.page.get_by_test_id("stSidebar")
    apart = """slider => {
      const [value, label] = ["stSliderThumbValue", "stWidgetLabel"].map(
        (name) => slider.querySelector(`[data-testid=${name}]`).getBoundingClientRect());
      return [value.top - label.top, slider.getBoundingClientRect().right - value.right];
    }"""

    def beside():
        sliders = sidebar.get_by_test_id("stSlider")
        expect(sliders.first).to_be_visible()
        for slider in sliders.all():
            down, left = slider.evaluate(apart)
            assert abs(down) < 6, slider.inner_text()
            assert 10 < left < 40, slider.inner_text()

    beside()
    page.get_by_test_id("stSidebarContent").evaluate("e => e.scrollBy(0, 120)")
    beside()
    sidebar.hover()
    sidebar.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    opener = page.get_by_test_id("stExpandSidebarButton")
    opener.click()
    expect(opener).to_be_hidden()
    page.wait_for_function(
        "document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().left === 0"
    )
    beside()
