"""Live knobs: what a hand, a key or the server does to them, and what goes over the socket."""

import pytest
from playwright.sync_api import expect

from tests.browser.live_view.harness import knobs_of, page_data
from tests.browser.live_view.recorded import MAIN, PAIR

ADDRESS = {"address": {"run": "a" * 32, "depth": "3"}}


@pytest.fixture
def lab(open_tab, frames):
    """`lab(**data)`: a page whose sidebar has every live knob, connected."""

    def begin(*, begin=None, **data):
        knobs = knobs_of(PAIR, "learning_rate", "batch_size", "momentum", "weight_decay")
        sidebar = {"knobs": knobs, "heading": ["While it runs", "acts at once"]}
        tab = open_tab({**page_data(PAIR, MAIN), "sidebar": sidebar, **data}, frames, begin=begin)
        tab.drawn(30)
        return tab

    return begin


def knob(tab, name, place="#sidebar"):
    return tab.page.locator(f"{place} [data-knob={name}]")


def thumb(tab, name, place="#sidebar"):
    return knob(tab, name, place).locator("input[type=range]")


def number(tab, name):
    return knob(tab, name).locator(".bnviz-knob-number")


def sent(harness):
    return [(said["knob"], said["value"]) for said in harness.kinds("knob")]


def pull(tab, name, *shares, place="#sidebar"):
    """Move the pointer over a knob to some places on its track, the button down."""
    box = thumb(tab, name, place).bounding_box()
    for at, share in enumerate(shares):
        tab.page.mouse.move(
            box["x"] + 7 + share * (box["width"] - 14), box["y"] + box["height"] / 2
        )
        if at == 0:
            tab.page.mouse.down()


def test_a_drag_sends_while_it_goes_on_and_belongs_together(lab, harness):
    tab = lab()
    pull(tab, "learning_rate", 0.5, 0.75)
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.3)])  # the button is still down
    pull_on = thumb(tab, "learning_rate").bounding_box()
    tab.page.mouse.move(pull_on["x"] + pull_on["width"] + 60, pull_on["y"] + 80)
    harness.wait(lambda: sent(harness)[-1] == ("learning_rate", 1.0))
    tab.page.mouse.up()
    drags = {said["drag"] for said in harness.kinds("knob")}
    assert len(drags) == 1
    assert drags != {0}
    numbers = [said["n"] for said in harness.kinds("knob")]
    assert numbers == sorted(set(numbers))
    pull(tab, "learning_rate", 0.5)
    tab.page.mouse.up()
    harness.wait(lambda: sent(harness)[-1] == ("learning_rate", 0.1))
    assert harness.kinds("knob")[-1]["drag"] not in drags
    expect(number(tab, "learning_rate")).to_have_text("0.1")


def test_at_most_thirty_values_a_second_go_out_and_the_last_one_always(lab, harness):
    tab = lab()
    # 200 moves in one moment, however slow the machine: more than any hand.
    tab.page.evaluate(
        """() => {
          const range = document.querySelector("#sidebar [data-knob=batch_size] input[type=range]");
          window.times = [];
          const send = WebSocket.prototype.send;
          WebSocket.prototype.send = function (text) {
            if (JSON.parse(text).type === "knob") window.times.push(performance.now());
            return send.call(this, text);
          };
          const moment = performance.now();
          performance.now = () => moment;
          for (let i = 0; i < 200; i += 1) {
            range.value = i % 9;
            range.dispatchEvent(new InputEvent("input"));
          }
          range.value = 10;
          range.dispatchEvent(new InputEvent("input"));
          delete performance.now;
        }"""
    )
    harness.wait(lambda: sent(harness)[-1:] == [("batch_size", 1024)])
    assert len(sent(harness)) == 2  # the first at once, the last when its turn has come
    first, last = tab.page.evaluate("window.times")
    assert last - first >= 1000 / 30


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("learning_rate", "ArrowRight", 0.3), ("learning_rate", "ArrowDown", 0.03),
        ("learning_rate", "PageUp", 1.0), ("learning_rate", "PageDown", 0.01),
        ("learning_rate", "Home", 0.01), ("learning_rate", "End", 1.0),
        ("batch_size", "PageUp", 256), ("momentum", "PageUp", 0.8), ("momentum", "End", 0.99),
        ("weight_decay", "PageUp", 1e-5),
    ],
)  # fmt: skip
def test_keys_move_by_rungs_by_pages_and_to_the_ends(lab, harness, name, key, value):
    tab = lab()
    thumb(tab, name).press(key)
    harness.wait(lambda: bool(sent(harness)))
    assert sent(harness) == [(name, value)]
    assert harness.kinds("knob")[0]["drag"] == 0
    written = {1e-5: "1e-5", 1.0: "1"}.get(value, str(value))
    expect(thumb(tab, name)).to_have_attribute("aria-valuetext", written)


