"""Judgements on made-up values: what must hold, and above all what must not."""

import math

import pytest

from bnviz.claims.statement import (
    Judgement,
    Statement,
    about,
    at_least,
    at_most,
    between,
    judge,
)

NAN = math.nan


def statement(expected, key="key"):
    return Statement(
        key=key, text="Text.", setting="setting", quantity="quantity", expected=expected,
        source="calculation",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        (at_least(0.9), (0.9, 0.95, 1.0)),
        (at_most(1e-12), (0.0, 1e-13, 1e-12)),
        (between(0.79, 0.87), (0.2, 0.8, 0.9)),
        (between(-0.02, 0.02), (0.0,)),
        (about(1.211, 0.05), (1.16, 1.2, 2.0)),
        (about(-1, 0.25), (-0.9, -1.2, -0.8)),
        (at_least(1), (math.inf, 2.0)),
    ],
)
def test_what_is_as_expected_holds(expected, values):
    assert expected.holds(values)


@pytest.mark.parametrize(
    ("expected", "values"),
    [
        (at_least(0.9), (0.95, 0.96, 0.97, 0.98, 0.899)),
        (at_most(0.2), (0.1, 0.1, 0.1, 0.1, 0.201)),
        (between(0.79, 0.87), (0.8, 0.88, 0.9)),
        (between(0.79, 0.87), (0.5, 0.6, 0.85)),
        (about(1.211, 0.05), (1.0, 1.0, 1.211)),
        (about(1.0, 0.05), (1.06,)),
        (about(-1, 0.25), (1.0,)),
        (at_least(0), (NAN, 1.0, 1.0)),
        (between(0, 1), (NAN, 0.5, 0.5)),
        (at_most(1), (-math.inf, math.inf)),
        (at_most(1), ()),
    ],
)
def test_what_is_not_as_expected_does_not_hold(expected, values):
    assert not expected.holds(values)


def test_bounds_count_in_every_seed_and_numbers_by_the_median():
    values = (0.0, 0.5, 1.0)
    assert not at_least(0.4).holds(values)
    assert between(0.4, 0.6).holds(values)
    assert [at_least(0.4).met_by(value) for value in values] == [False, True, True]


def test_a_judgement_tells_median_range_and_seeds():
    found = Judgement("E0", statement(at_most(2)), (0, 1, 2), (3.0, 1.0, 2.0))
    assert (found.median, found.lowest, found.highest) == (2.0, 1.0, 3.0)
    assert (found.holds, found.seeds_met) == (False, 2)


def test_a_seed_without_a_number_is_left_out_of_the_median_but_not_of_the_judgement():
    found = Judgement("E0", statement(between(0, 2)), (0, 1, 2), (1.0, NAN, 0.5))
    assert (found.median, found.lowest, found.highest) == (0.75, 0.5, 1.0)
    assert (found.holds, found.seeds_met) == (False, 2)


def test_without_any_number_there_is_no_median():
    found = Judgement("E0", statement(at_most(2)), (0,), (NAN,))
    assert all(math.isnan(value) for value in (found.median, found.lowest, found.highest))
    assert not found.holds


def test_measured_values_find_their_statements_in_order_of_the_seeds():
    statements = (statement(at_most(1), "a"), statement(at_least(1), "b"))
    found = judge("E0", statements, {1: {"a": 1, "b": 2}, 0: {"b": 3, "a": 4}})
    assert [each.statement.key for each in found] == ["a", "b"]
    assert [each.values for each in found] == [(4.0, 1.0), (3.0, 2.0)]
    assert found[0].seeds == (0, 1)


@pytest.mark.parametrize("values", [{}, {"a": 1.0, "b": 1.0}])
def test_what_is_stated_must_be_measured_and_the_other_way_round(values):
    with pytest.raises(KeyError, match="stated or measured, but not both"):
        judge("E0", (statement(at_most(1), "a"),), {0: values})
