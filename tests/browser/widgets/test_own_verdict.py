"""Widget *Your own verdict*: a choice and a reason, sent to the script and stored."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from bnviz.ui.lesson_widgets import module_of, own_verdict_data
from tests.browser.widgets.words import given

MODULE = module_of("own_verdict")
ACCOUNTS = {
    "inputs": ("Steadier inputs", "They stay."), "loss": ("A smoother loss", "It is even."),
    "scale": ("Freedom of scale", "Size has no effect."), "depends": ("It depends", "On all."),
}  # fmt: skip
NOTHING = {"account": None, "because": ""}


def face(**address):
    return given("own_verdict", own_verdict_data("is-it-shift", ACCOUNTS, **address))


def shown(widget):
    """Return the chosen account, the written text, and the sentence below."""
    chosen = widget.root.locator("input:checked")
    account = chosen.get_attribute("value") if chosen.count() else None
    text = widget.root.locator("textarea").input_value()
    return account, text, widget.root.locator(".bnviz-widget-sentence").inner_text()


def test_a_choice_and_words_reach_the_script_and_are_there_again_later(open_widget):
    widget = open_widget(MODULE, face(), width=390)
    page, text = widget.page, widget.root.locator("textarea")
    assert shown(widget) == (None, "", "Nothing is chosen yet.")
    assert page.evaluate("states.length") == 0, "the script gets no message without a verdict"
    # Use only the keyboard: Tab to the accounts, arrows to choose, Tab to the text.
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("It fell,\nthe others  did not.")
    assert widget.heard("state.account === 'scale'")["because"] == "", (
        "the script gets a message when it is chosen"
    )
    # A rerun with the earlier state must not overwrite text that is being typed.
    widget.mount(MODULE, face(account="scale"))
    expect(text).to_have_value("It fell,\nthe others  did not.")
    text.blur()
    told = widget.heard("state.because !== ''")
    assert told == {"account": "scale", "because": "It fell, the others did not."}
    expect(widget.root.locator(".bnviz-own-count")).to_have_text("29 of 280 characters")
    assert shown(widget)[2] == "You support: “Freedom of scale”."
    assert page.evaluate("document.documentElement.scrollWidth") == 390

    # On a later visit without parameters, the widget restores the stored choice and sends it.
    page.reload()
    widget.mount(MODULE, face())
    assert shown(widget)[0] == "scale"
    assert widget.heard("state.account")["because"] == "It fell, the others did not."
    # Parameters in the address take precedence over the stored choice.
    widget.mount(MODULE, face(account="loss", because="Even."))
    assert shown(widget) == ("loss", "Even.", "You support: “A smoother loss”.")


def test_what_no_page_of_ours_has_kept_is_left_alone(open_widget):
    widget = open_widget(MODULE, face(account="loss"))
    for kept in ('"x"', "[1]", '{"is-it-shift": {"account": "<b>", "because": ""}}',
                 '{"is-it-shift": {"account": "loss", "because": 7}}'):  # fmt: skip
        put = f"localStorage.setItem('bnviz-own-verdicts', {json.dumps(kept)})"
        widget.begin_again(MODULE, face(), kept=put)
        assert shown(widget)[:2] == (None, ""), kept
