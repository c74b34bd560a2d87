"""Knobs and keys of a page that shows the past: what starts anew, and what is put back."""

from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import number, sent, thumb


def test_a_slider_says_what_its_knob_was_at_the_step_shown_where_that_was_another_value(
    lab, harness
):
    """The run's rate went from 0.1 to 1 after step 12."""
    tab = lab()
    harness.say(type="knobs", values={"learning_rate": 1.0}, drag=False)
    expect(number(tab, "learning_rate")).to_have_text("1")
    then = tab.page.locator("#sidebar [data-knob=learning_rate] .bnviz-knob-past")
    others = tab.page.locator("#sidebar .bnviz-knob-past:visible")
    timeline = tab.view.get_by_role("slider", name="Timeline")
    expect(then).to_be_hidden()
    for step, said in ((29, []), (12, ["0.1 at step 12"]), (13, []), (0, ["0.1 at step 0"])):
        timeline.fill(str(step))
        tab.wait("view.step === argument", str(step))
        expect(others).to_have_text(said)
    # The slider is the newest step's all the while.
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
    assert tab.commands() == [{"name": "fork", "step": 27, "moved": {"learning_rate": 0.3}}]
    assert sent(harness) == []
    tab.page.keyboard.press("0")
    assert tab.commands()[-1] == {"name": "restore"}
