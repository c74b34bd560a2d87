"""The live knobs of the real app: a hand on them, a finger, somebody who only watches."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_sharing import shared_link

NAME = "Learning rate"


def places(thumb, *shares):
    """Points on a knob's track, in pixels of the window."""
    box = thumb.bounding_box()
    return [
        (box["x"] + 7 + share * (box["width"] - 14), box["y"] + box["height"] / 2)
        for share in shares
    ]


def shows(thumb, value):
    expect(thumb).to_have_attribute("aria-valuetext", value)


def test_a_drag_acts_before_it_ends_and_is_one_tick(visit):
    lab = visit("/lab?depth=3").until_step(3)
    rate, run = lab.slider(NAME), lab.run
    start, first, last = places(rate, 8 / 14, 9 / 14, 10 / 14)
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(*first)
    lab.wait("Number(view.knob) >= 1")  # a frame computed with the first value, the button down
    lab.page.mouse.move(*last, steps=3)
    shows(rate, "1")
    lab.page.mouse.up()
    lab.wait("Number(view.knob) >= 2 && view.changes === '1'")
    expect(lab.view.locator(".bnviz-ticks i")).to_have_count(1)
    expect(lab.view.locator("[data-chart='loss']")).to_contain_text("rate 0.1 → 1")
    assert lab.run == run


def test_the_link_after_a_drag_has_the_last_value_and_so_has_what_starts_over(visit):
    lab = visit("/lab").until_step(3)
    start, end = places(lab.slider(NAME), 8 / 14, 7 / 14)
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(*end, steps=3)
    lab.page.mouse.up()
    lab.page.wait_for_url(re.compile(r"learning_rate=0\.03"))
    assert "learning_rate=0.03" in shared_link(lab)
    run = lab.run
    lab.nudge("Hidden layers", -1)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 0", run)
    assert lab.query()["learning_rate"] == "0.03"
    shows(lab.slider(NAME), "0.03")
    lab.page.reload()
    lab.drawn()
    shows(lab.slider(NAME), "0.03")


def test_a_button_pressed_after_a_drag_does_not_put_the_old_value_back(visit):
    lab = visit("/lab").until_step(3)
    lab.nudge(NAME, 1)
    lab.wait("view.changes === '1'")
    lab.pause()
    lab.page.wait_for_url(re.compile(r"learning_rate=0\.3"))
    shows(lab.slider(NAME), "0.3")
    lab.nudge(NAME, -1)  # a paused run goes on when a knob moves
    lab.until_status("running").wait("view.changes === '2'")


def test_who_watches_sees_the_knob_move_and_is_refused(visit):
    owner = visit("/lab").until_step(5)
    viewer = visit("/" + shared_link(owner)).drawn()
    rate = viewer.slider(NAME)
    expect(rate).to_be_disabled()
    start, end = places(owner.slider(NAME), 8 / 14, 9 / 14)
    owner.page.mouse.move(*start)
    owner.page.mouse.down()
    owner.page.mouse.move(*end)
    shows(rate, "0.3")  # while the owner still holds it
    owner.page.mouse.up()
    answer = viewer.page.evaluate(
        """(run) => new Promise((resolve) => {
          const socket = new WebSocket(`ws://${location.host}/live/${run}`);
          socket.onopen = () => socket.send(JSON.stringify(
            { type: "knob", n: 1, knob: "learning_rate", value: 10, drag: 0 }));
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(data);
            // Behind two frames that nobody has drawn the answer would wait.
            const drawn = { type: "ack", seq: message.seq };
            if (message.type === "frame") socket.send(JSON.stringify(drawn));
            if (message.type === "refused") { socket.close(); resolve(message); }
          };
        })""",
        owner.run,
    )
    assert (answer["field"], answer["value"]) == ("owner", 0.3)
    shows(owner.slider(NAME), "0.3")
    shows(rate, "0.3")


def test_a_finger_drags_the_rate_on_a_phone_and_not_the_page(visit):
    lab = visit(
        "/lab", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).until_step(3)
    rate = lab.view.get_by_role("slider", name=NAME)
    assert rate.bounding_box()["height"] >= 44
    scroller = lab.page.get_by_test_id("stMain")
    scroller.evaluate("e => e.scrollTo(0, 200)")
    before = scroller.evaluate("e => e.scrollTop")
    touch = lab.page.context.new_cdp_session(lab.page)

    def finger(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    (x, y), (end, _) = places(rate, 8 / 14, 10 / 14)
    finger("touchStart", (x, y))
    for share in (0.25, 0.5, 0.75, 1):  # not quite level, as no finger is
        finger("touchMove", (x + share * (end - x), y - 20 * share))
    lab.wait("Number(view.knob) >= 1")  # the finger is still down
    finger("touchEnd")
    shows(rate, "1")
    lab.wait("view.changes === '1'")
    assert scroller.evaluate("e => e.scrollTop") == before


FINGER = {"has_touch": True, "is_mobile": True, "viewport": {"width": 1024, "height": 768}}


@pytest.mark.parametrize(
    ("path", "options"),
    [("/lab?learning_rates=0.1,1", {}), ("/lab?hide=edge,learning_rates", FINGER)],
)
def test_the_sidebar_keeps_the_knobs_place_free_until_they_are_there(visit, path, options):
    lab = visit(path, **options).drawn()
    if "edge" not in path:
        expect(lab.page.locator("[data-testid=stSidebar] .bnviz-edges").first).not_to_be_empty()
    lab.page.wait_for_function(
        """() => {
          const place = document.querySelector(".st-key-live_knobs");
          const knobs = place?.querySelector(".bnviz-sidebar");
          if (!knobs) return false;
          const kept = parseFloat(getComputedStyle(place).minHeight);
          const taken = place.firstElementChild.getBoundingClientRect().height;
          const needed = knobs.getBoundingClientRect().height;
          return 0 < needed && needed <= taken && taken <= kept + 2 && kept - needed <= 4;
        }"""
    )
