"""The claims that take little time, measured; the others are measured by the command alone."""

import math

import pytest

from bnviz.claims import CLAIMS
from bnviz.claims.execution import measure
from bnviz.claims.statement import judge

# By claim: on how many seeds, and which of its statements do not hold on those.
FAST = {
    "E2": (3, set()),
    "E3": (1, {"whole-linear"}),
    "E4": (2, set()),
    "E5": (3, {"close"}),
    "E6": (3, set()),
    "E7": (2, set()),
    "E15": (2, set()),
    "E16": (3, {"upper-mean"}),
}


@pytest.mark.parametrize("name", FAST)
def test_the_fast_claims_hold_but_for_those_that_do_not(name):
    count, fails = FAST[name]
    measured = {seed: measure(name, seed) for seed in range(count)}
    found = judge(name, CLAIMS[name].resolve().statements, measured)
    assert {each.statement.key for each in found if not each.holds} == fails


@pytest.mark.parametrize("name", FAST)
def test_another_setting_is_given_for_what_does_not_hold(name):
    statements = CLAIMS[name].resolve().statements
    assert FAST[name][1] <= {statement.instead_of for statement in statements}


def test_the_same_seed_gives_the_same_values_and_another_one_others():
    first, again, other = measure("E16", 0), measure("E16", 0), measure("E16", 1)
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", ["E10", "E11"])
def test_dear_claims_measure_what_they_state(name):
    """One seed of each kind of measurement; the judgement is the command's."""
    values = measure(name, 0)
    assert set(values) == {statement.key for statement in CLAIMS[name].resolve().statements}
    assert all(math.isfinite(value) for value in values.values())
