"""Tests of adding charts, of the probes measured for them, and of charts without measurements."""

import pytest
from playwright.sync_api import expect

from tests.browser.live_view.page_data import page_data
from tests.browser.live_view.recorded import (
    MAIN,
    MORE,
    ONE,
    PAIR,
    WANTED,
    bodies,
    without,
)
from tests.charts.conftest import make_chart


@pytest.fixture
def data():
    return {**page_data(PAIR, ONE, (*MORE, *WANTED)), "frequent_charts": ["drift"]}


def wants(harness):
    return harness.kinds("want")[-1]["probes"]


def test_a_chart_is_added_and_taken_away_with_keys_alone(open_tab, harness, frames):
    more = (*MORE, *WANTED)
    tab = open_tab({**page_data(PAIR, MAIN, more), "frequent_charts": ["drift"]}, frames)
    tab.drawn(30)
    expect(tab.view.locator(".bnviz-pills button")).to_have_text(
        ["Drift from the start", "Add a chart"]
    )
    main = ["gradients", "histogram", "jacobian", "saturation", "start_histogram"]
    harness.wait(lambda: harness.kinds("want") and wants(harness) == main)
    add = tab.view.get_by_role("button", name="Add a chart")
    add.focus()
    tab.page.keyboard.press("Enter")
    box = tab.page.get_by_role("dialog")
    for chart in (make_chart(name, PAIR) for name in more):
        offer = box.locator("label", has_text=chart.title).first
        expect(offer).to_contain_text(chart.help)
        expect(offer).to_contain_text(chart.source)
    check = box.get_by_role("checkbox", name="Weights and effective rate")
    check.focus()
    tab.page.keyboard.press("Space")
    harness.wait(lambda: "weights" in wants(harness))
    tab.page.keyboard.press("Escape")
    expect(box).to_have_count(0)
    expect(tab.view.locator("[data-chart=weights]")).to_be_in_viewport()
    tab.filled("weights")
    assert tab.page.evaluate("window.states.charts") == ["weights"]
    close = tab.view.get_by_role("button", name="Close “Weights and effective rate”")
    close.focus()
    tab.page.keyboard.press("Enter")
    expect(tab.view.locator("[data-chart=weights]")).to_be_hidden()
    expect(add).to_be_focused()
    harness.wait(lambda: "weights" not in wants(harness))
    assert tab.page.evaluate("window.states.charts") == []


def test_charts_of_the_address_are_open_and_asked_for_again_after_a_cut(
    open_tab, harness, frames, data
):
    tab = open_tab({**data, "opened": ["ics"]}, frames)
    tab.filled("ics")
    asked = len(harness.kinds("want"))
    harness.cut()
    harness.wait(lambda: len(harness.kinds("want")) > asked and "ics" in wants(harness))


def test_other_modes_reach_every_chart_too(open_tab, harness, frames, data):
    tab = open_tab({**data, "present": True, "opened": ["ics"]}, frames)
    tab.drawn(30)
    shown = tab.view.locator("[data-chart]:visible")
    assert shown.evaluate_all("all => all.map((e) => e.dataset.chart)") == ["ics"]
    tab.view.get_by_role("button", name="More").click()
    tab.view.get_by_role("button", name="Add a chart").click()
    tab.page.get_by_role("checkbox", name="Weights and effective rate").check()
    tab.page.get_by_role("button", name="Done").click()
    expect(tab.view.locator("[data-chart=weights]")).to_be_visible()
    assert shown.count() == 1
    harness.wait(lambda: {"weights"} <= set(wants(harness)))


def test_a_link_without_more_charts_keeps_what_it_opened(open_tab, frames, data):
    tab = open_tab({**data, "hide": ["more"], "opened": ["ics"]}, frames)
    tab.filled("ics")
    assert tab.view.get_by_role("button", name="Add a chart").count() == 0
    assert tab.view.get_by_role("button", name="Close “Shift of the gradients”").count() == 0
    assert tab.view.locator("[data-chart]").count() == len(ONE) + 1


def test_what_was_not_measured_at_a_step_is_not_drawn_for_it(open_tab, taken, data):
    late = [(without(shot, WANTED) if shot.step < 20 else shot, log) for shot, log in taken]
    tab = open_tab({**data, "opened": ["weights"]}, bodies(late))
    tab.filled("weights")
    profile = "gd.data[0].x.length"
    assert tab.plot("weights", profile) > 0
    line = tab.view.get_by_role("slider", name="Timeline")
    line.focus()
    line.press("Home")
    tab.wait("view.step === '0'")
    note = tab.view.locator("[data-chart=weights] .bnviz-note")
    expect(note).to_contain_text("not measured at step 0")
    tab.page.wait_for_function(
        "document.querySelector('[data-chart=weights] .js-plotly-plot').data[0].x.length === 0"
    )
    line.press("End")
    tab.wait("view.step === '30'")
    expect(note).not_to_contain_text("not measured")
    assert tab.plot("weights", profile) > 0


def test_a_value_that_is_left_out_of_a_frame_keeps_its_step(module):
    frame = """(() => {
      const first = new m.Frame({ seq: 0, step: 3, networks: { none: { measured_at: { ics: 2 } } },
        arrays: { "none.ics.change": [1, 2] } });
      const second = new m.Frame({ seq: 1, step: 9, networks: { none: {} }, arrays: {} }, first);
      const third = new m.Frame({ seq: 2, step: 12, networks: { none: {} }, arrays: {} }, second);
      return [third.measuredAt("none.ics.change"), [...third.field("none.ics.change").data]];
    })()"""
    assert module("data/frame", frame) == [2, [1, 2]]


def test_a_chart_that_a_preset_brings_stands_first_and_is_gone_to_when_it_comes_back(
    open_tab, harness, frames, data
):
    tab = open_tab({**data, "opened": ["weights"], "leading": ["weights"]}, frames)
    tab.filled("weights")
    chart, loss = (tab.view.locator(f"[data-chart={name}]") for name in ("weights", "loss"))
    assert chart.bounding_box()["y"] < loss.bounding_box()["y"]
    tab.view.get_by_role("button", name="Close “Weights and effective rate”").click()
    expect(chart).to_be_hidden()
    tab.view.get_by_role("button", name="Add a chart").click()
    box = tab.page.get_by_role("dialog")
    box.get_by_role("checkbox", name="Weights and effective rate").check()
    box.get_by_role("button", name="Done").click()
    expect(chart.locator(".bnviz-title")).to_be_in_viewport()
    assert chart.bounding_box()["y"] < loss.bounding_box()["y"]
