"""Widget *A circle of small changes*: its ellipse agrees with the singular value decomposition."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.ui.lesson_widgets import ellipse_data, module_of
from tests.browser.accessible import serious
from tests.browser.widgets.words import given

MODULE = module_of("ellipse")
ASK = """async (matrices) => {
  const m = await import("/assets/v1/widgets/lib/two_by_two.js");
  return matrices.map((matrix) => ({ ...m.ellipseOf(matrix), product: m.timesTransposed(matrix) }));
}"""
CLOSE = 1e-12


def matrices():
    """Return 200 matrices: general, of rank one, rotations, reflections, diagonal, and with equal
    half-axes.
    """
    rng = np.random.default_rng(0)
    found = []
    for case in range(200):
        one = rng.uniform(-1.2, 1.2, (2, 2))
        if case % 8 == 1:
            one = np.outer(one[0], one[1])
        if case % 8 in (2, 3):
            one = np.linalg.qr(one)[0]
        if case % 8 == 4:
            one = np.diag(np.diag(one))
        if case % 8 == 5:
            one *= 10.0 ** rng.uniform(-6, 6)
        found.append(one)
    return [np.zeros((2, 2)), np.eye(2), -np.eye(2), np.eye(2)[::-1], *found]


def test_the_half_axes_are_the_singular_values_and_lie_where_they_are_drawn(blank):
    cases = matrices()
    told = blank.evaluate(ASK, [case.tolist() for case in cases])
    for case, ellipse in zip(cases, told, strict=True):
        size = max(np.abs(case).max(), 1e-300)
        values = np.linalg.svd(case, compute_uv=False)
        assert [ellipse["long"], ellipse["short"]] == pytest.approx(values, rel=0, abs=CLOSE * size)
        assert np.array(ellipse["product"]) == pytest.approx(case @ case.T, abs=CLOSE * size**2)
        # The unit vector that the matrix maps to the long half-axis, and the direction of that
        # half-axis.
        turned = [np.array([np.cos(at), np.sin(at)]) for at in (ellipse["from"], ellipse["angle"])]
        np.testing.assert_allclose(
            case @ turned[0], ellipse["long"] * turned[1], rtol=0, atol=CLOSE * size
        )


@pytest.fixture(scope="module")
def opened(open_widget):
    return open_widget(MODULE, given("ellipse", ellipse_data()), width=390)


@pytest.fixture
def widget(opened):
    """Return the widget in its initial state."""
    opened.begin_again(MODULE, given("ellipse", ellipse_data()))
    return opened


def drawn(widget):
    """Return the ellipse's half-axes, relative to the circle of radius 1."""
    lengths = [
        float(widget.root.locator(part).get_attribute(name))
        for part, name in ((".bnviz-ellipse-circle", "r"), (".bnviz-chart-line", "rx"),
                           (".bnviz-chart-line", "ry"))
    ]  # fmt: skip
    radius, *axes = lengths
    return [axis / radius for axis in axes]


def test_what_is_drawn_is_the_matrix_that_stands_there(widget):
    first = np.linalg.svd(np.array(ellipse_data()["matrices"]["layer"]), compute_uv=False)
    assert drawn(widget) == pytest.approx(first, abs=1e-9)
    sentence = widget.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text(f"by a factor from {first[1]:.3f} to {first[0]:.3f}")
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious(widget.page) == []


def test_buttons_and_keys_change_the_matrix_and_the_state_is_read(widget):
    sentence = widget.root.locator(".bnviz-widget-sentence")
    widget.root.get_by_role("button", name="A turn").press("Enter")
    expect(sentence).to_contain_text("J Jᵀ = I")
    assert drawn(widget) == pytest.approx([1, 1], abs=1e-9)
    widget.root.get_by_role("button", name="One dead unit").press("Enter")
    expect(sentence).to_contain_text("a small change becomes 0")
    field = widget.root.get_by_role("textbox", name="Row 2, column 2 of J")
    field.fill("1")
    field.press("Enter")
    expected = np.linalg.svd(np.array([[1.2, 0.4], [0, 1]]), compute_uv=False)
    expect(sentence).to_contain_text(f"by a factor from {expected[1]:.3f} to {expected[0]:.3f}")
    state = SimpleNamespace(**widget.values())
    assert state.matrix == [[1.2, 0.4], [0, 1]]
    assert (state.long, state.short) == pytest.approx(expected, abs=CLOSE)
    field.fill("9")
    field.press("Enter")
    expect(widget.root.get_by_role("alert")).to_contain_text("between −1.2 and 1.2, not “9”")
    assert drawn(widget) == pytest.approx(expected, abs=1e-9)


def test_a_pointer_drags_the_tip_of_a_column(widget):
    tip = widget.root.locator(".bnviz-ellipse-tip .bnviz-line-disc").first
    box, plane = tip.bounding_box(), widget.root.locator(".bnviz-ellipse-plane").bounding_box()
    mouse, unit = widget.page.mouse, plane["width"] / 5.0
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    middle = (plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2)
    mouse.move(middle[0] + 0.5 * unit, middle[1] - 1 * unit)
    mouse.up()
    value = widget.root.get_by_role("textbox", name="Row 1, column 1 of J")
    expect(value).to_have_value("0.5")
    expect(widget.root.get_by_role("textbox", name="Row 2, column 1 of J")).to_have_value("1")
