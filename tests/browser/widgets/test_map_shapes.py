"""What the map is drawn from: points painted on a lattice, rectangles, borders, axes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.charts.real_module import evaluate

RATES = [0.01, 0.02, 0.05, 0.1, 0.3]
SIZES = [4, 16, 64]
KINDS = ["learned", "stuck", "broken"]


def call(module: str, expression: str, argument: Any = None) -> Any:
    """An expression of one of the map's modules, `m`."""
    return evaluate(f"../map/{module}", expression, argument)


def axis(rungs: list[float], **more: Any) -> dict[str, Any]:
    return {
        "knob": "learning_rate", "label": "rate", "rungs": rungs, "logarithmic": True,
        "whole": False, **more,
    }  # fmt: skip


def plan(norms: int = 2) -> dict[str, Any]:
    return {
        "across": axis(RATES), "up": axis(SIZES, knob="batch_size", whole=True),
        "norms": [{"name": f"n{number}"} for number in range(norms)],
    }  # fmt: skip


def points(rng: np.random.Generator, norms: int = 2) -> list[list[Any]]:
    """The base grid of every network and, of each, some of the finer points."""
    across, up = 8 * (len(RATES) - 1), 8 * (len(SIZES) - 1)
    found = []
    for network in range(norms):
        base = {(i, j) for i in range(0, across + 1, 8) for j in range(0, up + 1, 8)}
        fine = {(int(rng.integers(across + 1)), int(rng.integers(up + 1))) for _ in range(60)}
        found += [
            [network, i, j, 0.1, 8, KINDS[rng.integers(3)], 0.9, 0.2, None, None, None, 1, 9, "x"]
            for i, j in sorted(base | fine)
        ]
    return found


def painted(rows: list[list[Any]], network: int, what: str = "learned") -> np.ndarray:
    """1 where that became of a network [up, across]: squares from the coarse to the fine ones."""
    lattice = np.full((8 * len(SIZES), 8 * len(RATES)), -1)
    own = [row for row in rows if row[0] == network]
    for size in (8, 4, 2, 1):
        for _, i, j, *_, kind in (row[:6] for row in own):
            if (i | j | 8) & -(i | j | 8) == size:
                x, y = i + 4 - size // 2, j + 4 - size // 2
                lattice[max(y, 0) : y + size, max(x, 0) : x + size] = kind == what
    return lattice


def test_points_are_painted_from_coarse_to_fine_in_whatever_order_they_come():
    rng = np.random.default_rng(0)
    rows = points(rng)
    shuffled = [rows[place] for place in rng.permutation(len(rows))]
    ask = """(() => { const model = new m.MapModel(a[0]);
      for (const row of a[1]) model.take([row]);
      return [...model.survivors()]; })()"""
    found = np.reshape(call("model", ask, [plan(), shuffled]), (8 * len(SIZES), 8 * len(RATES)))
    expected = 1 + painted(rows, 0) + 2 * painted(rows, 1)
    # Where neither learned, and neither broke.
    expected[(painted(rows, 0, "stuck") & painted(rows, 1, "stuck")) == 1] = 5
    assert (found == expected).all()


def test_a_point_that_comes_again_replaces_itself():
    row = [0, 0, 0, 0.01, 4, "stuck", 0.1, 2, None, None, None, 0, 9, "stuck"]
    ask = """(() => { const model = new m.MapModel(a[0]); model.take(a[1]);
      return [model.count, model.networks[0].at(0, 0).kind, model.survivors()[0]]; })()"""
    asked = [plan(norms=1), [row, [*row[:5], "learned", *row[6:]]]]
    assert call("model", ask, asked) == [1, "learned", 2]


def test_a_cell_of_a_link_is_not_taken_for_another_that_is_measured_sooner():
    rows = [[0, i, 0, 0.1, 4, "learned", 1, 0, None, None, None, 1, 9, "x"] for i in (0, 20)]
    ask = """(() => { const model = new m.MapModel(a[0]); model.take(a[1]);
      return a[2].map(([x, y]) => model.nearest(x, y)); })()"""
    asked = [plan(norms=1), rows, [[0.1, 17], [0.068, 4], [5, 4]]]
    assert call("model", ask, asked) == [{"i": 24, "j": 8}, {"i": 20, "j": 0}, None]


