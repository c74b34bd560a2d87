"""Results of the previous map after a zoom, drawn faintly until the new cells are measured."""

from __future__ import annotations

from typing import Any

from tests.browser.widgets.map_by_hand import plan, row
from tests.browser.widgets.map_page import RATES, SIZES
from tests.browser.widgets.test_map_drawing import boxes, plane_of

# Rates of a map that is zoomed to rates from 0.1 to 10, with twice as many rates per decade.
ZOOMED = [0.1, 0.316228, 1.0, 3.16228, 10.0]
BEFORE = {
    "data": plan(),
    "rows": [
        row(network, i, j, "learned" if i < reach else "broken")
        for network, reach in ((0, 2), (1, 3))
        for i in range(len(RATES))
        for j in range(len(SIZES))
    ],
}


def zoomed(**more: Any) -> dict[str, Any]:
    return {"across": {**plan()["across"], "rungs": ZOOMED}, **more}


def test_what_the_map_before_knew_lies_faint_where_it_belongs_until_it_is_run_here(blank):
    rows = [row(0, 0, 0, x=0.1), row(1, 0, 0, x=0.1)]
    found = plane_of(blank, rows=rows, before=BEFORE, **zoomed())
    wide = found["width"] / len(ZOOMED)
    columns = [
        {int(x // wide) for path in found["ghost"] if path["fill"] == fill for x, _ in boxes(path)}
        for fill in dict.fromkeys(path["fill"] for path in found["ghost"])
    ]
    # Each column shows the result at the nearest rate of the previous map.
    assert sorted(map(sorted, columns)) == [[0], [1, 2], [3, 4]]
    # Measured cells cover the faint ones, and all other cells are outlined.
    assert sum(len(boxes(path)) for path in found["cells"]) == 1
    assert sum(len(boxes(path)) for path in found["waiting"]) == len(ZOOMED) * len(SIZES) - 1
    assert plane_of(blank, rows=rows, **zoomed())["ghost"] == []


def test_beyond_the_map_before_nothing_is_known(blank):
    before = {"data": plan(**zoomed()), "rows": [row(0, 2, 1, x=1.0), row(1, 2, 1, x=1.0)]}
    (ghost,) = plane_of(blank, before=before)["ghost"]
    assert len(boxes(ghost)) == 1
