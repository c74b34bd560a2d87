"""Keys and typed values on live knobs."""

from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import knob, number, sent, thumb

# Key presses in sequence: knob, key, and value afterwards.
KEYS = [
    ("learning_rate", "ArrowRight", 0.3), ("learning_rate", "ArrowDown", 0.1),
    ("learning_rate", "ArrowUp", 0.3), ("learning_rate", "ArrowLeft", 0.1),
    ("learning_rate", "PageUp", 1.0), ("learning_rate", "PageDown", 0.01),
    ("learning_rate", "End", 1.0), ("learning_rate", "Home", 0.01),
    ("batch_size", "PageUp", 256), ("momentum", "PageUp", 0.8), ("momentum", "End", 0.99),
    ("weight_decay", "PageUp", 1e-5),
]  # fmt: skip


def test_keys_move_by_rungs_by_pages_and_to_the_ends(lab, harness):
    tab = lab()
    for at, (name, key, value) in enumerate(KEYS, start=1):
        thumb(tab, name).press(key)
        harness.wait(lambda at=at: len(sent(harness)) == at)
        assert sent(harness)[-1] == (name, value), key
        written = {1e-5: "1e-5", 1.0: "1"}.get(value, str(value))
        expect(thumb(tab, name)).to_have_attribute("aria-valuetext", written)
    assert {said["drag"] for said in harness.kinds("knob")} == {0}


def test_a_value_between_two_rungs_is_shown_and_left_for_the_next_one(lab, harness):
    tab = lab()
    harness.script("set_knobs", learning_rate=0.055)
    expect(number(tab, "learning_rate")).to_have_text("0.055")
    thumb(tab, "learning_rate").press("ArrowLeft")
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.03)])


def test_a_key_leads_to_the_next_rung_also_from_between_two(module):
    ladder = {"rungs": [0.01, 0.03, 0.1, 0.3, 1.0], "page": 2}
    cases = [
        ("ArrowRight", 0.055, 0.1), ("ArrowLeft", 0.055, 0.03), ("PageUp", 0.055, 0.3),
        ("PageDown", 0.055, 0.01), ("ArrowRight", 0.1, 0.3), ("ArrowLeft", 0.1, 0.03),
    ]  # fmt: skip
    asked = [[key, ladder, value] for key, value, _ in cases]
    reached = module("knobs/knob_slider", "a.map((asked) => m.rungAfter(...asked))", asked)
    assert reached == [rung for *_, rung in cases]


def test_a_value_can_be_typed(lab, harness):
    tab = lab()
    for leave, typed, value in [("Enter", "0,125", 0.125), ("Tab", "0.25", 0.25)]:
        number(tab, "learning_rate").click()
        tab.page.keyboard.type(typed)
        tab.page.keyboard.press(leave)
        harness.wait(lambda value=value: sent(harness)[-1:] == [("learning_rate", value)])
        expect(number(tab, "learning_rate")).to_have_text(str(value))
        expect(knob(tab, "learning_rate").get_by_role("textbox")).to_be_hidden()
    assert len(sent(harness)) == 2


def test_a_field_that_was_only_looked_at_sets_nothing(lab, harness):
    tab = lab()
    number(tab, "learning_rate").click()
    harness.script("set_knobs", learning_rate=0.3)
    expect(thumb(tab, "learning_rate")).to_have_attribute("aria-valuetext", "0.3")
    tab.page.keyboard.press("Tab")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    assert sent(harness) == []


def test_escape_leaves_a_typed_value_and_a_word_is_no_number(lab, harness):
    tab = lab()
    number(tab, "batch_size").click()
    tab.page.keyboard.type("99")
    tab.page.keyboard.press("Escape")
    expect(number(tab, "batch_size")).to_be_focused()
    number(tab, "batch_size").press("Enter")
    tab.page.keyboard.type("many")
    tab.page.keyboard.press("Enter")
    message = knob(tab, "batch_size").get_by_role("alert")
    expect(message).to_have_text(
        "`batch_size` must be a whole number between 1 and 1024, got “many”."
    )
    expect(knob(tab, "batch_size").get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    tab.page.keyboard.press("Escape")
    expect(message).to_be_hidden()
    expect(number(tab, "batch_size")).to_have_text("60")
    assert sent(harness) == []
