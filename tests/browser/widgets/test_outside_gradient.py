"""Widget *Outside the gradient*: its runs agree with claim E3 on the same data."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.claims.e03_mean_outside_gradient import one_layer
from bnviz.ui.lesson_widgets import module_of, outside_gradient_data
from tests.browser.widgets.words import given

MODULE = module_of("outside_gradient")
ASK = """async ({ layer, steps, rate }) => {
  const m = await import("/assets/v1/widgets/lib/centred_unit.js");
  return [false, true].map((differentiated) => {
    const { losses, norms, bias } = m.trainBias(layer, { steps, rate, differentiated });
    return { losses: [...losses], norms: [...norms], bias };
  });
}"""


@pytest.mark.parametrize("seed", [0, 3])
def test_both_runs_are_the_engines(blank, seed):
    data = outside_gradient_data(seed)
    constant, exact = blank.evaluate(ASK, {name: data[name] for name in ("layer", "steps", "rate")})
    losses, biases = one_layer(seed, differentiated=False)
    norms = [float(bias.norm()) for bias in biases]
    assert constant["norms"] == pytest.approx(norms, rel=1e-12)
    assert constant["bias"] == pytest.approx(biases[-1].numpy(), rel=1e-11)
    assert constant["losses"][:-1] == pytest.approx(losses, rel=1e-12)
    losses, _ = one_layer(seed, differentiated=True)
    assert exact["losses"][:-1] == pytest.approx(losses, rel=1e-12)
    # Claim E3: a constant loss and a linearly growing bias. If the mean E is differentiated as
    # well, the bias has no gradient.
    assert np.ptp(constant["losses"]) < 1e-13 * losses[0] * 10
    assert constant["norms"][500] == pytest.approx(2 * constant["norms"][250], rel=1e-12)
    assert exact["norms"][500] < 1e-14 * constant["norms"][500]


def test_it_runs_when_it_is_asked_to_and_says_what_came_of_it(open_widget):
    widget = open_widget(MODULE, given("outside_gradient", outside_gradient_data()), width=390)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_have_text("Training has not started.")
    height = widget.root.bounding_box()["height"]
    begin = widget.root.get_by_role("button", name="Train b for 500 steps")
    begin.focus()
    widget.page.keyboard.press("Enter")
    expect(sentence).to_contain_text("24.840 at step 250 to 49.681 at step 500")
    expect(sentence).to_contain_text("the loss stays at 5.987 while")
    expect(sentence).to_contain_text("at 0. Both results hold up to rounding.")
    assert widget.root.bounding_box()["height"] == pytest.approx(height, abs=1)  # no jump
    state = SimpleNamespace(**widget.values())
    assert state.norm_end == pytest.approx(2 * state.norm_half)
    assert state.loss_range < 1e-12 < state.loss
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    widget.root.locator("summary").click()
    last = widget.root.locator("tbody tr").last
    expect(last).to_contain_text("5.987434")
    expect(last).to_contain_text("49.681")
    expect(last.locator("td").last).to_have_text("0.000")
