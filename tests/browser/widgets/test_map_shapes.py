"""Data from which the map is drawn: cells, boundaries, axes."""

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
    """Evaluate a JavaScript expression in which `m` is one of the map's modules."""
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


def learned(network: int, i: int, j: int, kind: str = "learned") -> list[Any]:
    return [network, i, j, 0.1, 8, kind, 0.9, 0.2, None, None, None, 1, 9, "x", None, 0]


def test_cells_are_the_same_in_whatever_order_they_come():
    rng = np.random.default_rng(0)
    kinds = rng.integers(3, size=(2, len(SIZES), len(RATES)))
    rows = [learned(n, i, j, KINDS[kinds[n, j, i]]) for n, j, i in np.ndindex(*kinds.shape)]
    shuffled = [rows[place] for place in rng.permutation(len(rows))]
    ask = """(() => { const model = new m.MapModel(a[0]);
      for (const row of a[1]) model.take([row]);
      return [...model.survivors()]; })()"""
    found = np.reshape(call("model", ask, [plan(), shuffled]), (len(SIZES), len(RATES)))
    expected = 1 + (kinds[0] == 0) + 2 * (kinds[1] == 0)
    # Neither network learned, and neither broke.
    expected[(kinds == 1).all(0)] = 5
    assert (found == expected).all()


def test_a_point_that_comes_again_replaces_itself():
    ask = """(() => { const model = new m.MapModel(a[0]); model.take(a[1]);
      return [model.count, model.networks[0].at(0, 0).kind, model.survivors()[0]]; })()"""
    asked = [plan(norms=1), [learned(0, 0, 0, "stuck"), learned(0, 0, 0)]]
    assert call("model", ask, asked) == [1, "learned", 2]


def test_map_limits_are_chains_along_every_change():
    rng = np.random.default_rng(2)
    classes = rng.integers(0, 3, (9, 11))  # class 0 means an unknown cell, which has no boundary
    lines = call("grid", "m.borders(...a)", [classes.ravel().tolist(), 11, 9])
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
        1, pytest.approx(0.5), 2, pytest.approx(2 + np.log10(3.1)), None, None,
    ]  # fmt: skip