def test_a_value_between_two_rungs_is_shown_and_left_for_the_next_one(lab, harness):
    tab = lab()
    harness.say(type="knobs", values={**harness.knobs, "learning_rate": 0.055}, drag=False)
    expect(number(tab, "learning_rate")).to_have_text("0.055")
    thumb(tab, "learning_rate").press("ArrowLeft")
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.03)])


@pytest.mark.parametrize(
    ("key", "value", "rung"),
    [("ArrowRight", 0.055, 0.1), ("ArrowLeft", 0.055, 0.03), ("PageUp", 0.055, 0.3),
     ("PageDown", 0.055, 0.01), ("ArrowRight", 0.1, 0.3), ("ArrowLeft", 0.1, 0.03)],
)  # fmt: skip
def test_a_key_leads_to_the_next_rung_also_from_between_two(module, key, value, rung):
    ladder = {"rungs": [0.01, 0.03, 0.1, 0.3, 1.0], "page": 2}
    assert module("knobs/ladder", "m.rungAfter(...a)", [key, ladder, value]) == rung


@pytest.mark.parametrize("leave", ["Enter", "Tab"])
def test_a_value_can_be_typed(lab, harness, leave):
    tab = lab()
    number(tab, "learning_rate").click()
    tab.page.keyboard.type("0,125")
    tab.page.keyboard.press(leave)
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.125)])
    expect(number(tab, "learning_rate")).to_have_text("0.125")
    expect(knob(tab, "learning_rate").get_by_role("textbox")).to_be_hidden()


def test_a_field_that_was_only_looked_at_sets_nothing(lab, harness):
    tab = lab()
    number(tab, "learning_rate").click()
    harness.say(type="knobs", values={**harness.knobs, "learning_rate": 0.3}, drag=False)
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


def test_a_refused_value_goes_back_and_says_why(lab, harness):
    tab = lab()
    harness.obeys = lambda said: [
        {"type": "refused", "n": said["n"], "knob": "batch_size", "value": 60,
         "field": "batch_size", "given": said["value"], "allowed": "smaller",
         "message": "`batch_size` must be smaller."}
    ]  # fmt: skip
    thumb(tab, "batch_size").press("End")
    expect(knob(tab, "batch_size").get_by_role("alert")).to_have_text(
        "`batch_size` must be smaller."
    )
    expect(thumb(tab, "batch_size")).to_have_attribute("aria-valuetext", "60")


def test_a_double_click_goes_back_to_the_presets_value(lab, harness):
    tab = lab()
    thumb(tab, "momentum").press("End")
    harness.wait(lambda: len(sent(harness)) == 1)
    thumb(tab, "momentum").dblclick()
    harness.wait(lambda: sent(harness)[-1] == ("momentum", 0.0))
    expect(number(tab, "momentum")).to_have_text("0")


def test_other_hands_move_a_knob_but_not_one_that_is_held(lab, harness):
    tab = lab()
    pull(tab, "learning_rate", 0.75)
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.3)])
    moved = {**harness.knobs, "learning_rate": 0.01, "batch_size": 8}
    harness.say(type="knobs", values=moved, drag=True)
    expect(number(tab, "batch_size")).to_have_text("8")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    tab.page.mouse.up()
    expect(number(tab, "learning_rate")).to_have_text("0.01")


def test_who_only_watches_sees_the_knobs_move_and_cannot(lab, harness):
    tab = lab(begin={"can_control": False}, can_control=False)
    rate = thumb(tab, "learning_rate")
    expect(rate).to_be_disabled()
    expect(rate).to_have_attribute("aria-disabled", "true")
    expect(number(tab, "learning_rate")).to_be_disabled()
    harness.say(type="knobs", values={**harness.knobs, "learning_rate": 1.0}, drag=True)
    expect(rate).to_have_attribute("aria-valuetext", "1")
    expect(rate).to_have_value("4")
    pull(tab, "learning_rate", 0.2, 0.4)
    tab.page.mouse.up()
    assert sent(harness) == []


