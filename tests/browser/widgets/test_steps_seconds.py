"""Widget *Steps against seconds*: the same curves per step, example, epoch and second."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from bnviz.ui.lesson_widgets import module_of, steps_seconds_data
from tests.browser.widgets.words import given
from tests.ui.comparison_data import ENOUGH, NAMES, result

MODULE = module_of("steps_seconds")
LABELS = {"none": "without BN", "batch": "with BN"}
SCRIPT = 'const m = await import("/assets/v1/widgets/steps_seconds.js");'


def data():
    return steps_seconds_data(result(), NAMES, LABELS)


def test_time_is_counted_by_the_steps_that_were_taken():
    found = data()
    assert found["second"] == pytest.approx(0.002), "also for a network that stopped"
    assert found["measured"] == pytest.approx(1.5)
    assert (found["batch"], found["epoch"]) == (60, pytest.approx(20))
    assert found["levels"] == [0.8, 0.85, 0.9, ENOUGH]
    assert found["prices"] == [1, 3]
    assert [run["label"] for run in found["runs"]] == list(NAMES.values())


def test_arrivals_ratios_and_the_price_of_a_draw(blank):
    """If a step with BN costs as much as 2 steps without BN, 20 steps with BN cost as much as 40
    without. If it costs as much as 1.5 steps, the ratio of the costs is 0.75.
    """
    ask = f"""async ([data, cases]) => {{ {SCRIPT}
      return cases.map(([run, until, price]) => m.compare(data.runs[run], until, price)); }}"""
    cases = [[0, 0.93, 1.5], [0, 0.93, 2], [0, 0.8, 1.5], [1, 0.93, 1.5], [1, 0.99, 1.5]]
    assert blank.evaluate(ask, [data(), cases]) == [
        {"plain": 40, "batch": 20, "ratio": 0.75, "even": 2},
        {"plain": 40, "batch": 20, "ratio": 1, "even": 2},
        {"plain": 20, "batch": 10, "ratio": 0.75, "even": 2},
        {"plain": None, "batch": 10, "ratio": None, "even": None},
        {"plain": None, "batch": None, "ratio": None, "even": None},
    ]


def test_what_a_step_is_by_each_clock_and_where_both_are_level(blank):
    ask = f"""async ([data, clocks, prices]) => {{ {SCRIPT}
      return clocks.flatMap((clock) => prices.map((price) => [
        m.unit(data, clock, "none", price), m.unit(data, clock, "batch", price),
        ...[40, null].map((plain) => m.evenAt(data, clock, {{ plain }}, price)),
      ])); }}"""
    clocks, prices = ("steps", "examples", "epochs", "seconds"), (1.5, 2)
    asked = [data(), list(clocks), list(prices)]
    one = {"steps": 1, "examples": 60, "epochs": 1 / 20, "seconds": 0.002}
    found = blank.evaluate(ask, asked)
    for (clock, price), told in zip(itertools.product(clocks, prices), found, strict=True):
        priced = price if clock == "seconds" else 1
        # On the scale of seconds, the cost of a step moves the curve with BN. On the other scales,
        # it moves the break-even line.
        even = one[clock] * 40 * (1 if clock == "seconds" else 1 / price)
        assert told[:3] == pytest.approx([one[clock], priced * one[clock], even]), (clock, price)
        assert told[3] is None


def test_by_keys_the_price_of_a_step_is_set_and_everything_follows(open_widget):
    widget = open_widget(MODULE, given("steps_seconds", data()), width=390)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("20 steps with BN and 40 steps without BN")
    expect(sentence).to_contain_text("took 2 ms, a step with BN 1.50 times as long")
    price = widget.root.get_by_role("slider")
    assert price.get_attribute("aria-valuetext") == "1.50"
    price.focus()
    for _ in range(10):
        price.press("PageUp")
    price.press("End")
    expect(sentence).to_contain_text("If a step with BN cost as much as 2.00 steps without BN")
    found = SimpleNamespace(**widget.values("state.price === 3"))
    assert (found.plain, found.batch, found.ratio, found.even) == (40, 20, 1.5, 2)
    clock = widget.root.get_by_role("radio", name="seconds", exact=True)
    even, lines = (widget.root.locator(f".bnviz-price-{part}") for part in ("even", "line"))
    before = lines.first.get_attribute("d")
    clock.check(force=True)
    assert lines.first.get_attribute("d") != before, "a third of the way of BN now"
    widget.root.get_by_role("button", name="As measured").click()
    assert SimpleNamespace(**widget.values("state.price !== 3")).ratio == pytest.approx(0.75)
    widget.root.get_by_role("radio", name="a high rate").check(force=True)
    expect(sentence).to_contain_text("The network without BN never reached this")
    expect(even).to_have_count(0)
    widget.root.locator("summary").click()
    rows = widget.root.locator("tbody tr")
    expect(rows).to_have_count(2)
    assert rows.first.locator("td").all_inner_texts() == [
        "40", "20", "0.08", "0.06", "0.75", "2.00",
    ]  # fmt: skip
    assert rows.last.locator("td").all_inner_texts() == [
        "not reached", "10", "not reached", "0.03", "", "",
    ]  # fmt: skip
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    # If the script sends another result, the widget uses the cost measured for that result.
    widget.mount(MODULE, given("steps_seconds", {**data(), "measured": 1.2}))
    expect(sentence).to_contain_text("a step with BN 1.20 times as long")
