"""The live knobs of the real app: a hand on them, what scripts and a reload keep of it."""

from playwright.sync_api import expect

from tests.browser.test_sharing import shared_link

NAME = "Learning rate"
# The page's own knobs stand where they will stay, under a pointer and under a finger.
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
    """Points on a knob's track, in pixels of the window."""
    box = thumb.bounding_box()
    return [
        (box["x"] + 7 + share * (box["width"] - 14), box["y"] + box["height"] / 2)
        for share in shares
    ]


def shows(thumb, value):
    expect(thumb).to_have_attribute("aria-valuetext", value)


def touched(lab, yes):
    """Whether the browser's pointer is a finger, from now on."""
    device = lab.page.context.new_cdp_session(lab.page)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": yes})
    lab.page.wait_for_function("yes => matchMedia('(pointer: coarse)').matches === yes", arg=yes)
    return device


def test_a_drag_acts_before_it_ends_and_its_value_outlives_buttons_new_runs_and_reloads(visit):
    lab = visit("/lab?depth=3&seed=7").until_step(3)
    page, rate, run = lab.page, lab.slider(NAME), lab.run
    start, first, last = places(rate, 8 / 14, 9 / 14, 10 / 14)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*first)
    lab.wait("Number(view.knob) >= 1")  # a frame computed with the first value, the button down
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
    lab.nudge(NAME, -1)  # a paused run goes on when a knob moves
    lab.until_status("running").wait("view.changes === '2'")
    lab.nudge("Batch size", 1)
    lab.wait("Number(view.changes) === 3")
    assert lab.run == run
    lab.nudge("Hidden layers", -1)
    lab.wait("view.run && view.run !== argument && Number(view.step) >= 0", run)
    lab.until_query(lambda query: query.get("depth") == "2" and query.get("learning_rate") == "0.3")
    assert lab.query()["seed"] == "7"
    shows(lab.slider(NAME), "0.3")
    page.get_by_text("A rate for each network").click()
    lab.nudge("Rate with BN", 1)
    lab.until_query(lambda query: query.get("learning_rates") == "0.3,1")
    page.reload()
    lab.drawn()
    shows(lab.slider("Rate without BN"), "0.3")
    shows(lab.slider("Rate with BN"), "1")
    expect(page.locator("[data-testid=stSidebar] .bnviz-edges").first).not_to_be_empty()
    page.wait_for_function(IN_PLACE)
    device = touched(lab, True)
    page.wait_for_function(IN_PLACE)
    device.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
