"""Live knobs in the real app: drags, keys, and the values that survive reruns and reloads."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.accessible import serious
from tests.browser.lab_page import CALM
from tests.browser.test_sharing import shared_link

NAME = "Learning rate"
# JavaScript function that returns whether the space reserved for the page's live knobs matches
# their height.
IN_PLACE = """() => {
  const place = document.querySelector(".st-key-live_knobs");
  const knobs = place?.querySelector(".bnviz-sidebar");
  if (!knobs) return false;
  const kept = parseFloat(getComputedStyle(place).minHeight);
  const taken = place.firstElementChild.getBoundingClientRect().height;
  const needed = knobs.getBoundingClientRect().height;
  return 0 < needed && needed <= taken && taken <= kept + 2 && kept - needed <= 4;
}"""


def places(thumb, *shares):
    """Return points on a knob's track, in pixels of the window."""
    box = thumb.bounding_box()
    return [
        (box["x"] + 7 + share * (box["width"] - 14), box["y"] + box["height"] / 2)
        for share in shares
    ]


def shows(thumb, value):
    expect(thumb).to_have_attribute("aria-valuetext", value)


def touched(lab, yes):
    """Switch the emulation of a touch screen on or off, and return the page's CDP session."""
    device = lab.page.context.new_cdp_session(lab.page)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": yes})
    lab.page.wait_for_function("yes => matchMedia('(pointer: coarse)').matches === yes", arg=yes)
    return device


def test_a_drag_acts_before_it_ends_and_its_value_outlives_buttons_and_reloads(visit):
    lab = visit("/lab?depth=3&seed=7").until_step(3)
    page, rate, run = lab.page, lab.slider(NAME), lab.run
    start, first, last = places(rate, 12 / 24, 15 / 24, 18 / 24)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*first)
    # A frame has used the first value, while the button is still down.
    lab.wait("Number(view.knob) >= 1")
    page.mouse.move(*last, steps=3)
    shows(rate, "1")
    page.mouse.up()
    lab.wait("Number(view.knob) >= 2 && view.changes === '1'")
    expect(lab.view.locator(".bnviz-ticks i[title^='learning rate']")).to_have_count(1)
    expect(lab.view.locator("[data-chart='loss']")).to_contain_text("rate 0.1 → 1")
    lab.until_query(lambda query: query.get("learning_rate") == "1")
    assert "learning_rate=1" in shared_link(lab)
    lab.pace("1 / s")
    shows(rate, "1")
    lab.pause()
    shows(rate, "1")
    lab.nudge(NAME, -1)  # a knob change resumes a paused run
    lab.until_status("running").wait("view.changes === '2'")
    assert lab.run == run
    lab.until_query(lambda query: query.get("learning_rate") == "0.7")
    page.reload()
    lab.drawn()
    assert lab.run == run
    shows(lab.slider(NAME), "0.7")
    expect(page.locator(".st-key-stability_edge .bnviz-edges")).not_to_be_empty()
    page.wait_for_function(IN_PLACE)
    device = touched(lab, True)
    page.wait_for_function(IN_PLACE)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": False})


NO_SCRIPT = "document.querySelector('.stApp').dataset.testScriptState === 'notRunning'"
# JavaScript function that starts to count the page's messages to Streamlit.
ASKED = """() => {
  window.asked = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...said) {
    if (this.url.includes("_stcore")) window.asked += 1;
    return send.apply(this, said);
  };
}"""
# JavaScript function that returns the left edge of each slider's track in pixels.
EDGES = """() => [...document.querySelectorAll("[data-testid=stSidebar] input[type=range]")]
  .filter((one) => one.checkVisibility())
  .map((one) => one.closest(".stSlider")?.querySelector("[data-rac]:not([role]) > :empty") ?? one)
  .map((track) => Math.round(track.getBoundingClientRect().left))"""


def shown_knobs(page):
    return page.locator("[class*='st-key-drawer_knob_']:visible")


@pytest.mark.verify
def test_a_knob_is_found_without_a_script_what_differs_is_named_and_each_has_a_way_back(visit):
    lab = visit("/lab?paused=1&width=16&depth=3&activation=relu", **CALM).drawn()
    page, run = lab.page, lab.run
    page.get_by_role("region", name="The class").get_by_role("button", name="Close").click()
    drawer = page.locator(".bnviz-drawer")
    field, differs = page.get_by_label("Find a knob"), drawer.locator("[data-differs]")
    expect(differs).to_contain_text(["Hidden layers: 3", "Units per layer: 16", "Activation: ReLU"])
    expect(shown_knobs(page)).to_have_count(0)
    # A closed drawer keeps its knobs in the page, but hides them from keys and screen readers.
    momentum = lab.slider("Momentum")
    expect(momentum).to_have_count(1)
    expect(page.get_by_role("slider", name="Momentum", exact=True)).to_have_count(0)
    drawer.get_by_role("button").last.focus()
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.st-key-drawer') !== null")
    page.wait_for_function(f"() => {NO_SCRIPT}")
    page.evaluate(ASKED)
    field.focus()
    page.keyboard.type("MOMÉNTUM")
    expect(drawer.get_by_role("status")).to_have_text(re.compile(r"^2 of \d\d knobs$"))
    expect(shown_knobs(page)).to_have_count(2)
    expect(differs).to_have_count(0)
    page.keyboard.press("Enter")
    expect(momentum).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    shows(momentum, "0.9")
    expect(differs).to_have_text("Momentum: 0.9 · back to 0")
    assert page.evaluate("window.asked") == 0
    lab.until_query(lambda query: query.get("momentum") == "0.9")
    expect(field).to_have_value("MOMÉNTUM")
    differs.get_by_role("button").press("Enter")
    shows(momentum, "0")
    expect(differs).to_have_count(0)
    expect(field).to_be_focused()  # the focused button is gone, because nothing differs anymore
    assert lab.run == run
    field.fill("wieght")
    expect(drawer.get_by_role("status")).to_contain_text("No knob has “wieght”")
    expect(shown_knobs(page)).to_have_count(0)
    field.fill("σ")
    expect(shown_knobs(page)).to_contain_text(
        ["only with normal (Gaussian) initial weights", "only for data"]
    )
    field.fill("batch size")
    drawer.get_by_role("button", name="Batch size").click()
    expect(lab.slider("Batch size")).to_be_focused()
    field.press("Escape")
    expect(field).to_have_value("")
    drawer.get_by_role("button", name="All knobs").press("Enter")
    assert len(set(page.evaluate(EDGES))) == 1
    assert len(page.evaluate(EDGES)) > 6
    # Resetting a knob that is not live reruns the page's script, but the drawer stays open.
    drawer.get_by_role("button", name="Activation: back to tanh").click()
    lab.wait("view.run && view.run !== argument", run)
    expect(differs).to_contain_text(["Hidden layers: 3", "Units per layer: 16"])
    expect(page.get_by_role("slider", name="Momentum", exact=True)).to_be_visible()
    assert serious(page) == []
