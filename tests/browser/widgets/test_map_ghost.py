"""What the map before a zoom knew, drawn faint on the new axes until it is measured there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.widgets.map_by_hand import plan, row
from tests.browser.widgets.map_page import RATES, SIZES
from tests.browser.widgets.test_map_drawing import across, planes

# Of all rates; a zoom's are those from 0.1 to 10, three times as fine.
ZOOMED = [0.1, 0.316228, 1.0, 3.16228, 10.0]
BEFORE = {
    "data": plan(),
    "rows": [
        row(network, 8 * i, 8 * j, "learned" if i < reach else "broken")
        for network, reach in ((0, 2), (1, 3))
        for i in range(len(RATES))
        for j in range(len(SIZES))
    ],
}


def zoomed(**more: Any) -> dict[str, Any]:
    return {"across": {**plan()["across"], "rungs": ZOOMED}, **more}


def reaches(plane: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """By class, from which share of the width to which the ghost has it."""
    found = {}
    for kind, drawn in plane["ghost"]:
        ends = [(float(a), float(b)) for a, b in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", drawn)]
        lefts, rights = zip(*ends, strict=True)
        found[kind] = (min(lefts) / plane["width"], max(rights) / plane["width"])
    return found


def test_what_the_map_before_knew_lies_faint_where_it_belongs_until_it_is_run_here(blank):
    rows = [row(0, 0, 0, x=0.1), row(1, 0, 0, x=0.1)]
    found = planes(blank, rows=rows, before=BEFORE, **zoomed())
    # The old borders at 10^-0.5 and at 10^0.5 are 0.5 + 1 and 0.5 + 3 of five columns away.
    borders = [(0, 0.3), (0.3, 0.7), (0.7, 1)]
    at = reaches(found["survivors"])
    for kind, (left, right) in zip((4, 3, 1), borders, strict=True):
        assert at[kind] == pytest.approx((left, right), abs=0.03)
    # What is measured lies over it, and all else is outlined, apart from each other.
    assert [kind for kind, _ in found["survivors"]["kinds"]] == [4]
    gap, outline = found["survivors"]["waiting"]
    assert gap["d"] == outline["d"]
    assert outline["d"].count("M") == len(ZOOMED) * len(SIZES) - 1
    assert all(plane["ghost"] == [] for plane in planes(blank, rows=rows, **zoomed()).values())


def test_beyond_the_map_before_nothing_is_known(blank):
    before = {"data": plan(**zoomed()), "rows": [row(0, 16, 8, x=1.0), row(1, 16, 8, x=1.0)]}
    ((_, drawn),) = planes(blank, before=before)["none"]["ghost"]
    ((left, right),) = re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", drawn)
    plane = planes(blank, before=before)["none"]
    # Half a step of the finer ladder is a quarter of one here.
    middle = across(plane, 1.0)
    assert float(left) == pytest.approx(middle - plane["width"] / 16, abs=plane["width"] / 32)
    assert float(right) == pytest.approx(middle + plane["width"] / 16, abs=plane["width"] / 32)