def test_one_row_of_cells_is_as_high_as_the_plane():
    rows = [[0, i, 0, 0.1, 4, "learned", 1, 0, None, None, None, 1, 9, "x"] for i in (0, 4, 8)]
    given = {**plan(norms=1), "across": axis([0.01, 0.1]), "up": axis([4], whole=True)}
    ask = "(() => { const x = new m.MapModel(a[0]); x.take(a[1]); return [...x.survivors()]; })()"
    assert set(call("model", ask, [given, rows])) == {2}


def test_rectangles_are_few_and_cover_each_class():
    rng = np.random.default_rng(1)
    classes = np.kron(rng.integers(0, 4, (5, 7)), np.ones((4, 3), int))
    high, wide = classes.shape
    asked = [classes.ravel().tolist(), wide, high]
    found = call("raster", "m.rectangles(...a).map((flat) => flat ?? [])", asked)
    drawn = np.zeros_like(classes)
    for kind, flat in enumerate(found):
        for x, y, width, height in np.reshape(flat or [], (-1, 4)).astype(int):
            assert not drawn[y : y + height, x : x + width].any()
            drawn[y : y + height, x : x + width] = kind
    assert (drawn == classes).all()
    assert sum(map(len, filter(None, found))) / 4 <= 35


def test_borders_are_chains_along_every_change():
    rng = np.random.default_rng(2)
    classes = rng.integers(0, 3, (9, 11))  # 0 is not known: no border there
    lines = call("raster", "m.borders(...a)", [classes.ravel().tolist(), 11, 9])
    walked: set[tuple[Any, Any]] = set()
    for corners in lines:
        for (x0, y0), (x1, y1) in itertools.pairwise(corners):
            steps = max(abs(x1 - x0), abs(y1 - y0))
            dx, dy = (x1 - x0) // steps, (y1 - y0) // steps
            for step in range(steps):
                edge = ((x0 + step * dx, y0 + step * dy), (dx, dy))
                assert edge not in walked
                walked.add(edge)
    expected = {1, 2}
    upright = [{*pair} == expected for row in classes for pair in itertools.pairwise(row)]
    level = [{*pair} == expected for row in classes.T for pair in itertools.pairwise(row)]
    assert len(walked) == sum(upright) + sum(level)


def test_a_name_stands_in_the_roomiest_place_of_its_region():
    classes = np.ones((12, 20), int)
    classes[:, :6] = 2
    classes[3:9, 9:19] = 2
    asked = [classes.ravel().tolist(), 20, 12, 2]
    fit = "(wide, high) => Math.min(wide / 2, high) + (wide * high) / 1e6"
    room = call("raster", f"m.roomiest(...a, {fit})", asked)
    assert (room["x"], room["y"], room["width"], room["height"]) == (9, 3, 10, 6)


@pytest.mark.parametrize(
    ("given", "most", "texts"),
    [
        (axis(list(np.geomspace(0.01, 30, 22))), 7, ["0.01", "0.1", "1", "10"]),
        (axis(list(np.geomspace(0.1, 3, 9))), 7, ["0.1", "0.2", "0.5", "1", "2"]),
        (axis([4, 8, 16, 32], whole=True), 2, ["4", "16"]),
        (axis(list(np.geomspace(0.22131, 0.22139, 9))), 5,
         ["0.22132", "0.22134", "0.22136", "0.22138"]),
        (axis([1, 3, 5], knob="depth", whole=True, logarithmic=False), 9, ["1", "3", "5"]),
    ],
)  # fmt: skip
def test_numbers_along_an_axis_are_those_a_person_writes(given, most, texts):
    ask = "new m.MapAxis(a[0]).ticks(a[1]).map(({ text }) => text)"
    assert call("axis", ask, [given, most]) == texts


def test_a_value_is_at_its_place_and_beyond_the_plane_it_is_nowhere():
    ask = "a[1].map((value) => new m.MapAxis(a[0]).place(value))"
    given = axis([0.01, 0.1, 1])
    assert call("axis", ask, [given, [0.1, 0.0316227766, 1, 3.1, 3.3, 0.001]]) == [
        8, pytest.approx(4), 16, pytest.approx(16 + 8 * np.log10(3.1)), None, None,
    ]  # fmt: skip
