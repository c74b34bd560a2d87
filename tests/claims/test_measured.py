"""Measure the fast claims. All other claims are measured only by the command `claim`."""

import math

import pytest

from bnviz.claims import CLAIMS, e10_landscape, e11_lp_norms
from bnviz.claims.e06_gradient_growth import growth_of
from bnviz.claims.execution import FIRST_FRESH, measure
from bnviz.claims.judgement import StatementOutcome, judge
from tests.claims.measured import measured

# Declared statements that do not hold on the first seed, by claim.
FAST = {
    "E2": set(), "E3": {"whole-linear"}, "E4": set(), "E5": {"close"}, "E6": {"linear-8"},
    "E7": set(), "E15": set(), "E16": set(),
}  # fmt: skip
ON_THREE = FAST | {
    "E5": {"close", "orthogonal-10"}, "E6": {"linear-8", "layer", "rms"}, "E7": {"none"},
    "E15": {"early"}, "E16": {"first-mean", "first-std"},
}  # fmt: skip
# Parts that train for seconds. Only `make verify` measures them.
LONG = {("E4", "equilibrium"), ("E15", "frozen"), ("E15", "cumulative"), ("E16", "moment-noise")}
# Failing statements whose value is near a bound. They need no statement about another setting.
NEAR_A_BOUND = {"orthogonal-10", "first-mean", "first-std"}
# Statements whose outcome after long training depends on the seed and the processor.
VARYING = {"frozen-tiny", "cumulative-fast", "gap-without-errors"}


def judgements_of(name, seeds, *, without=()):
    """Judge each declared statement on these seeds, except the statements of the parts
    `without`.
    """
    return [
        judge(name, each, {seed: measured(name, seed, each.part) for seed in seeds})
        for each in CLAIMS[name].resolve().statements
        if not each.found and (name, each.part) not in without
    ]


def check(name, seeds, others, *, without=()):
    found = judgements_of(name, seeds, without=without)
    holding = {each.statement.key for each in found if each.outcome is StatementOutcome.HOLDS}
    assert {each.statement.key for each in found} - holding - VARYING == others


@pytest.mark.parametrize("name", FAST)
def test_the_fast_claims_hold_but_for_those_that_do_not(name):
    check(name, [0], FAST[name], without=LONG)


@pytest.mark.verify
@pytest.mark.parametrize("name", FAST)
def test_on_three_seeds_some_more_do_not_hold(name):
    check(name, range(3), ON_THREE[name])


@pytest.mark.parametrize("name", FAST)
def test_another_setting_is_given_for_what_does_not_hold(name):
    statements = CLAIMS[name].resolve().statements
    others = {statement.instead_of for statement in statements}
    assert ON_THREE[name] - NEAR_A_BOUND <= others


PARTS = [(name, part) for name in FAST for part in CLAIMS[name].resolve().parts]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_what_a_part_states_is_of_the_same_seeds(name, part):
    stated = [each for each in CLAIMS[name].resolve().statements if each.part == part]
    assert len({each.found for each in stated}) == 1


@pytest.mark.verify
@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_part_measures_its_own_statements(name, part):
    stated = [each for each in CLAIMS[name].resolve().statements if each.part == part]
    compared = {each.comparator for each in stated if each.comparator}
    assert set(measured(name, FIRST_FRESH, part)) == {each.key for each in stated} | compared


def test_the_same_seed_gives_the_same_values_and_another_one_others():
    assert measure("E16", "", 0) == measured("E16", 0)
    assert measured("E16", 1) != measured("E16", 0)


@pytest.mark.parametrize(
    ("name", "part"),
    [("E10", ""), ("E11", "still"), ("E17", "whitening"), ("E17", "recurrent")],
)
def test_expensive_claims_measure_what_they_state(name, part, monkeypatch):
    """Use one seed and few steps. Judging the statements would take more seeds and more steps."""
    monkeypatch.setattr(e10_landscape, "MEASURED_STEPS", (0, 1))
    monkeypatch.setattr(e11_lp_norms, "STILL_STEPS", 2)
    values = measured(name, 0, part) if name == "E17" else measure(name, part, 0)
    stated = [each for each in CLAIMS[name].resolve().statements if each.part == part]
    compared = {each.comparator for each in stated if each.comparator}
    assert set(values) == {each.key for each in stated} | compared
    assert all(math.isfinite(value) for value in values.values())


def test_growth_by_quadrature_is_that_of_the_closed_forms():
    assert growth_of("relu") == pytest.approx(math.sqrt(math.pi / (math.pi - 1)), rel=1e-4)
    assert growth_of("linear") == pytest.approx(1, rel=1e-9)
    assert growth_of("tanh") == pytest.approx(1.085, abs=5e-4)
    assert growth_of("gelu") == pytest.approx(1.148, abs=5e-4)
    assert growth_of("sigmoid") == pytest.approx(1.017, abs=5e-4)
