"""Knobs and keys of a page that shows the past: what starts anew, and what is put back."""

from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import number, sent, thumb


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