def test_without_a_connection_the_knobs_say_so_and_come_back_as_the_run_has_them(lab, harness):
    tab = lab()
    harness.obeys = None
    thumb(tab, "learning_rate").press("End")
    harness.wait(lambda: bool(sent(harness)))
    harness.cut()
    heading = tab.page.locator("#sidebar h6")
    expect(heading).to_contain_text("not connected")
    harness.wait(lambda: harness.opened == 2)
    expect(heading).to_contain_text("acts at once")
    expect(thumb(tab, "learning_rate")).to_be_enabled()
    # What was never answered is not what the run has.
    expect(number(tab, "learning_rate")).to_have_text("0.1")


def test_one_socket_serves_the_view_and_the_sidebar_and_they_agree(lab, harness):
    tab = lab(present=True)
    expect(thumb(tab, "learning_rate", ".bnviz-rate")).to_be_enabled()
    thumb(tab, "learning_rate", ".bnviz-rate").press("ArrowRight")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    assert harness.opened == 1


def test_networks_can_have_rates_of_their_own(lab, harness):
    tab = lab()
    tab.page.get_by_text("A rate for each network").click()
    harness.wait(lambda: sent(harness) == [("learning_rates", [0.1, 0.1])])
    rate = tab.page.get_by_label("Rate with BN", exact=True).and_(
        tab.page.locator("#sidebar input[type=range]")
    )
    rate.press("ArrowRight")
    harness.wait(lambda: sent(harness)[-1] == ("learning_rates", [0.1, 0.3]))
    tab.page.get_by_text("A rate for each network").click()
    harness.wait(lambda: sent(harness)[-1] == ("learning_rates", None))
    expect(number(tab, "learning_rate")).to_have_text("0.1")


def test_what_the_preset_suggests_is_tried_over_the_socket(open_tab, frames, harness):
    knobs = knobs_of(PAIR, "learning_rate")
    knobs["specs"]["learning_rate"]["try"] = 1.0
    tab = open_tab({**page_data(PAIR, MAIN), "sidebar": {"knobs": knobs}}, frames)
    tab.drawn(30)
    tab.page.get_by_role("button", name="try 1", exact=True).click()
    harness.wait(lambda: sent(harness) == [("learning_rate", 1.0)])
    tab.page.get_by_role("button", name="try 0.1", exact=True).click()
    harness.wait(lambda: sent(harness)[-1] == ("learning_rate", 0.1))


def test_the_address_and_links_have_the_last_value_and_an_older_page_does_not_undo_it(lab):
    tab = lab(**ADDRESS)
    thumb(tab, "learning_rate").press("ArrowRight")
    tab.page.wait_for_url("**learning_rate=0.3*")
    tab.page.evaluate("window.mountAgain({})")  # a script that began before the key was pressed
    assert "learning_rate=0.3" in tab.page.url
    assert "depth=3" in tab.page.url
    tab.page.get_by_role("button", name="Share").click()
    fields = tab.page.get_by_role("dialog").locator("input[readonly]").all()
    assert all("learning_rate=0.3" in field.input_value() for field in fields)
    tab.page.keyboard.press("Escape")
    thumb(tab, "learning_rate").press("ArrowLeft")
    tab.page.wait_for_url(lambda url: "learning_rate" not in url)


def test_a_knob_that_is_back_at_its_default_is_not_in_the_address(module):
    ask = "m.liveQuery({ depth: '3', learning_rate: '0.3' }, a[0], a[1]).toString()"
    knobs = {"values": {"learning_rate": 0.3}, "unsaid": {"learning_rate": 0.1}}
    for now, query in [({"learning_rate": 0.1}, "depth=3"),
                       ({"learning_rate": 1.0}, "depth=3&learning_rate=1"),
                       ({"learning_rate": 0.3}, "depth=3&learning_rate=0.3"),
                       (None, "depth=3&learning_rate=0.3")]:  # fmt: skip
        assert module("data/address", ask, [knobs, now]) == query


def test_a_frame_says_which_setting_it_was_computed_with(lab, harness, frames):
    tab = lab()
    thumb(tab, "learning_rate").press("ArrowRight")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    tab.wait("view.knob === '0'")
    tab.drawn(harness.push(31, frames[5][1]))
    tab.wait("view.knob === '1'")
