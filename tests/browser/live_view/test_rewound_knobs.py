"""Knobs and keys of a page that shows an earlier step: forks and restored values."""

import pytest
from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import number, sent, thumb
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR


def test_a_slider_says_what_its_knob_was_at_the_step_shown_where_that_was_another_value(
    lab, harness
):
    """The run's learning rate went from 0.1 to 1 after step 12."""
    tab = lab()
    harness.script("set_knobs", learning_rate=1.0)
    expect(number(tab, "learning_rate")).to_have_text("1")
    then = tab.page.locator("#sidebar [data-knob=learning_rate] .bnviz-knob-past")
    others = tab.page.locator("#sidebar .bnviz-knob-past:visible")
    timeline = tab.view.get_by_role("slider", name="Timeline")
    expect(then).to_be_hidden()
    for step, said in ((29, []), (12, ["0.1 at step 12"]), (13, []), (0, ["0.1 at step 0"])):
        timeline.fill(str(step))
        tab.wait("view.step === argument", str(step))
        expect(others).to_have_text(said)
    # The slider itself always shows the newest step's value.
    expect(number(tab, "learning_rate")).to_have_text("1")
    tab.page.keyboard.press("Escape")
    expect(then).to_be_hidden()


def test_a_knob_moved_while_rewound_asks_for_a_new_run_from_the_step_shown(lab, harness):
    tab = lab()
    heading = tab.page.locator("#sidebar h6")
    expect(heading).to_contain_text("acts at once")
    tab.view.get_by_role("slider", name="Timeline").focus()
    for step in (29, 28, 27):
        tab.page.keyboard.press("ArrowLeft")
        tab.wait("view.step === argument", str(step))
    expect(heading).to_contain_text("starts a new run at step 27")
    thumb(tab, "learning_rate").press("ArrowRight")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    tab.page.wait_for_function("commands.length > 0")
    assert tab.commands() == [{"name": "fork", "step": 27, "changed_knobs": {"learning_rate": 0.3}}]
    assert sent(harness) == []
    tab.page.keyboard.press("0")
    assert tab.commands()[-1] == {"name": "restore"}
    tab.wait("view.time === 'live' && view.step === '30'")
    tab.view.get_by_role("slider", name="Timeline").press("ArrowLeft")
    tab.wait("view.step === '29'")
    tab.view.get_by_role("button", name="Play from here").click()
    assert tab.commands()[-1] == {"name": "fork", "step": 29}


@pytest.mark.parametrize("present", [False, True])
def test_a_run_that_is_taken_to_a_later_step_says_so_and_the_slider_is_the_step_shown(
    open_tab, harness, frames, present
):
    """This happens at a station (stop) of a talk that first advances the run and then changes a
    knob.
    """
    tab = open_tab({**page_data(PAIR, ONE), "present": present}, frames[:1])
    tab.drawn(0)
    headings = tab.view.locator("[data-card] h2")
    expect(headings).to_contain_text(["not started", "not started"])
    harness.script("advance", 60)
    harness.script("set_knobs", learning_rate=1.0)
    expect(headings).to_contain_text(["training up to step 60", "training up to step 60"])
    expect(tab.view.locator(".bnviz-stands")).to_have_text("on to step 60 …")
    edited = tab.page.evaluate("data.knobs")
    sidebar = {"knobs": edited, "heading": ["While it runs", "acts at once"]}
    tab.page.evaluate("sidebar => mountAgain({ sidebar })", sidebar)
    rate = tab.page.locator(
        ".bnviz-rate input[type=range]" if present else "#sidebar input[type=range]"
    ).first
    expect(rate).to_have_attribute("aria-valuetext", "0.1")
    tab.drawn(harness.push(60, frames[30][1]))
    expect(rate).to_have_attribute("aria-valuetext", "1")
    expect(headings.first).not_to_contain_text("on its way")
    # A value that the user sets is shown at once.
    harness.script("advance", 100)
    expect(tab.view.locator(".bnviz-stands")).to_have_text("on to step 100 …")
    rate.press("Home")
    expect(rate).to_have_attribute("aria-valuetext", "0.01")
