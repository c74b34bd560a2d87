"""Widget *Which values share a mean?*: it marks the values on which a norm's output depends."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor

from bnviz.ui.lesson_widgets import module_of, shared_mean_data
from tests.browser.accessible import serious
from tests.browser.widgets.words import given
from tests.norms.making import make

MODULE = module_of("shared_mean")
NORMS = ("units", "maps", "layer", "instance", "group", "place")
ASK = """async (cases) => {
  const m = await import("/assets/v1/widgets/lib/shared_means.js");
  const every = ({ examples, maps, places }) =>
    Array.from({ length: examples * maps * places }, (_, at) => ({
      example: Math.floor(at / maps / places), map: Math.floor(at / places) % maps,
      place: at % places,
    }));
  return cases.map(({ norm, block, value }) => ({
    names: Object.keys(m.NORMS), others: m.NORMS[norm].others, ...m.countsOf(norm, block),
    lit: every(block).map((each) => m.sharesMean(norm, value, each, block)),
  }));
}"""


def cases() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    found = []
    for case in range(204):
        side = int(rng.integers(1, 5))
        block = {"examples": int(rng.integers(1, 7)), "maps": int(rng.choice([2, 4, 6])),
                 "places": side**2, "groups": 2}  # fmt: skip
        value = {"example": int(rng.integers(block["examples"])),
                 "map": int(rng.integers(block["maps"])),
                 "place": int(rng.integers(block["places"]))}  # fmt: skip
        found.append({"norm": NORMS[case % 6], "block": block, "value": value})
    return found


def through(name: str, x: Tensor, dy: Tensor, **settings: Any) -> Tensor:
    """Return a norm's input gradient. It is exactly zero for inputs that do not influence the
    output.
    """
    norm = make(name, width=x.shape[1], eps=1.0, affine=False, **settings)
    _, cache = norm.forward(x, training=True)
    return norm.backward(dy, cache)


def depends(norm: str, block: dict[str, int], value: dict[str, int]) -> np.ndarray:
    """Return which values of the block influence the engine's output at one value."""
    shape = (block["examples"], block["maps"], block["places"], 1)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    dy = torch.zeros_like(x)
    dy[value["example"], value["map"], value["place"]] = 1
    match norm:
        case "units":
            found = through("batch", x.flatten(1), dy.flatten(1)).reshape(shape)
        case "maps":
            found = through("batch", x, dy)
        case "group":
            found = through("group", x, dy, groups=block["groups"])
        case "place":  # normalize each place of each example over the maps
            rows, drows = (each.squeeze(3).transpose(1, 2).flatten(0, 1) for each in (x, dy))
            flat = through("layer", rows, drows)
            found = flat.reshape(shape[0], shape[2], shape[1]).transpose(1, 2)
        case _:
            found = through(norm, x, dy)
    return np.asarray(found.reshape(-1) != 0)


def test_what_is_lit_is_what_the_engines_result_depends_on(blank):
    asked = cases()
    compared = 0
    for case, found in zip(asked, blank.evaluate(ASK, asked), strict=True):
        assert tuple(found["names"]) == NORMS
        lit, (norm, block) = np.array(found["lit"]), (case["norm"], case["block"])
        assert lit.sum() == found["values"]
        total = block["examples"] * block["maps"] * block["places"]
        assert found["values"] * found["means"] == total
        if found["values"] == 1:
            continue  # for a single value, the engine raises an error or returns a zero gradient
        compared += 1
        np.testing.assert_array_equal(lit, depends(norm, block, case["value"]), str(case))
        examples = np.flatnonzero(lit.reshape(block["examples"], -1).any(axis=1))
        assert (len(examples) > 1) == (found["others"] and block["examples"] > 1)
    assert compared > 150


def test_the_means_part_the_block(blank):
    """Sharing a mean is symmetric and transitive, so the means partition the block."""
    block = {"examples": 2, "maps": 4, "places": 4, "groups": 2}
    every = [dict(zip(("example", "map", "place"), at, strict=True))
             for at in itertools.product(range(2), range(4), range(4))]  # fmt: skip
    for norm in NORMS:
        asked = [{"norm": norm, "block": block, "value": value} for value in every]
        answers = blank.evaluate(ASK, asked)
        rows = np.array([each["lit"] for each in answers])
        assert (rows == rows.T).all()
        assert len({row.tobytes() for row in rows}) == answers[0]["means"]


@pytest.fixture(scope="module")
def block(open_widget):
    return open_widget(MODULE, given("shared_mean", shared_mean_data()), width=390)


def choose(widget, norm: str) -> None:
    widget.root.locator(f"input[value={norm}]").check(force=True)


def lit(widget) -> int:
    return widget.root.locator(".bnviz-cube-lit").count()


@pytest.mark.parametrize(
    ("norm", "count", "means"),
    [("units", 2, 64), ("maps", 32, 4), ("layer", 64, 2), ("instance", 16, 8), ("group", 32, 4),
     ("place", 4, 32)],
)  # fmt: skip
def test_of_two_examples_of_four_maps_of_sixteen_places(block, norm, count, means):
    choose(block, norm)
    sentence = block.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text(f"{count} values share this mean; there are {means} means")
    assert lit(block) == count
    row = block.root.locator("tbody tr").nth(NORMS.index(norm))
    assert row.locator("td").all_text_contents()[:2] == [str(count), str(means)]


def test_arrows_walk_through_the_block_and_a_press_chooses(block):
    choose(block, "instance")
    cubes = block.root.locator(".bnviz-cube")
    cubes.first.click()
    # Arrow keys go through the maps of an example, then to the next example, and back.
    for key, name in (("ArrowRight", "map 1, place 4"), ("ArrowRight", "map 2, place 1")):
        for _ in range(3 if name.endswith("4") else 1):
            block.page.keyboard.press(key)
        focused = block.page.evaluate("document.activeElement.ariaLabel")
        assert focused == f"Example 1, {name}"
    for _ in range(4):
        block.page.keyboard.press("ArrowDown")
    assert block.page.evaluate("document.activeElement.ariaLabel") == "Example 2, map 2, place 1"
    state = SimpleNamespace(**block.values("state.example === 1 && state.map === 1"))
    assert (state.norm, state.place, state.values, state.means) == ("instance", 0, 16, 8)
    # Arrow keys stop at the edge, and only one cube is in the Tab order.
    block.page.keyboard.press("ArrowDown")
    for _ in range(9):
        block.page.keyboard.press("ArrowDown")
    assert block.page.evaluate("document.activeElement.ariaLabel") == "Example 2, map 2, place 13"
    assert block.root.locator(".bnviz-cube[tabindex='0']").count() == 1


def test_a_smaller_block_keeps_a_value_and_one_that_is_alone_is_told_of(block):
    choose(block, "units")
    block.root.locator("input[name=examples]").press("Home")
    sentence = block.root.locator(".bnviz-widget-sentence")
    expect(sentence).to_contain_text("the difference is 0")
    assert lit(block) == 1
    block.root.locator("input[name=examples]").press("End")
    block.root.get_by_role("radio", name="6", exact=True).check(force=True)
    expect(block.root.locator(".bnviz-cube")).to_have_count(6 * 6 * 16)
    assert block.page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious(block.page) == []
    block.root.get_by_role("radio", name="1 × 1", exact=True).check(force=True)
    expect(block.root.locator(".bnviz-cube")).to_have_count(36)
    choose(block, "maps")
    assert lit(block) == 6
