"""The claims that take little time, measured; the others are measured by the command alone."""

import math

import pytest

from bnviz.claims import CLAIMS
from bnviz.claims.execution import measure
from bnviz.claims.statement import judge
from tests.claims.measured import measured

# By claim: which of its statements do not hold on the first seed.
FAST = {
    "E2": set(), "E3": {"whole-linear"}, "E4": set(), "E5": {"close"}, "E6": set(), "E7": set(),
    "E15": set(), "E16": {"upper-mean"},
}  # fmt: skip
ON_THREE = FAST | {"E7": {"none"}, "E15": {"early"}}


def check(name, seeds, fails):
    found = judge(
        name, CLAIMS[name].resolve().statements, {seed: measured(name, seed) for seed in seeds}
    )
    assert {each.statement.key for each in found if not each.holds} == fails


@pytest.mark.parametrize("name", FAST)
def test_the_fast_claims_hold_but_for_those_that_do_not(name):
    check(name, [0], FAST[name])


@pytest.mark.verify
@pytest.mark.parametrize("name", FAST)
def test_on_three_seeds_two_statements_more_do_not_hold(name):
    check(name, range(3), ON_THREE[name])


@pytest.mark.parametrize("name", FAST)
def test_another_setting_is_given_for_what_does_not_hold(name):
    statements = CLAIMS[name].resolve().statements
    assert ON_THREE[name] <= {statement.instead_of for statement in statements}


def test_the_same_seed_gives_the_same_values_and_another_one_others():
    assert measure("E16", 0) == measured("E16", 0)
    assert measured("E16", 1) != measured("E16", 0)


@pytest.mark.parametrize(
    ("name", "part"),
    [("E10", ""), ("E11", "still"), ("E17", "whitening"), ("E17", "recurrent")],
)
def test_expensive_claims_measure_what_they_state(name, part):
    """One seed of each kind of measurement; the judgement is the command's."""
    values = measured(name, 0, part)
    stated = [each for each in CLAIMS[name].resolve().statements if each.part == part]
    compared = {each.comparator.key for each in stated if each.comparator}
    assert set(values) == {each.key for each in stated} | compared
    assert all(math.isfinite(value) for value in values.values())
