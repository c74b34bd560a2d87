"""Widget *Try γ and β*: its numbers agree with Python and with the course."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from bnviz.config import RunConfig
from bnviz.norms.batch import batch_norm_forward
from bnviz.ui.lesson_widgets import gamma_beta_data, module_of
from tests.browser.widgets.words import given

MODULE = module_of("gamma_beta")
CONFIG = RunConfig(dataset="moons", width=16, depth=2)
ASK = """async (cases) => {
  const m = await import("/assets/v1/widgets/gamma_beta/straightness.js");
  return cases.map(({ curve, gamma, beta }) => ({
    ...m.bestLine(curve, { gamma, beta }), flat: m.shareInFlatZones(curve, { gamma, beta }),
  }));
}"""
CLOSE = 1e-12
FLAT = {"sigmoid": math.log(19), "tanh": math.atanh(0.9)}


def curve(name: str, y: np.ndarray) -> np.ndarray:
    # This formula of the sigmoid loses no digits, whatever the sign of y.
    if name == "tanh":
        return np.tanh(y)
    small = np.exp(-np.abs(y))
    return np.where(y >= 0, 1 / (1 + small), small / (1 + small))


def by_panels(name: str, gamma: float, beta: float) -> dict[str, float]:
    """Compute the widget's numbers by Gauss–Legendre quadrature. The browser uses another
    method.
    """
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = np.linspace(-11, 11, 177)
    half = (edges[1] - edges[0]) / 2
    z = ((edges[:-1] + half)[:, None] + half * nodes).ravel()
    share = np.tile(half * weights, len(edges) - 1) * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    at = float(curve(name, np.array(beta)))
    value = curve(name, gamma * z + beta) - at
    mean = math.fsum(share * value)
    along = math.fsum(share * (value - mean) * z)
    variance = math.fsum(share * (value - mean) ** 2)
    low, high = ((side * FLAT[name] - beta) / gamma / math.sqrt(2) for side in (-1, 1))
    return {
        "slope": along / gamma, "at": at + mean, "explained": along**2 / variance,
        "flat": (math.erfc(-low) + math.erfc(high)) / 2,
    }  # fmt: skip


def cases() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    # Small and large γ. The button *identity* can set values that the sliders do not reach.
    spreads = [lambda: rng.uniform(0.1, 5), lambda: 10 ** rng.uniform(-2, 0.7)]
    return [
        {"curve": ("sigmoid", "tanh")[case % 2], "gamma": float(spreads[case // 2 % 2]()),
         "beta": float(rng.uniform(-3, 3))}
        for case in range(200)
    ]  # fmt: skip


def test_line_and_flat_zones_are_pythons_over_two_hundred_random_settings(blank):
    asked = cases()
    for case, found in zip(asked, blank.evaluate(ASK, asked), strict=True):
        expected = by_panels(case["curve"], case["gamma"], case["beta"])
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=CLOSE, abs=CLOSE), (name, case)


@pytest.mark.parametrize(
    ("name", "gamma", "explained"),
    [("sigmoid", 1, 0.984), ("sigmoid", 2, 0.930), ("sigmoid", 5, 0.807), ("tanh", 1, 0.930),
     ("tanh", 2, 0.838), ("tanh", 5, 0.731)],
)  # fmt: skip
def test_the_courses_numbers(blank, name, gamma, explained):
    (found,) = blank.evaluate(ASK, [{"curve": name, "gamma": gamma, "beta": 0}])
    assert found["explained"] == pytest.approx(explained, abs=5e-4)
    assert found["at"] == pytest.approx({"sigmoid": 0.5, "tanh": 0}[name], abs=1e-15)


def test_with_no_spread_there_is_one_value_and_no_line(blank):
    asked = [{"curve": "tanh", "gamma": 0, "beta": beta} for beta in (0.5, 2.0, -2.0)]
    found = blank.evaluate(ASK, asked)
    assert [each["explained"] for each in found] == [None] * 3
    assert [each["flat"] for each in found] == [0, 1, 1]
    assert [each["at"] for each in found] == pytest.approx(np.tanh([0.5, 2, -2]), rel=1e-12)


@pytest.fixture(scope="module")
def bench(open_widget):
    return open_widget(MODULE, given("gamma_beta", gamma_beta_data(CONFIG)), width=390)


def press(widget, name: str) -> None:
    widget.root.get_by_role("button", name=name, exact=True).click()


def slide(widget, name: str, value: float) -> None:
    widget.root.locator(f"input[name={name}]").evaluate(
        "(one, value) => { one.value = value; one.dispatchEvent(new Event('input')); }", value
    )


def test_it_begins_with_the_sigmoid_at_spread_one_and_names_the_course_s_numbers(bench):
    press(bench, "Reset")
    sentence = bench.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("the best straight line fits this sigmoid with an R² of 0.984")
    for gamma, explained in ((2, "0.930"), (5, "0.807")):
        slide(bench, "gamma", gamma)
        expect(sentence).to_contain_text(f"R² of {explained}")
    bench.root.get_by_role("radio", name="tanh").check(force=True)
    for gamma, explained in ((5, "0.731"), (2, "0.838"), (1, "0.930")):
        slide(bench, "gamma", gamma)
        expect(sentence).to_contain_text(f"R² of {explained}")
    slide(bench, "gamma", 0)
    expect(sentence).to_contain_text("no line can be fitted")
    assert bench.page.evaluate("document.documentElement.scrollWidth") == 390


def test_identity_undoes_the_batch_that_is_shown_and_not_the_next_one(bench):
    press(bench, "Reset")
    sentence = bench.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("y and x differ by up to")
    identity = bench.root.get_by_role("button", name="Identity: undo BN for this batch")
    identity.focus()
    bench.page.keyboard.press("Enter")
    expect(sentence).to_contain_text("so y equals x, value by value")
    state = SimpleNamespace(**bench.values("state.identity"))
    rows = np.array(gamma_beta_data(CONFIG)["batches"])
    assert (state.batch, state.gamma, state.beta) == pytest.approx(
        (1, rows[0].std(), rows[0].mean())
    )
    press(bench, "Next batch")
    expect(sentence).to_contain_text("Batch 2")
    expect(sentence).to_contain_text("y and x differ by up to")
    state = SimpleNamespace(**bench.values("state.batch === 2"))
    # The engine's output for the second batch, with the γ and β that fit the first batch.
    second, gamma, beta = (torch.tensor(each) for each in (rows[1], rows[0].std(), rows[0].mean()))
    y, cache = batch_norm_forward(second[:, None], gamma[None], beta[None], 0.0)
    assert state.apart == pytest.approx(float((y[:, 0] - second).abs().max()), rel=1e-12)
    assert state.mean == pytest.approx(float(cache.mean), rel=1e-12, abs=1e-14)
    assert state.apart > 0.01 * state.spread
    bench.root.locator("summary").click()
    expect(bench.root.locator("tbody tr")).to_have_count(8)
    # After the last batch, the first batch returns, and γ and β still fit that batch.
    for _ in range(len(rows) - 1):
        press(bench, "Next batch")
    expect(sentence).to_contain_text("so y equals x, value by value")
