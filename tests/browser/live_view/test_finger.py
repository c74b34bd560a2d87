"""Touch input on the learning-rate slider of a phone."""

from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import sent
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, PAIR

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_a_finger_drags_the_rate_on_a_phone_and_not_the_page(open_tab, harness, frames):
    tab = open_tab(page_data(PAIR, MAIN), frames, **PHONE)
    tab.drawn(30)
    rate = tab.view.get_by_role("slider", name="Learning rate")
    box = rate.bounding_box()
    assert box["height"] >= 44
    # Make the page taller than the window, and scroll it to the middle.
    tab.page.evaluate("document.body.append(document.createElement('hr'))")
    tab.page.add_style_tag(content="body > hr { height: 600px; }")
    tab.page.evaluate("scrollTo(0, (document.documentElement.scrollHeight - innerHeight) / 2)")
    before = tab.page.evaluate("scrollY")
    assert before > 40
    box = rate.bounding_box()
    touch = tab.page.context.new_cdp_session(tab.page)

    def finger(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def place(share):
        return box["x"] + 12 + share * (box["width"] - 24), box["y"] + box["height"] / 2

    (x, y), (end, _) = place(0.5), place(1)
    finger("touchStart", (x, y))
    for share in (0.25, 0.5, 0.75, 1):  # fingers do not move exactly horizontally
        finger("touchMove", (x + share * (end - x), y - 20 * share))
    harness.wait(lambda: bool(sent(harness)))  # the finger is still down
    finger("touchEnd")
    expect(rate).to_have_attribute("aria-valuetext", "1")
    harness.wait(lambda: sent(harness)[-1] == ("learning_rate", 1.0))
    assert len({said["drag"] for said in harness.kinds("knob")}) == 1
    assert tab.page.evaluate("scrollY") == before
