"""Measured values with their units."""

import math

import pytest

from bnviz.claims.amounts import amount, bare, bound, expected, margin, median_and_range, tick
from bnviz.claims.results import read
from bnviz.claims.statement import Unit
from tests.every_case import every_case


@pytest.fixture(scope="module")
def rows():
    return {row.place: row for row in read().rows}


@every_case(
    ("value", "unit", "said"),
    [
        (0.98273, Unit.PERCENT, "98.3 %"), (1.0, Unit.PERCENT, "100 %"), (0.0, Unit.PERCENT, "0 %"),
        (-0.0028, Unit.POINTS, "−0.3 points"), (0.00012, Unit.POINTS, "0.0120 points"),
        (7.943, Unit.TIMES, "7.94×"), (1.2121, Unit.TIMES_A_LAYER, "1.21× per layer"),
        (0.35, Unit.NONE, "0.350"), (math.inf, Unit.PERCENT, "∞ %"), (math.nan, Unit.NONE, "none"),
        (2.0, Unit.LAYERS, "2.00 layers"),
    ],
)  # fmt: skip
def test_a_value_has_its_unit(value, unit, said):
    assert amount(value, unit) == said
    assert said.startswith(bare(value, unit))


def test_a_bound_has_the_digits_that_were_declared():
    assert bound(0.9, Unit.PERCENT) == "90 %"
    assert bound(-0.02, Unit.POINTS) == "−2 points"
    assert bound(1e-12, Unit.TIMES) == "1e-12×"
    assert tick(1.187, Unit.TIMES_A_LAYER) == "1.187×"


def test_what_was_declared_is_in_the_unit_of_what_was_found(rows):
    said = {place: (median_and_range(rows[place]), expected(rows[place])) for place in rows}
    assert said["E12.7"] == ("1.1 points (0.6 to 1.4)", "−2 to 2 points")
    assert said["E5.1"] == ("52.2 % (50.9 to 52.6)", "≥ 90 %")
    assert said["E6.1"] == ("1.21× per layer (1.21 to 1.22)", "1.211× per layer ± 2 %")
    assert said["E12.6"] == ("7.94× (6.31 to 7.94)", "5 to 20×")
    assert said["E14.7"][1] == "55.25 to 74.75 %"
    assert margin(rows["E5.1"]) == "−39.1 points", "a difference of two shares"
    assert margin(rows["E6.1"]) == "0.0190× per layer"
    assert said["E1.1"] == ("11.1 % (10.0 to 20.1)", "≤ 20 %")
