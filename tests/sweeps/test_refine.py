"""Maps are refined along the boundaries between different outcomes, and only there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from bnviz.sweeps.refine import FINEST, Point, base_points, propose_points
from tests.every_case import every_case

Rule = Callable[[float, float], str]


def wanted(columns: int, rows: int, known: Mapping[Point, str]) -> set[Point]:
    return propose_points(columns, rows, known)[0]


def refined(columns: int, rows: int, rule: Rule) -> dict[Point, str]:
    """Measure points until no more points are requested, and return their outcomes."""
    known: dict[Point, str] = {}
    while points := wanted(columns, rows, known):
        assert not points & known.keys()
        known |= {(x, y): rule(x / FINEST, y / FINEST) for x, y in points}
    return known


def slanted(x: float, y: float) -> str:
    return "learned" if x < 7.3 + y / 2 else "broken"


def round_(x: float, y: float) -> str:
    return "stuck" if math.hypot(x - 6, y - 3) < 2 else "learned"


@every_case("rule", [slanted, round_])
def test_both_sides_of_a_border_are_measured_an_eighth_of_a_step_apart(rule: Rule) -> None:
    columns, rows = 16, 7
    known = refined(columns, rows, rule)
    high = FINEST * (rows - 1)
    for y in range(high + 1):
        for x in range(FINEST * (columns - 1)):
            if rule(x / FINEST, y / FINEST) != rule((x + 1) / FINEST, y / FINEST):
                assert {(x, y), (x + 1, y)} <= known.keys()


def test_a_border_costs_a_small_part_of_the_finest_lattice() -> None:
    columns, rows = 16, 7
    whole = (FINEST * (columns - 1) + 1) * (FINEST * (rows - 1) + 1)
    assert len(refined(columns, rows, slanted)) / whole <= 0.15


def test_a_plain_costs_its_whole_steps() -> None:
    assert refined(5, 4, lambda x, y: "learned").keys() == set(base_points(5, 4))


@every_case(("columns", "rows"), [(1, 1), (9, 1), (1, 9)])
def test_a_single_row_or_column_is_refined_along_itself(columns: int, rows: int) -> None:
    known = refined(columns, rows, lambda x, y: "learned" if x + y < 4.3 else "broken")
    assert (len(known) == columns * rows) == (columns == rows == 1)
    if columns > 1:
        assert {(34, 0), (35, 0)} <= known.keys()


def test_a_square_whose_neighbour_found_something_on_their_side_is_looked_into() -> None:
    known = dict.fromkeys(base_points(3, 2), "learned")
    known[0, 0] = "broken"
    known |= dict.fromkeys(wanted(3, 2, known), "learned")
    assert (12, 4) not in wanted(3, 2, known)
    known[8, 4] = "broken"
    assert (12, 4) in wanted(3, 2, known)


def test_squares_wait_for_what_is_being_measured() -> None:
    known = dict.fromkeys(base_points(3, 3), "learned")
    known[0, 0] = "broken"
    first = wanted(3, 3, known)
    known |= dict.fromkeys(list(first)[:2], "learned")
    assert wanted(3, 3, known) == first - known.keys()
