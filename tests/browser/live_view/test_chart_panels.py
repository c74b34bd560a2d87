"""A chart's panel survives reruns, can fill the window, and restores its axes."""

import dataclasses

import numpy as np
import orjson
from playwright.sync_api import expect

from bnviz.records import Break
from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import ONE, PAIR, broken, encoded
from tests.browser.live_view.tab import VIEW


def test_playing_a_break_shows_few_steps_and_gives_the_axis_back(open_tab, harness, frames, taken):
    late = [(10 * step, orjson.dumps({**orjson.loads(body), "step": 10 * step}))
            for step, body in frames]  # fmt: skip
    tab = open_tab(page_data(PAIR, ONE), late)
    gone = dataclasses.replace(broken(taken[6][0], np.nan), step=301)
    tab.drawn(30)
    seq = harness.push(301, encoded(gone))
    tab.drawn(seq)
    before = tab.plot("loss", "gd._fullLayout.xaxis.range.join()")
    tab.page.locator("button:not([hidden])", has_text="Show the break").first.evaluate(
        "one => one.click()"
    )
    tab.wait("view.time === 'playing'")
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=loss] .js-plotly-plot')._fullLayout.xaxis.range.join()"
        " === '0,31'"
    )
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_function(
        "(before) => document.querySelector('[data-chart=loss] .js-plotly-plot')._fullLayout"
        ".xaxis.range.join() === before", arg=before,
    )  # fmt: skip


def test_another_rerun_keeps_the_charts_and_other_charts_replace_them(tab, harness):
    tab.filled("loss")
    tab.page.evaluate("window.old = document.querySelector('[data-chart=loss] .js-plotly-plot')")
    tab.page.evaluate("window.cleanup(); window.mountAgain({ learning_rate: 1 })")
    assert tab.page.evaluate("window.old.isConnected")
    assert tab.page.locator(VIEW).count() == 1
    assert harness.asked["templates"] == 1
    tab.page.evaluate(
        "(ids) => mountAgain(ids)", {"charts_ids": page_data(PAIR, ONE)["charts_ids"]}
    )
    tab.page.wait_for_function("!window.old.isConnected")
    tab.filled("loss")
    assert harness.asked["templates"] == 2


def test_a_view_whose_place_has_left_the_page_ends(tab, harness):
    tab.page.evaluate("document.getElementById('place').remove(); window.cleanup()")
    harness.wait(lambda: not harness.sockets)


def test_a_chart_fills_the_window_and_comes_back_without_being_drawn_anew(open_tab, frames):
    tab = open_tab(page_data(PAIR, ["layers"]), frames)
    tab.filled("layers")
    tab.page.evaluate("window.old = document.querySelector('[data-chart=layers] .main-svg')")
    panel = tab.page.locator("[data-chart=layers]")
    panel.get_by_role("button", name="Make “Layer by layer” large").click()
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=layers] .js-plotly-plot')._fullLayout.width > 1200"
    )
    tab.page.keyboard.press("Escape")
    expect(panel).not_to_have_attribute("popover", "manual")
    assert tab.page.evaluate("window.old.isConnected")


def test_a_node_opens_the_charts_of_its_layer_with_keys_alone(open_tab, frames):
    opens = ("percentiles_layer", "drift", "jacobian")
    tab = open_tab(page_data(PAIR, ["network"], opens), frames)
    tab.filled("network")
    figure = tab.page.locator("[data-chart=network]")
    doors = figure.get_by_role("group", name="The network").get_by_role("button")
    expect(doors).to_have_count(PAIR.depth)
    doors.first.focus()
    for key, place in (("End", 2), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1)):
        tab.page.keyboard.press(key)
        expect(doors.nth(place)).to_be_focused()
    assert [door.get_attribute("tabindex") for door in doors.all()] == ["-1", "0", "-1"]
    tab.page.keyboard.press("Enter")
    for name in opens:
        expect(tab.page.locator(f"[data-chart={name}]")).to_be_visible()
        expect(tab.page.locator(f"[data-chart={name}] select")).to_have_value("1")
    expect(tab.page.locator(f"[data-chart={opens[0]}]")).to_be_in_viewport()
    assert set(tab.page.evaluate("window.states.charts")) == set(opens)
    expect(doors.nth(1)).to_have_attribute("aria-pressed", "true")
    doors.nth(2).click()
    expect(tab.page.locator("[data-chart=drift] select")).to_have_value("2")
    expect(doors.nth(1)).to_have_attribute("aria-pressed", "false")


def test_the_node_in_which_a_network_broke_is_framed_and_named(open_tab, harness, frames, taken):
    tab = open_tab(page_data(PAIR, ["network"]), frames)
    tab.filled("network")
    words = tab.page.locator(".bnviz-node-words")
    expect(words.first).to_be_hidden()
    # No other chart is on the page, so no button opens one.
    expect(tab.page.locator(".bnviz-door")).to_have_count(0)
    gone = broken(taken[6][0], np.nan)
    none = dataclasses.replace(
        gone.networks["none"], broke=Break.because(6, "layer 2", "nonfinite")
    )
    gone = dataclasses.replace(gone, step=31, networks={**gone.networks, "none": none})
    tab.drawn(harness.push(31, encoded(gone)))
    expect(words.first).to_have_text("Layer 2 was not finite first")
    expect(words.last).to_be_hidden()
    frame = tab.page.locator(".bnviz-node-broken").first.bounding_box()
    left, right = tab.plot("network", "[1.67, 2.33].map((x) => gd.getBoundingClientRect().left"
                                      " + gd._fullLayout.xaxis._offset"
                                      " + gd._fullLayout.xaxis.d2p(x))")  # fmt: skip
    assert abs(frame["x"] - left) < 1
    assert abs(frame["x"] + frame["width"] - right) < 1


def test_a_double_click_gives_the_axes_back_and_pins_nothing(tab):
    tab.filled("loss")
    box = tab.page.locator("[data-chart=loss] .bnviz-plot").bounding_box()
    place, shown = (box["x"] + 300, box["y"] + 100), f'Number(document.querySelector("{VIEW}")'
    tab.page.mouse.click(*place)
    tab.page.mouse.move(2, 2)
    tab.page.wait_for_function(f"{shown}.dataset.step) < 30")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_function(f"{shown}.dataset.step) === 30")
    tab.page.mouse.dblclick(*place)
    tab.page.mouse.move(2, 2)
    tab.page.wait_for_function(f"{shown}.dataset.step) === 30")
