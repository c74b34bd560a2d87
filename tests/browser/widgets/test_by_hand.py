"""Widget *By hand*: every kind of input reaches the numbers used in the course."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from bnviz.ui.lesson_widgets import by_hand_data, module_of
from tests.browser.widgets.words import given

MODULE = module_of("by_hand")
PHONE = {"width": 390, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def forward(open_widget):
    data = by_hand_data(highlight=2, guess="nearer to 0", task=(3, 10.0))
    return open_widget(MODULE, given("by_hand", data))


@pytest.fixture(scope="module")
def backward(open_widget):
    return open_widget(MODULE, given("by_hand", by_hand_data("backward")))


def column(widget, name: str) -> list[str]:
    return widget.root.locator(f".bnviz-graph-cell[data-column={name}]").all_inner_texts()


def node(widget, name: str) -> Locator:
    nodes = widget.root.locator(".bnviz-graph-node")
    return nodes.filter(has=widget.page.locator(f"small:text-is('{name}')")).locator(
        ".bnviz-graph-value"
    )


def value(widget, image: int) -> Locator:
    return widget.root.get_by_role("textbox", name=f"Value of image {image}")


def handle(widget, image: int) -> Locator:
    return widget.root.get_by_role("slider", name=f"Value of image {image}")


def press(widget, name: str) -> None:
    widget.root.get_by_role("button", name=name).click()


def type_in(widget, image: int, text: str) -> None:
    value(widget, image).fill(text)
    value(widget, image).press("Enter")


def minus(*numbers: str) -> list[str]:
    return [number.replace("-", "\u2212") for number in numbers]


def test_the_first_batch_and_the_exchange_of_one_image(forward):
    press(forward, "Reset")
    expect(node(forward, "μ")).to_have_text("2.900")
    expect(node(forward, "σ²")).to_have_text("0.975")
    assert column(forward, "normalized") == minus("-0.810", "0.608", "-1.114", "1.317")
    sentence = forward.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("standard deviation 0.987")
    expect(sentence).not_to_contain_text("did not change")
    type_in(forward, 4, "9")
    expect(node(forward, "μ")).to_have_text("4.100")
    expect(forward.root.get_by_role("status")).to_have_text(sentence.inner_text())
    assert not forward.page.evaluate("window.states.includes(true)"), "any move counts as the task"
    type_in(forward, 4, "10")
    assert column(forward, "normalized") == minus("-0.677", "-0.256", "-0.767", "1.699")
    expect(node(forward, "μ")).to_have_text("4.350")
    expect(node(forward, "σ²")).to_have_text("11.053")
    expect(sentence).to_contain_text(
        "Image 3 did not change, but its result went from \u22121.114 to \u22120.767."
    )
    guess = forward.root.locator(".bnviz-line-guess")
    expect(guess).to_have_text("your guess of the ringed point: nearer to 0")
    state = SimpleNamespace(**forward.values("state.x[3] === 10"))
    assert forward.heard("state === true"), "that it was tried"
    assert state.normalized == pytest.approx([-0.6768, -0.2557, -0.7670, 1.6995], abs=5e-5)
    expect(forward.root.get_by_role("status")).to_have_text(sentence.inner_text())
    type_in(forward, 3, "5")
    expect(sentence).not_to_contain_text("did not change")


def test_of_points_that_lie_close_together_each_can_be_taken_hold_of(forward):
    press(forward, "Reset")
    for image, typed in ((1, "2"), (2, "2.1"), (3, "2"), (4, "9.9")):
        type_in(forward, image, typed)
    taken = forward.page.evaluate(
        """() => [...document.querySelectorAll(".bnviz-line-disc")].map((disc) => {
          const { left, right, top, bottom } = disc.getBoundingClientRect();
          const handle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
            .closest("[role=slider]");
          return [handle === disc.closest("[role=slider]"), left, right];
        })"""
    )
    assert [own for own, _, _ in taken] == [True] * 4
    for (_, _, right), (_, left, _) in itertools.pairwise(sorted(taken, key=lambda disc: disc[1])):
        assert right <= left
    # Dragging moves the handle under the pointer.
    box = handle(forward, 1).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    forward.page.mouse.move(x, y)
    forward.page.mouse.down()
    forward.page.mouse.move(x - 60, y, steps=4)
    forward.page.mouse.up()
    expect(value(forward, 3)).to_have_value("2")
    assert float(handle(forward, 1).get_attribute("aria-valuenow") or 2) < 1


def test_a_point_off_the_line_is_marked_with_its_number(forward):
    press(forward, "Reset")
    type_in(forward, 4, "1000")
    assert column(forward, "normalized") == minus("-0.578", "-0.575", "-0.579", "1.732")
    expect(forward.root.locator(".bnviz-line-beyond")).to_have_count(1)
    expect(forward.root.locator("svg text", has_text="1000")).to_have_count(1)
    right = handle(forward, 4).bounding_box()
    assert right is not None
    assert right["x"] + right["width"] <= 760


def test_with_the_image_that_was_guessed_about_the_guess_and_its_mark_go(forward):
    press(forward, "Reset")
    marks = forward.root.locator(".bnviz-line-ghost, .bnviz-line-guess:visible")
    for shown in (2, 2, 0):
        expect(marks).to_have_count(shown)
        press(forward, "Remove the last")


def test_what_is_no_value_is_answered_and_changes_nothing(forward):
    press(forward, "Reset")
    for wrong in ("abc", "1e9", ""):
        type_in(forward, 1, wrong)
        alert = forward.root.get_by_role("alert")
        expect(alert).to_contain_text(
            f"Value of image 1 must be a number between \u22121e6 and 1e6, not “{wrong}”"
        )
        assert column(forward, "normalized")[0] == "\u22120.810"
    value(forward, 1).press("Escape")
    expect(value(forward, 1)).to_have_value("2.1")
    type_in(forward, 1, "\u22122,5")  # decimal comma
    expect(forward.root.get_by_role("alert")).to_have_count(0)
    expect(handle(forward, 1)).to_have_attribute("aria-valuenow", "-2.5")


def test_a_point_is_dragged_and_moved_by_keys_and_all_others_follow(forward):
    press(forward, "Reset")
    before = column(forward, "normalized")
    box = handle(forward, 4).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = forward.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 60, y + 40, steps=4)
    mouse.up()
    dragged = float(handle(forward, 4).get_attribute("aria-valuenow") or 0)
    assert 5 < dragged < 7
    assert all(old != new for old, new in zip(before, column(forward, "normalized"), strict=True))
    expect(value(forward, 4)).to_have_value(f"{dragged:g}")
    for key, moved in [("ArrowRight", 0.1), ("PageDown", -0.9), ("Shift+ArrowUp", 0.1)]:
        handle(forward, 4).press(key)
        expect(handle(forward, 4)).to_have_attribute("aria-valuenow", f"{dragged + moved:.10g}")
    handle(forward, 4).press("Home")
    expect(value(forward, 4)).to_have_value("\u221210")
    forward.page.keyboard.press("End")
    expect(value(forward, 4)).to_have_value("10")


def test_equal_points_one_point_and_epsilon(forward):
    press(forward, "Reset")
    for image in (1, 2, 3, 4):
        type_in(forward, image, "0.1")
    assert column(forward, "normalized") == ["0.000"] * 4
    expect(forward.root.locator(".bnviz-widget-sentence")).to_contain_text("All values are equal")
    zero = forward.root.get_by_role("radio", name="0", exact=True)
    zero.focus()
    forward.page.keyboard.press("Space")
    assert column(forward, "normalized") == ["0 ÷ 0"] * 4
    expect(forward.root.locator(".bnviz-widget-sentence")).to_contain_text("is not defined")
    undefined = forward.values("Number.isNaN(state.normalized[0])")
    assert np.isnan(undefined["normalized"]).all()
    forward.root.get_by_role("radio", name="0.1").check(force=True)
    assert column(forward, "normalized") == ["0.000"] * 4
    for _ in range(3):
        press(forward, "Remove")
    expect(forward.root.get_by_role("button", name="Remove")).to_be_disabled()
    beta = forward.root.get_by_role("slider", name="β")
    beta.focus()
    for _ in range(5):
        beta.press("ArrowRight")
    assert column(forward, "y") == ["0.500"]
    for _ in range(7):
        press(forward, "Add")
    expect(forward.root.get_by_role("button", name="Add")).to_be_disabled()
    assert len(set(forward.values("state.x.length === 8")["x"])) == 8


def test_two_points_are_one_up_and_one_down_whatever_they_are(forward):
    press(forward, "Reset")
    press(forward, "Remove")
    press(forward, "Remove")
    for other in ("3.5", "900"):
        type_in(forward, 2, other)
        assert column(forward, "normalized") == ["\u22121.000", "1.000"]


def test_a_rerun_changes_nothing_but_another_start_does(forward):
    press(forward, "Reset")
    type_in(forward, 2, "7")
    forward.mount(MODULE, given("by_hand", by_hand_data(highlight=2), dark=True))
    expect(value(forward, 2)).to_have_value("7")
    expect(forward.root).to_have_attribute("data-theme", "dark")
    forward.mount(MODULE, given("by_hand", by_hand_data(start=(1, 2, 3))))
    expect(value(forward, 2)).to_have_value("2")
    forward.mount(MODULE, given("by_hand", by_hand_data(highlight=2, guess="nearer to 0")))
    expect(forward.root).to_have_count(1)


def test_an_arrows_head_is_not_under_the_disc_by_which_it_is_dragged(backward):
    press(backward, "Reset")
    parts = (backward.root.locator(f".bnviz-arrow{each}").first for each in ("", "-tip"))
    head, disc = (part.bounding_box() for part in parts)
    assert head["x"] + head["width"] <= disc["x"] + 3, "but for the width of their lines"


def test_the_six_results_come_node_by_node(backward):
    next_one = backward.root.get_by_role("button", name="Next result")
    expect(node(backward, "∂ℓ/∂σ²")).to_have_text("·")
    next_one.click()
    assert column(backward, "normalized") == ["1.000", "0.000", "0.000", "0.000"]
    expect(node(backward, "∂ℓ/∂σ²")).to_have_text("·")
    next_one.click()
    expect(node(backward, "∂ℓ/∂σ²")).to_have_text("0.415")
    next_one.click()
    expect(node(backward, "∂ℓ/∂μ")).to_have_text("\u22121.013")
    assert column(backward, "x") == ["·"] * 4
    next_one.click()
    assert column(backward, "x") == minus("0.593", "-0.129", "-0.482", "0.017")
    assert column(backward, "byVariance") == minus("-0.166", "0.125", "-0.229", "0.270")
    assert column(backward, "byMean") == ["\u22120.253"] * 4
    press(backward, "All results")
    expect(next_one).to_be_disabled()
    expect(node(backward, "∂ℓ/∂γ")).to_have_text("\u22120.810")
    expect(node(backward, "∂ℓ/∂β")).to_have_text("1.000")
    state = SimpleNamespace(**backward.values("state.revealed === 6"))
    assert state.dx == pytest.approx([0.5934, -0.1285, -0.4817, 0.0169], abs=5e-5)


def test_paths_are_left_out_and_what_only_shifts_or_stretches_has_no_gradient(backward):
    press(backward, "Reset")
    press(backward, "All results")
    switches = [
        backward.root.get_by_role("switch", name=f"without the path through {path}")
        for path in ("μ", "σ²")
    ]
    for switch in switches:
        switch.check(force=True)
    assert column(backward, "x") == ["1.013", "0.000", "0.000", "0.000"]
    for switch in switches:
        switch.focus()
        backward.page.keyboard.press("Space")
    assert column(backward, "x")[0] == "0.593"
    for image in (2, 3, 4):
        arrow = backward.root.get_by_role("slider", name=f"Gradient at the output of image {image}")
        arrow.press("Shift+ArrowRight")
    assert column(backward, "x") == ["0.000"] * 4
    for image, result in enumerate(
        ["-0.8101914936669331", "0.6076436202502", "-1.1140133037920332", "1.3165611772087669"], 1
    ):
        field = backward.root.get_by_role(
            "textbox", name=f"Gradient at the output of image {image}"
        )
        field.fill(result)
        field.press("Enter")
    assert column(backward, "x") == ["0.000"] * 4


@pytest.mark.parametrize("mode", ["forward", "backward"])
def test_on_a_phone_nothing_is_cut_off_and_a_finger_has_room(open_widget, mode):
    widget = open_widget(MODULE, given("by_hand", by_hand_data(mode)), **PHONE)
    height = widget.root.bounding_box()["height"]
    type_in(widget, 2, "-123.456") if mode == "forward" else press(widget, "All results")
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    over = widget.page.evaluate(
        "[...document.querySelectorAll('.bnviz-graph-cell, .bnviz-graph-node, .bnviz-pill, small')]"
        ".filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"
    )
    assert over == []
    assert widget.root.bounding_box()["height"] == pytest.approx(height, abs=1)  # no jump
    small = widget.page.evaluate(
        "[...document.querySelectorAll('button, input:not([type=radio], [role=switch]), summary, '"
        " + '.bnviz-segments label')].map((e) => [e.textContent || e.ariaLabel, e.clientHeight])"
        ".filter(([, height]) => height < 42)"  # within borders
    )
    assert small == []
