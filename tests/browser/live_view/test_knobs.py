"""Changes of live knobs by pointer, key or server, and the messages on the socket."""

from playwright.sync_api import expect

from tests.browser.live_view.knob_hands import knob, number, pull, sent, thumb
from tests.browser.live_view.page_data import knobs_of, page_data
from tests.browser.live_view.recorded import ONE, PAIR

ADDRESS = {"address": {"run": "a" * 32, "depth": "3"}}


def test_a_drag_sends_while_it_goes_on_and_belongs_together(lab, harness):
    tab = lab()
    pull(tab, "learning_rate", 0.5, 0.75)
    # the mouse button is still down
    harness.wait(lambda: sent(harness) == [("learning_rate", 0.3)])
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
    # 200 pointer moves within one browser task are faster than any hand, even on a slow machine.
    tab.page.evaluate(
        """() => {
          const range = document.querySelector("#sidebar [data-knob=batch_size] input[type=range]");
          window.times = [];
          const send = WebSocket.prototype.send;
          window.putBack = () => { WebSocket.prototype.send = send; };
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
    assert len(sent(harness)) == 2  # the first at once, the last after the interval
    first, last = tab.page.evaluate("window.putBack(), window.times")
    assert last - first >= 1000 / 30


def test_a_refused_value_goes_back_and_says_why(lab, harness):
    knobs = knobs_of(PAIR, "batch_size")
    knobs["specs"]["batch_size"]["rungs"].append(4096)
    tab = lab(sidebar={"knobs": knobs})
    thumb(tab, "batch_size").press("End")
    expect(knob(tab, "batch_size").get_by_role("alert")).to_have_text(
        "`batch_size` must be a whole number between 1 and 1024, got 4096."
    )
    expect(thumb(tab, "batch_size")).to_have_attribute("aria-valuetext", "60")


def test_a_dropped_value_is_settled_and_the_control_shows_the_runs(lab, harness):
    tab = lab()
    harness.obeys = False
    thumb(tab, "batch_size").press("End")
    harness.wait(lambda: len(sent(harness)) == 1)
    expect(thumb(tab, "batch_size")).to_have_attribute("aria-valuetext", "1024")
    harness.hear("error", message="It failed.")
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
    harness.script("set_knobs", learning_rate=0.01, batch_size=8)
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
    harness.script("set_knobs", learning_rate=1.0)
    expect(rate).to_have_attribute("aria-valuetext", "1")
    expect(rate).to_have_value("4")
    pull(tab, "learning_rate", 0.2, 0.4)
    tab.page.mouse.up()
    assert sent(harness) == []


def test_without_a_connection_the_knobs_say_so_and_come_back_as_the_run_has_them(lab, harness):
    tab = lab()
    harness.obeys = False
    thumb(tab, "learning_rate").press("End")
    harness.wait(lambda: bool(sent(harness)))
    harness.cut()
    harness.script("set_knobs", learning_rate=0.3)
    heading = tab.page.locator("#sidebar h6")
    expect(heading).to_contain_text("not connected")
    harness.wait(lambda: harness.asked["live"] == 2)
    expect(heading).to_contain_text("acts at once")
    expect(thumb(tab, "learning_rate")).to_be_enabled()
    expect(number(tab, "learning_rate")).to_have_text("0.3")


def test_one_socket_serves_the_view_and_the_sidebar_and_they_agree(lab, harness):
    tab = lab(present=True)
    expect(thumb(tab, "learning_rate", ".bnviz-rate")).to_be_enabled()
    thumb(tab, "learning_rate", ".bnviz-rate").press("ArrowRight")
    expect(number(tab, "learning_rate")).to_have_text("0.3")
    assert harness.asked["live"] == 1


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


def test_each_group_of_parameters_has_a_slider_for_its_rate_factor(open_tab, frames, harness):
    knobs = knobs_of(PAIR, "learning_rate", "rate_factors")
    knobs["specs"]["rate_factors"]["parts"] = [
        {"label": label, "help": f"for {label}"}
        for label in ("hidden weights", "γ and β", "output layer")
    ]
    tab = open_tab({**page_data(PAIR, ONE), "sidebar": {"knobs": knobs}}, frames)
    tab.drawn(30)
    expect(tab.page.locator("#sidebar")).not_to_contain_text("rate factors")
    pull(tab, "rate_factors_0", 5 / 11, 7 / 11)
    harness.wait(lambda: sent(harness)[-1:] == [("rate_factors", [10, 1, 1])])  # still held
    tab.page.mouse.up()
    thumb(tab, "rate_factors_1").press("Home")
    harness.wait(lambda: sent(harness)[-1] == ("rate_factors", [10, 0, 1]))
    for part, text in enumerate(("10", "0", "1")):
        expect(number(tab, f"rate_factors_{part}")).to_have_text(text)
    expect(tab.page.locator("#sidebar")).to_contain_text("output layer")
    rate = tab.page.locator("#sidebar [data-knob=learning_rate]")
    expect(rate).to_contain_text("rate factors 10, 0, 1")


def test_what_the_preset_suggests_is_tried_over_the_socket(open_tab, frames, harness):
    knobs = knobs_of(PAIR, "learning_rate")
    knobs["specs"]["learning_rate"]["try"] = 1.0
    tab = open_tab({**page_data(PAIR, ONE), "sidebar": {"knobs": knobs}}, frames)
    tab.drawn(30)
    tab.page.get_by_role("button", name="try 1", exact=True).click()
    harness.wait(lambda: sent(harness) == [("learning_rate", 1.0)])
    tab.page.get_by_role("button", name="try 0.1", exact=True).click()
    harness.wait(lambda: sent(harness)[-1] == ("learning_rate", 0.1))


def test_the_address_and_links_have_the_last_value_and_an_older_page_does_not_undo_it(lab):
    tab = lab(**ADDRESS)
    thumb(tab, "learning_rate").press("ArrowRight")
    tab.page.wait_for_url("**learning_rate=0.3*")
    # update from a script run that began before the key was pressed
    tab.page.evaluate("window.mountAgain({})")
    assert "learning_rate=0.3" in tab.page.url
    assert "depth=3" in tab.page.url
    tab.page.get_by_role("button", name="Share").click()
    fields = tab.page.get_by_role("dialog").locator("input[readonly]")
    expect(fields).to_have_count(2)
    assert all("learning_rate=0.3" in field.input_value() for field in fields.all())
    # The browser reports a closed dialog late, after a fast user has continued.
    thumb(tab, "learning_rate").evaluate(
        "(range) => { document.querySelector('dialog').close(); range.focus(); }"
    )
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.page.keyboard.press("ArrowLeft")
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
    harness.wait(lambda: harness.kinds("knob"))
    tab.drawn(harness.push(31, frames[5][1]))
    tab.wait("view.knob === '1'")
