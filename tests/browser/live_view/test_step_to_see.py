"""Flag on the timeline at the step that a reader should see first, with its text, and a click that
jumps to this step.
"""

import pytest
from playwright.sync_api import expect

from bnviz.live.runs.history import History
from bnviz.live.runs.housekeeping import maintain
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import MAIN, ONE, PAIR

CHANGE = 12  # step of the live change in the recorded run


@pytest.fixture
def at(open_tab):
    """Return `at(step, frames)`, which opens the recorded run with the flag at `step`."""

    def begin(step, frames):
        given = {"step": step, "text": "Look at the blue line."}
        tab = open_tab({**page_data(PAIR, ONE), "step_to_see": given}, frames)
        tab.drawn(len(frames) - 1)
        return tab

    return begin


def flag(tab):
    return tab.view.locator(".bnviz-flag")


def pole(tab):
    """Return the flag's position as a fraction of the range of the slider's thumb."""
    return tab.page.evaluate("""() => {
      const flag = document.querySelector(".bnviz-flag");
      const box = flag.getBoundingClientRect();
      const x = box.left + parseFloat(getComputedStyle(flag, "::after").left) + 1;
      const track = document.querySelector(".bnviz-track").getBoundingClientRect();
      return (x - track.left - 7) / (track.width - 14);
    }""")


@pytest.mark.parametrize("step", [0, 10])
def test_a_flag_stands_at_the_moments_step_and_leads_there(at, frames, step):
    tab = at(step, frames[:CHANGE])
    expect(tab.view.locator(".bnviz-step-to-see")).to_contain_text("Look at the blue line.")
    assert pole(tab) == pytest.approx(step / (CHANGE - 1), abs=0.01)
    flag(tab).click()
    tab.wait("Number(view.step) === argument", step)
    expect(flag(tab)).to_have_attribute("aria-pressed", "true")
    expect(flag(tab)).to_have_accessible_name(
        f"The moment to look, step {step}: Look at the blue line."
    )


@pytest.mark.parametrize(("step", "stands"), [(CHANGE, True), (CHANGE + 1, False)])
def test_a_change_before_the_moment_takes_the_flag_away(at, frames, step, stands):
    tab = at(step, frames)
    expect(tab.view.locator(".bnviz-ticks i")).to_have_count(1)
    expect(flag(tab)).to_be_visible(visible=stands)


def test_what_was_to_be_seen_then_does_not_read_as_now(at, frames):
    tab = at(4, frames[:CHANGE])
    text = tab.view.locator(".bnviz-step-to-see")
    expect(text).to_have_text("At step 4: Look at the blue line.")
    flag(tab).click()
    expect(text).to_have_text("Look at the blue line.")


def test_after_a_live_change_the_sentence_goes_and_the_way_to_its_step_stays(at, frames):
    tab = at(4, frames)
    text = tab.view.locator(".bnviz-step-to-see")
    expect(text).to_have_text("")
    flag(tab).click()
    expect(text).to_have_text("Look at the blue line.")
    expect(text).to_be_visible()


def test_charts_over_time_mark_it_where_it_is(at, frames):
    tab = at(10, frames[:CHANGE])
    line = tab.view.locator("[data-chart=loss] .bnviz-look")
    expect(line).to_be_visible()
    place = tab.plot("loss", "gd.getBoundingClientRect().left + gd._fullLayout.xaxis._offset"
                             " + gd._fullLayout.xaxis.d2p(10)")  # fmt: skip
    assert line.bounding_box()["x"] == pytest.approx(place, abs=1.5)


def test_before_its_moment_the_flag_waits_at_the_end(at, harness, frames):
    tab = at(8, frames[:5])
    expect(flag(tab)).to_have_text("look at step 8 ›")
    expect(flag(tab)).to_be_disabled()
    ends = [tab.view.locator(name).bounding_box() for name in (".bnviz-flag", ".bnviz-track")]
    right, end = (box["x"] + box["width"] for box in ends)
    assert right == pytest.approx(end - 7, abs=1)
    for step, body in frames[5:9]:
        tab.drawn(harness.push(step, body))
    expect(flag(tab)).to_be_enabled()
    expect(flag(tab)).to_have_text("look at step 8")


def test_the_frame_of_the_moment_stays_though_the_past_gets_thin(at, harness, frames):
    tab = at(8, frames[:5])
    for step, body in frames[5:11]:
        tab.drawn(harness.push(step, body))
    thin = History(1)
    for kept in harness.run.history:
        thin.add(kept.step, kept.body)
    assert thin.index() == [[0, 0], [10, 10]]
    harness.run.history = thin
    harness.call(maintain, harness.hub.registry)
    flag(tab).click()
    tab.wait("Number(view.step) === 8")


def test_the_flag_goes_with_the_preset(at, frames):
    tab = at(4, frames[:9])
    expect(flag(tab)).to_be_visible()
    tab.page.evaluate("window.cleanup(); window.mountAgain({ step_to_see: null })")
    tab.drawn(8)
    expect(flag(tab)).to_be_hidden()
    expect(tab.view.locator(".bnviz-step-to-see")).to_be_hidden()


def test_a_stand_in_is_called_what_it_is(open_tab, harness, frames):
    data = {**page_data(PAIR, ONE), "dataset_label": "MNIST", "stand_in_label": "digits"}
    tab = open_tab(data, frames[:3])
    tab.drawn(2)
    counter = tab.view.locator(".bnviz-counter")
    expect(counter).to_contain_text("MNIST")
    harness.hear("note", message="MNIST is not available here.")
    expect(counter).to_contain_text("digits")
    expect(counter).not_to_contain_text("MNIST")


def test_the_layer_chart_stands_first_where_a_preset_is_to_be_seen_in_it(open_tab, frames):
    tab = open_tab({**page_data(PAIR, MAIN), "leading": ["layers"]}, frames)
    tab.drawn(30)
    layers, loss = (tab.view.locator(f"[data-chart={name}]") for name in ("layers", "loss"))
    assert layers.bounding_box()["y"] < loss.bounding_box()["y"]
