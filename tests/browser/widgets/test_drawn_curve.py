"""A curve drawn over a chart: input by pointer and keys, and late updates from the page."""

import pytest
from playwright.sync_api import expect

from bnviz.words.texts import texts
from tests.browser.widgets.conftest import taking

TEXTS = {
    name: texts("lessons")["drawing"][name] for name in ("yours", "group", "point", "value", "help")
}
DATA = {
    "on": "accuracy", "network": "none", "steps": [100, 130, 160, 220, 300], "last_step": 300,
    "highest": 100, "percent": True, "points": None, "open": True, "gap": None, "texts": TEXTS,
    "marks": [{"step": 100, "text": "up"}, {"step": 130, "text": "back"}],
}  # fmt: skip
# JavaScript function that mounts a curve. One step is 2 pixels wide, and one percentage point is 3
# pixels high.
BEGIN = """async (data) => {
  const { DrawnCurve } = await import("/assets/v1/live/charts/drawn_curve.js");
  const place = document.getElementById("place");
  place.innerHTML = '<link rel="stylesheet" href="/assets/v1/drawn_curve.css">'
    + '<div id="frame" style="position: relative; width: 800px; height: 400px"></div>';
  const style = place.querySelector("link");
  await new Promise((done) => { style.onload = done; });
  window.told = [];
  window.curve = new DrawnCurve(document.getElementById("frame"), (points) => told.push(points));
  window.axes = {
    x: (step) => 50 + 2 * step, y: (value) => 350 - 3 * value, value: (y) => (350 - y) / 3,
    left: 50, right: 650, top: 50, bottom: 350, colour: "#c00",
  };
  window.curve.update(data);
  window.curve.draw(window.axes);
}"""
STEPS = DATA["steps"]


class Curve:
    """Page object of a curve on a test page."""

    def __init__(self, page):
        self.page = page
        self.points = page.get_by_role("slider")

    def update(self, **changes):
        self.page.evaluate("data => curve.update(data)", {**DATA, **changes})

    @property
    def values(self):
        return [int(each.get_attribute("aria-valuenow")) for each in self.points.all()]

    @property
    def told(self):
        return self.page.evaluate("told")

    def at(self, step, value):
        box = self.page.locator("#frame").bounding_box()
        return box["x"] + 50 + 2 * step, box["y"] + 350 - 3 * value

    def press(self, step, value):
        self.page.mouse.move(*self.at(step, value))
        self.page.mouse.down()

    def move(self, step, value, steps=1):
        self.page.mouse.move(*self.at(step, value), steps=steps)

    def lift(self):
        self.page.mouse.up()


@pytest.fixture(scope="module")
def page(pages):
    with taking(pages) as take:
        yield take(900, 600)


@pytest.fixture
def curve(page):
    """Return an empty curve."""
    page.mouse.up()
    page.evaluate(BEGIN, DATA)
    return Curve(page)


def test_before_anything_is_drawn_it_says_where_and_nothing_of_a_value(curve):
    expect(curve.page.get_by_text(TEXTS["help"])).to_be_visible()
    expect(curve.points).to_have_count(5)
    expect(curve.page.get_by_role("group", name=TEXTS["group"])).to_have_count(1)
    expect(curve.points.nth(1)).to_have_attribute("aria-label", "Point 2 of 5, step 130")
    assert curve.told == []


@pytest.mark.parametrize("moves", [1, 12])
def test_one_sweep_gives_each_point_the_height_at_which_it_was_passed(curve, moves):
    """The pointer may be fast or slow. On a steep slope, the height of a point is read at the
    point's own step.
    """
    heights = [95, 10, 20, 60, 90]
    curve.press(100, 95)
    for step, value in zip(STEPS[1:], heights[1:], strict=True):
        curve.move(step, value, steps=moves)
    assert curve.told == [], "nothing is said while the hand draws"
    curve.lift()
    assert curve.values == pytest.approx(heights, abs=7)
    assert curve.told == [curve.values]
    expect(curve.page.get_by_text(TEXTS["help"])).to_be_hidden()
    expect(curve.points.nth(0)).to_have_attribute("aria-valuetext", f"{curve.values[0]} %")


def test_a_hand_that_jumps_sets_what_lies_between_on_the_line(curve):
    curve.press(95, 10)
    curve.move(305, 100)
    curve.lift()
    line = [10 + 90 * (step - 95) / 210 for step in STEPS]
    assert curve.values == pytest.approx([*line[:4], 100], abs=1)


def test_a_point_follows_a_hand_that_goes_up_and_down_wherever_it_was_pressed(curve):
    curve.press(250, 40)
    assert curve.values == [50, 50, 50, 40, 50]
    curve.move(253, 80)
    assert curve.values[3] == 80
    curve.lift()
    assert curve.told == [[50, 50, 50, 80, 50]]


