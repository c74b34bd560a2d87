"""Widget *Averages*: weights in a running average, and the bias of a mini-batch's variance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.ui.lesson_widgets import averages_data, module_of
from tests.browser.widgets.words import given

MODULE = module_of("averages")
SHARES = """async (asked) => {
  const m = await import("/assets/v1/widgets/averages.js");
  return asked.map(([decay, steps]) => m.shares(decay, steps));
}"""
FORGOTTEN = """async (decays) => {
  const m = await import("/assets/v1/widgets/averages.js");
  return decays.map(m.forgottenAfter);
}"""


def test_the_shares_are_those_of_the_recursion(blank):
    draw = np.random.default_rng(5)
    asked = [[float(draw.uniform(0.05, 0.999)), int(draw.integers(1, 400))] for _ in range(200)]
    for (decay, steps), found in zip(asked, blank.evaluate(SHARES, asked), strict=True):
        # Apply r ← d r + (1 − d) a to unit vectors, one for the start value and one per step, so
        # that r holds their weights.
        stored = np.eye(1, steps + 1)[0]
        for step in range(1, steps + 1):
            stored = decay * stored + (1 - decay) * np.eye(1, steps + 1, step)[0]
        newest = stored[:0:-1][:24]
        assert found["newest"] == pytest.approx(newest, rel=1e-12, abs=1e-300)
        assert found["start"] == pytest.approx(stored[0], rel=1e-11)
        assert found["older"] == pytest.approx(stored[1:].sum() - newest.sum(), abs=1e-12)


def test_the_start_value_is_below_a_tenth_after_as_many_steps_as_the_lesson_says(blank):
    assert blank.evaluate(FORGOTTEN, averages_data()["decays"]) == [22, 230, 2302]


def test_it_says_what_is_stored_and_what_variances_lack(open_widget):
    widget = open_widget(MODULE, given("averages", averages_data()), width=390)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("After 20 steps, the start value has a weight of 81.8\u00a0%")
    expect(sentence).to_contain_text("below a tenth after 230 steps")
    steps = widget.root.get_by_role("slider", name="Steps taken")
    steps.focus()
    for _ in range(7):
        steps.press("ArrowRight")
    found = SimpleNamespace(**widget.values("state.steps === 230 && state.decay === 0.99"))
    assert found.start == pytest.approx(0.99**230)
    # Reference values: 0.496, 0.751, 0.876, 0.982, and about 1 after the factor m/(m − 1).
    cells = widget.root.locator("table").first.locator("tbody td")
    expect(cells.last).to_contain_text(".")
    values = [float(text) for text in cells.all_inner_texts()]
    assert values[0::2] == pytest.approx([(m - 1) / m for m in averages_data()["sizes"]], abs=0.02)
    assert values[1::2] == pytest.approx([1] * len(averages_data()["sizes"]), abs=0.03)
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
