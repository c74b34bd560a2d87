"""Elements that the map draws on its plane: cells, histograms, boundaries, numbers, and the mark
of the current setting.
"""

from __future__ import annotations

import math
import re
from base64 import b64encode
from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import ask, plan, row
from tests.browser.widgets.map_page import RATES, SIZES

HILL = b64encode(bytes([0] * 8 + [64, 128, 255, 255, 128, 64, 0, 0] + [0] * 8)).decode()


def plane_of(blank, *norms: str, rows: Any = (), **more: Any) -> dict[str, Any]:
    """Return the elements that a map draws on its plane."""
    own = ("colour", "answer", "width", "over", "before")
    view = {name: more.pop(name) for name in own if name in more}
    return ask(blank, "plane", data=plan(*norms, **more), rows=list(rows), **view)


def boxes(path: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the start coordinates of each box of an SVG path."""
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h", path["d"])]


def grid(*networks: str) -> list[list[Any]]:
    """Return the feed's rows for cells in row order from the lower left (l learned, b broke, s
    stuck).

    Args:
        networks: one text of such letters per network.
    """
    kinds = {"l": "learned", "b": "broken", "s": "stuck"}
    return [
        row(network, place % 4, place // 4, kinds[kind], hill=HILL)
        for network, cells in enumerate(networks)
        for place, kind in enumerate(cells.replace(" ", ""))
    ]


ALL = "llll llll llll"


def test_every_cell_has_a_hill_of_each_network_in_a_tone_of_its_outcome(blank):
    found = plane_of(blank, rows=grid("lllb llbb llbb", "llll lllb lllb"))
    hills = {
        (each["data-hills"], each["data-tone"]): each["d"].count("M") for each in found["hills"]
    }
    assert hills == {
        ("none", "full"): 7, ("none", "pale"): 3, ("none", "dark"): 2, ("batch", "full"): 10,
        ("batch", "dark"): 2,
    }  # fmt: skip
    assert sum(len(boxes(path)) for path in found["cells"]) == 12


def test_a_hill_is_as_high_as_its_part_lets_it_be_and_the_first_network_is_on_top(blank):
    found = plane_of(blank, rows=grid(ALL, ALL), width=1200)
    tops = [min(float(y) for y in re.findall(r"V([\d.]+)", each["d"])) for each in found["hills"]]
    high = found["height"] / 3 / 2
    assert tops[1] - tops[0] == pytest.approx(high, abs=2)
    foot = min(float(y) for y in re.findall(r"M[\d.]+ ([\d.]+)H", found["hills"][0]["d"]))
    assert foot - tops[0] == pytest.approx(0.72 * high, abs=2)


def test_a_network_that_diverged_has_a_cross_instead_of_a_hill(blank):
    rows = [row(0, 0, 0, "broken"), row(1, 0, 0, hill=HILL)]
    found = plane_of(blank, rows=rows)
    assert [each["data-none"] for each in found["hills"]] == ["none", None]


def test_cells_too_small_for_hills_and_maps_of_many_columns_are_plain_colours(blank):
    rates = [0.01 * 1.1**i for i in range(41)]
    many = {"across": {**plan()["across"], "rungs": rates}}
    rows = [row(network, 0, 0, hill=HILL) for network in (0, 1)]
    assert plane_of(blank, rows=rows, width=1200)["hills"]
    found = plane_of(blank, rows=rows, width=1200, **many)
    assert found["hills"] == []
    assert len(found["cells"]) == 1
    assert plane_of(blank, rows=rows, width=70)["hills"] == []


def test_a_network_that_was_too_slow_has_a_hatch_and_is_not_dark(blank):
    found = plane_of(blank, rows=grid("sbll llll llll", "llll llll llll"))
    assert sum(len(boxes(path)) for path in found["parts"]) == 1
    only_slow = plane_of(blank, rows=grid("s", "s"))
    assert [path["fill"].startswith("url(") for path in only_slow["cells"]] == [True]


def corners(path: dict[str, Any], found: dict[str, Any]) -> list[list[tuple[int, int]]]:
    """Return the corners of a boundary, counted in cells from the plane's lower left corner."""
    chains = [part for part in path["d"].split("M") if part]
    return [
        [
            (round(float(x) / found["width"] * 4), round((1 - float(y) / found["height"]) * 3))
            for x, y in re.findall(r"(-?[\d.]+)[ ,](-?[\d.]+)", part)
        ]
        for part in chains
    ]