def test_no_point_leaves_the_axes(curve):
    curve.press(300, 90)
    curve.move(300, 130)
    assert curve.values[4] == 100
    curve.move(300, -30)
    curve.lift()
    assert curve.told == [[50, 50, 50, 50, 0]]


def test_a_point_at_an_end_of_the_axis_is_taken_hold_of_from_beyond_it(curve):
    for beyond, end in ((-2, 0), (102, 100)):
        curve.press(300, beyond)
        assert curve.values[4] == end, beyond
        curve.move(300, 60)
        curve.lift()
        assert curve.told[-1] == [50, 50, 50, 50, 60], beyond


def test_keys_set_a_point_and_go_from_one_to_the_next(curve):
    first, second = curve.points.nth(0), curve.points.nth(1)
    first.focus()
    press = curve.page.keyboard.press
    for key, value in (("ArrowUp", 52), ("ArrowDown", 50), ("PageUp", 70), ("PageDown", 50)):
        press(key)
        assert curve.values[0] == value
    press("End")
    assert curve.values[0] == 100
    press("ArrowUp")
    assert curve.values[0] == 100, "no higher"
    press("ArrowRight")
    expect(second).to_be_focused()
    press("Home")
    assert curve.values == [100, 0, 50, 50, 50]
    press("ArrowLeft")
    expect(first).to_be_focused()
    press("ArrowLeft")
    expect(first).to_be_focused()
    assert curve.told[-1] == [100, 0, 50, 50, 50]
    count = len(curve.told)
    press("Tab")
    assert len(curve.told) == count, "what was said is not said again"


def test_a_key_that_is_held_says_where_it_came_to_and_not_the_way(curve):
    curve.points.nth(2).focus()
    for _ in range(4):
        curve.page.keyboard.down("ArrowUp")
    assert curve.told == []
    curve.page.keyboard.up("ArrowUp")
    assert curve.told == [[50, 50, 58, 50, 50]]


def test_what_the_page_says_late_takes_nothing_back(curve):
    """The page confirms an earlier drawing after the user has drawn more."""
    end = curve.points.nth(4)
    end.focus()
    curve.page.keyboard.press("End")
    curve.page.keyboard.press("Home")
    assert curve.told == [[50, 50, 50, 50, 100], [50, 50, 50, 50, 0]]
    curve.update(points=None)
    assert curve.values[4] == 0
    curve.update(points=[50, 50, 50, 50, 100])
    assert curve.values[4] == 0, "the answer to what was drawn before"
    curve.update(points=[50, 50, 50, 50, 0])
    assert curve.values[4] == 0
    curve.update(points=[1, 2, 3, 4, 5])
    assert curve.values == [1, 2, 3, 4, 5], "another drawing is shown, as after Back"
    curve.update(points=None)
    assert curve.values == [50] * 5
    expect(curve.page.get_by_text(TEXTS["help"])).to_be_visible()


def test_what_the_page_says_while_a_hand_draws_waits(curve):
    curve.press(100, 90)
    curve.update(points=[1, 2, 3, 4, 5])
    assert curve.values[0] == 90
    curve.move(100, 80)
    curve.lift()
    assert curve.told[-1][0] == 80
    curve.update(points=curve.told[-1])
    assert curve.values == curve.told[-1]


def test_a_drawing_of_the_address_is_shown_and_cannot_be_changed_once_the_run_has_begun(curve):
    points = [95, 10, 30, 60, 90]
    curve.update(points=points)
    assert curve.values == points
    curve.update(points=points, open=False)
    expect(curve.points).to_have_count(0)  # no point is visible or focusable
    expect(curve.page.get_by_text(TEXTS["yours"])).to_be_visible()
    curve.press(300, 10)
    curve.lift()
    assert curve.told == []


@pytest.mark.parametrize(("measured", "arrow"), [(12, True), (88, False)])
def test_at_the_end_the_gap_is_written_where_it_is(curve, measured, arrow):
    text = f"You drew 90 %; it ended at {measured} %."
    curve.update(points=[95, 10, 30, 60, 90], open=False,
                 gap={"measured": measured, "text": text})  # fmt: skip
    told = curve.page.get_by_text(text)
    expect(told).to_be_visible()
    expect(curve.page.get_by_text(TEXTS["yours"])).to_be_hidden()
    drawn = curve.page.locator(".bnviz-drawn-arrow").get_attribute("d")
    assert bool(drawn) is arrow, "an arrow only where there is something between"
    box, frame = told.bounding_box(), curve.page.locator("#frame").bounding_box()
    assert box["x"] >= frame["x"]
    assert box["y"] >= frame["y"]
    assert box["y"] + box["height"] <= frame["y"] + frame["height"]
    curve.update(points=[95, 10, 30, 60, 90], open=False)
    expect(told).to_be_hidden()
