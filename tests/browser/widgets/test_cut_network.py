"""Widget *Cut the network*: it shows the probe's values, and keeps its settings on updates."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import expect

from bnviz.records import NetworkRecord, Snapshot
from bnviz.ui.lesson_widgets import cut_network_data, module_of
from tests.browser.widgets.words import given

MODULE = module_of("cut_network")
LABELS = {"none": "without BN", "batch": "with BN"}
STEPS = np.array([0, 20, 40, 60, 80, 100], dtype=np.float32)


def measured(kept: int, seed: int) -> NetworkRecord:
    """Return a record with made-up probe values for `kept` steps."""
    rng = np.random.default_rng(seed)
    maps = {
        name: rng.uniform(0.5, 1, (5, 6, 6)).astype(np.float32)[:, :kept, :kept]
        for name in ("accuracy", "random", "wander")
    }
    maps["accuracy"][4, 0, 0] = np.nan
    values = {
        "steps": STEPS[:kept], "cuts": np.arange(1, 6, dtype=np.uint8), **maps,
        "passes": rng.integers(0, 3000, (5, 6, 40)).astype(np.uint16)[:, :kept],
        "edges": np.linspace(-1, 1, 41, dtype=np.float32),
    }  # fmt: skip
    return NetworkRecord(
        loss=1.0, test_loss=1.0, test_accuracy=0.5, state="learning", broke=None,
        probes={"cut": values},
    )  # fmt: skip


def snapshot(kept: int) -> Snapshot:
    return Snapshot(100, {norm: measured(kept, seed) for seed, norm in enumerate(LABELS)})


def data(kept: int) -> dict:
    return given("cut_network", cut_network_data(snapshot(kept) if kept else None, LABELS))


def map_of(kept: int, norm: str, name: str = "accuracy", cut: int = 3) -> np.ndarray:
    return snapshot(kept).networks[norm].probes["cut"][name][cut - 1]


@pytest.fixture(scope="module")
def widget(open_widget):
    opened = open_widget(MODULE, data(0), width=390, reduced_motion="reduce")
    expect(opened.root.locator(".bnviz-widget-sentence")).to_contain_text("Press Play")
    opened.mount(MODULE, data(3))
    return opened


def cells(widget) -> list[list[str]]:
    rows = widget.root.locator("[role=grid] [role=row]").all()[1:]
    return [row.locator("button").all_inner_texts() for row in rows]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def test_the_map_has_what_was_measured_so_far_and_the_newest_step_is_chosen(widget):
    found = map_of(3, "none")
    shown = cells(widget)
    assert [row[:3] for row in shown[:3]] == [[percent(x) for x in row] for row in found]
    assert {text for row in shown for text in row[3:]} == {"–"}
    expect(widget.root.locator(".bnviz-cut-accuracy")).to_contain_text(percent(found[2, 1]))
    state = SimpleNamespace(**widget.values())
    assert (state.network, state.cut, state.s, state.t, state.random) == ("none", 3, 40, 20, False)
    assert state.accuracy == pytest.approx(found[2, 1], abs=1e-5)
    assert state.own == pytest.approx(found[1, 1], abs=1e-5)
    assert state.wander == pytest.approx(map_of(3, "none", "wander")[2, 1], abs=1e-5)
    assert widget.page.evaluate("document.documentElement.scrollWidth") == 390
    assert widget.root.locator(".bnviz-map-own").count() == 6


def test_what_was_chosen_stays_while_more_comes_in(widget):
    lower = widget.root.get_by_role("slider", name="Lower half of step")
    lower.focus()
    lower.press("Home")
    lower.press("ArrowRight")
    expect(lower).to_have_attribute("aria-valuetext", "20")
    widget.root.get_by_role("radio", name="with BN").check(force=True)
    cut = widget.root.get_by_role("slider", name="Cut after layer")
    cut.press("ArrowLeft")
    height = widget.root.bounding_box()["height"]
    widget.mount(MODULE, data(6))
    found = map_of(6, "batch", cut=2)
    assert cells(widget) == [[percent(x) for x in row] for row in found]
    expect(lower).to_have_attribute("aria-valuetext", "20")
    expect(widget.root.locator(".bnviz-widget-sentence")).to_contain_text(
        "Both halves from step 20"
    )
    assert widget.root.bounding_box()["height"] == pytest.approx(height, abs=1)  # no jump
    widget.root.get_by_role("switch").check(force=True)
    assert cells(widget)[0][1] == percent(map_of(6, "batch", "random", 2)[0, 1])
    # The texts match the values shown: both halves of the network are from the same step, but one
    # half was changed.
    caption = widget.root.locator("figcaption")
    expect(caption).to_contain_text("Each column gives the step of the weights of both")
    first = widget.root.get_by_role("gridcell").nth(1).locator("button")
    expect(first).to_have_attribute("aria-label", re.compile("both halves from step 20, but the"))
    widget.root.get_by_role("switch").uncheck(force=True)
    expect(caption).to_contain_text("the column the step of the upper half")


def test_cells_are_reached_by_arrow_keys_and_by_pointer(widget):
    widget.mount(MODULE, data(6))
    widget.root.get_by_role("gridcell").nth(7).locator("button").click()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        widget.page.keyboard.press(key)
    state = SimpleNamespace(**widget.values("state.s === 40 && state.t === 40"))
    assert state.accuracy == state.own
    focused = widget.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "lower half from step 40, upper half from step 40" in focused


def test_what_is_not_finite_is_no_number(widget):
    widget.root.get_by_role("radio", name="without BN").check(force=True)
    widget.root.get_by_role("slider", name="Cut after layer").press("End")
    for half in ("Lower", "Upper"):
        widget.root.get_by_role("slider", name=f"{half} half of step").press("Home")
    expect(widget.root.locator(".bnviz-cut-accuracy")).to_have_text("not finite")
    assert SimpleNamespace(**widget.values("state.cut === 5 && state.s === 0")).accuracy is None