def border(blank, cells: str) -> Any:
    """Return the corners of the first network's boundary, or None if it has none."""
    found = plane_of(blank, rows=grid(cells, ALL), width=1200)
    own = [each for each in found["borders"] if each["data-border"] == "none"]
    return corners(own[0], found) if own else None


def test_a_border_runs_along_the_edges_of_cells(blank):
    assert border(blank, "lbbb llbb llbb") == [[(1, 0), (1, 1), (2, 1), (2, 3)]]
    # A boundary at low rates is drawn too.
    assert border(blank, "bllb bllb bllb") == [[(3, 0), (3, 3)], [(1, 3), (1, 0)]]
    # A row without any learning cell is below the boundary.
    assert border(blank, "bbbb llbb llbb") == [[(0, 1), (2, 1), (2, 3)]]
    # There is no boundary if all cells learn or no cell learns, and no boundary next to a missing
    # cell.
    assert border(blank, "bbbb bbbb bbbb") is None
    assert border(blank, ALL) is None
    assert border(blank, "llll ll") is None


def test_map_limits_at_the_same_place_lie_beside_each_other(blank):
    found = plane_of(blank, rows=grid("llbb llbb llbb", "llbb llbb llbb"), width=1200)
    places = [float(re.findall(r"M([\d.]+)", each["d"])[0]) for each in found["borders"]]
    assert [each["data-border"] for each in found["borders"]] == ["none", "batch"]
    assert places[1] - places[0] == pytest.approx(3.5, abs=0.2)
    assert sum(places) / 2 == pytest.approx(found["width"] / 2, abs=0.6)


@pytest.mark.parametrize(
    ("cells", "said"),
    [("llbb llbb llbb", "the largest learning rate that works"), ("bllb llbb llbb", "limit")],
)
def test_the_legend_says_what_a_line_is(blank, cells, said):
    assert said in plane_of(blank, rows=grid(cells, ALL))["line"]


@pytest.mark.parametrize("colour", ["accuracy", "loss", "break_step"])
def test_other_ways_of_colouring_give_each_network_its_part_of_a_cell(blank, colour):
    found = plane_of(blank, rows=grid(ALL, ALL), colour=colour)
    assert found["hills"] == found["parts"] == []
    assert [len(boxes(path)) for path in found["cells"]] == [12, 12]


def test_a_ratio_is_of_the_whole_cell(blank):
    found = plane_of(blank, rows=grid(ALL, ALL), colour="ratio")
    assert [len(boxes(path)) for path in found["cells"]] == [12]
    assert found["parts"] == []


def test_the_labs_setting_is_crossed_by_two_lines(blank):
    found = plane_of(blank, cross={"x": 0.3, "y": 32})
    x = found["width"] * (math.log10(0.3 / RATES[0]) + 0.5) / len(RATES)
    y = found["height"] * (1 - (math.log(32 / SIZES[0], 4) + 0.5) / len(SIZES))
    places = [[float(at) for at in re.findall(r"[\d.]+", each["d"])] for each in found["marks"]]
    assert places[0][0] == pytest.approx(x, abs=0.06)
    assert places[2][1] == pytest.approx(y, abs=0.06)
    assert len(plane_of(blank, cross={"x": 99, "y": 32})["marks"]) == 2


def test_axes_have_the_values_of_cells_and_titles(blank):
    found = plane_of(blank, width=1200)
    assert found["numbers"] == [
        "4", "16", "64", "0.01", "0.1", "1", "10", "learning rate",
        "batch size (examples per mini-batch)",
    ]  # fmt: skip
    assert ". Arrow keys move between cells" in found["label"]


def test_what_is_chosen_and_a_rectangle_are_outlined_where_they_are(blank):
    over = {"here": {"i": 2, "j": 1}, "chosen": {"i": 1, "j": 2}, "zoom": None}
    plane = plane_of(blank, over=over, width=1200)
    wide, high = plane["width"] / 4, plane["height"] / 3
    _, chosen, _, here = plane["over"]
    assert chosen == pytest.approx([wide, 0, wide, high, 3], abs=0.1)
    assert here == pytest.approx([2 * wide, high, wide, high, 1.5], abs=0.1)
    zoom = {"left": -0.5, "right": 1.5, "low": 0.5, "high": 2.5}
    over = {"here": None, "chosen": None, "zoom": zoom}
    for box in plane_of(blank, over=over, width=1200)["over"]:
        assert box[:4] == pytest.approx([0, 0, 2 * wide, 2 * high], abs=0.1)
