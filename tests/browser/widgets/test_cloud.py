"""Widget *Cloud*: raw, normalized and whitened values of two units, compared with the engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from bnviz.norms.batch import batch_norm_forward
from bnviz.norms.inverse_root import inverse_root
from bnviz.probes.spectrum import spectrum
from bnviz.ui.lesson_widgets import cloud_data, module_of
from tests.browser.accessible import serious
from tests.browser.widgets.words import given

MODULE = module_of("cloud")
ASK = """async (clouds) => {
  const m = await import("/assets/v1/widgets/lib/two_units.js");
  return clouds.map((points) => {
    const { means, covariance } = m.statistics(points);
    return { means, covariance, ...m.shapeOf(covariance), normalized: m.normalized(points),
      whitened: m.whitened(points), root: m.inverseRoot(covariance) };
  });
}"""
CLOSE = 1e-12
# Largest condition number tested. Rounding errors of the inverse square root grow with this number.
WELL = 1e3


def clouds() -> list[np.ndarray]:
    """Return 200 mini-batches of two units with random sizes, means, scales and correlations."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        count = int(rng.choice([2, 3, 4, 10, 60, 200]))
        correlation = rng.uniform(-0.99, 0.99)
        mixed = rng.normal(size=(count, 2)) @ np.array(
            [[1, correlation], [0, np.sqrt(1 - correlation**2)]]
        )
        moved = mixed * rng.uniform(0.3, 3, 2) + rng.normal(size=2)
        found.append(moved * 10.0 ** rng.choice([-6, 0, 6]))
    return found


@pytest.fixture(scope="module")
def answered(blank) -> list[tuple[np.ndarray, Any]]:
    asked = clouds()
    return list(zip(asked, blank.evaluate(ASK, [each.tolist() for each in asked]), strict=True))


def close(found: Any, expected: Any, size: float = 1.0) -> bool:
    return bool(np.allclose(found, np.asarray(expected), rtol=0, atol=CLOSE * size))


def test_mean_covariance_and_the_normalized_cloud_are_the_engines(answered):
    for points, found in answered:
        size = np.abs(points).max()
        assert close(found["means"], points.mean(0), size)
        assert close(found["covariance"], np.cov(points.T, ddof=0), size**2)
        y, cache = batch_norm_forward(torch.tensor(points), None, None, 0.0)
        assert close(found["normalized"], y, size * float(cache.inverse_std.max()))


def test_the_ellipse_is_that_of_the_eigenvalues_and_is_undefined_where_one_is_zero(answered):
    singular = 0
    for points, found in answered:
        shares, covariance = spectrum(points), np.cov(points.T, ddof=0)
        largest = np.linalg.eigvalsh(covariance)[1]
        assert found["long"] ** 2 == pytest.approx(largest, rel=CLOSE)
        direction = np.array([np.cos(found["angle"]), np.sin(found["angle"])])
        assert close(covariance @ direction, largest * direction, largest)
        assert found["correlation"] == pytest.approx(np.corrcoef(points.T)[0, 1], abs=CLOSE)
        if len(points) == 2:
            singular += 1
            assert (found["condition"], found["ratio"], found["whitened"]) == (None, None, None)
        else:
            assert 1 / found["condition"] == pytest.approx(shares[1], abs=CLOSE)
            assert found["ratio"] ** 2 == pytest.approx(found["condition"], rel=CLOSE)
    assert 20 < singular < 60


def test_the_whitened_cloud_is_the_engines_and_a_circle(answered):
    for points, found in answered:
        if len(points) == 2:
            continue
        covariance = torch.tensor(np.cov(points.T, ddof=0))
        root, _, _ = inverse_root(covariance)
        rounding = max(1.0, found["condition"] / WELL)
        assert close(found["root"], root, float(root.abs().max()) * rounding)
        expected = torch.tensor(points - points.mean(0)) @ root
        size = float(root.abs().max()) * np.abs(points).max()
        assert close(found["whitened"], expected, max(size, 1) * rounding)
        whitened = np.array(found["whitened"])
        assert close(whitened.T @ whitened / len(points), np.eye(2), found["condition"])


@pytest.fixture(scope="module")
def cloud(open_widget):
    return open_widget(MODULE, given("cloud", cloud_data()), width=390)


def slide(widget, name: str, value: float) -> None:
    widget.root.locator(f"input[name={name}]").evaluate(
        "(one, value) => { one.value = value; one.dispatchEvent(new Event('input')); }", value
    )


def drawn(widget, place: int) -> tuple[int, float]:
    """Return a cloud's number of points, and the ratio of its ellipse's long to short half-axis."""
    svg = widget.root.locator(".bnviz-cloud").nth(place)
    oval = svg.locator(".bnviz-cloud-oval")
    rx, ry = (float(oval.get_attribute(name)) for name in ("rx", "ry"))
    return svg.locator(".bnviz-cloud-point").count(), rx / ry


def test_bn_leaves_an_ellipse_and_whitening_makes_a_circle(cloud):
    slide(cloud, "correlation", 0.8)
    slide(cloud, "examples", 12)
    state = SimpleNamespace(**cloud.values("state.examples === 200"))
    expected = np.sqrt((1 + abs(state.measured)) / (1 - abs(state.measured)))
    assert state.batch == pytest.approx(expected, rel=1e-9)
    assert 2.4 < expected < 3.6, "near 3, what a correlation of .8 makes of many examples"
    assert state.white == pytest.approx(1, abs=1e-9)
    for place, ratio in enumerate((state.raw, state.batch, state.white)):
        assert drawn(cloud, place) == (200, pytest.approx(ratio, rel=1e-6))
    sentence = cloud.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text(f"correlation of {state.measured:.2f}")
    assert cloud.page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious(cloud.page) == []


def test_two_examples_cannot_be_whitened_and_of_three_a_triangle_is_left(cloud):
    sentence, slider = (
        cloud.root.locator(".bnviz-widget-sentence"), cloud.root.locator("input[name=examples]"),
    )  # fmt: skip
    slider.press("Home")
    expect(sentence).to_contain_text("not defined")
    assert cloud.root.locator(".bnviz-cloud").nth(2).locator("circle").count() == 0
    state = SimpleNamespace(**cloud.values("state.examples === 2"))
    assert (state.raw, state.batch, state.white) == (None, None, None)
    assert abs(state.measured) == pytest.approx(1)
    cloud.root.locator("summary").click()
    # Dashes stand for undefined numbers: all numbers after whitening, and the ratios for points on
    # a line.
    assert [text for text in cloud.root.locator("tbody td").all_inner_texts() if text == "–"] == [
        "–"
    ] * (7 + 2 * 2)
    slider.press("ArrowRight")
    expect(sentence).to_contain_text("equilateral triangle")
    points = cloud.root.locator(".bnviz-cloud").nth(2).locator(".bnviz-cloud-point")
    corners = np.array([[float(p.get_attribute(k)) for k in ("cx", "cy")] for p in points.all()])
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    assert sides.max() - sides.min() < 0.02 * sides.max(), "drawn to a tenth of a pixel"
    for _ in range(2):
        cloud.root.locator("input[name=correlation]").press("End")
    expect(cloud.root.locator(".bnviz-knob-value").first).to_have_text("0.99")
