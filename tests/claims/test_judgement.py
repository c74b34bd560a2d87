"""Judgements on made-up values: which statements hold, fail or stay undecided."""

import math

import pytest

from bnviz.claims.judgement import StatementJudgement, StatementOutcome, judge
from bnviz.claims.statement import Statement, StatementKind, about, at_least, at_most, between
from tests.every_case import every_case

NAN = math.nan
HOLDS, FAILS, UNDECIDED = StatementOutcome.HOLDS, StatementOutcome.FAILS, StatementOutcome.UNDECIDED


def statement(expected, key="key", **given):
    return Statement(
        **{"key": key, "expected": expected, "kind": StatementKind.CALCULATION, **given}
    )


def judgement(expected, *values, compared=(), **given):
    return StatementJudgement(
        "E0", statement(expected, **given), tuple(range(len(values))), values, compared
    )


@every_case(
    ("expected", "values", "outcome"),
    [
        (at_least(0.9), (0.9, 0.95, 1.0), HOLDS),
        (at_least(0.9), (0.95, 0.96, 0.97, 0.98, 0.899), UNDECIDED),
        (at_least(0.9), (0.1, 0.5, 0.899), FAILS),
        (at_most(1e-12), (0.0, 1e-13, 1e-12), HOLDS),
        (at_most(1e-12), (0.0, 2e-12), UNDECIDED),
        (between(0.79, 0.87), (0.8, 0.85, 0.86), HOLDS),
        # The median is within the bounds, but the range is not.
        (between(0.79, 0.87), (0.2, 0.8, 0.9), UNDECIDED),
        (between(0.79, 0.87), (0.88, 0.9), FAILS),
        # All values are outside the bounds, but on both sides, so the median of more seeds may be
        # inside.
        (between(0.79, 0.87), (0.7, 0.9), UNDECIDED),
        (about(1.211, 0.05), (1.16, 1.2, 1.27), HOLDS),
        (about(-1, 0.25), (-0.9, -1.2, -0.8), HOLDS),
        (about(-1, 0.25), (1.0,), FAILS),
        (at_least(1), (math.inf, 2.0), HOLDS),
        (at_least(0), (NAN, 1.0, 1.0), UNDECIDED),
        (at_least(2), (NAN, 1.0), FAILS),
        (at_least(2), (NAN, NAN), FAILS),
        (at_most(1), (), UNDECIDED),
    ],
)
def test_a_range_within_the_bounds_holds_and_one_that_straddles_them_decides_nothing(
    expected, values, outcome
):
    assert judgement(expected, *values).outcome is outcome


@every_case(
    ("expected", "values", "outcome"),
    [
        (at_least(0), (0.05, 0.1), HOLDS),
        (at_least(0), (0.05, 0.01), UNDECIDED),
        (at_least(0), (-0.05, -0.1), FAILS),
        (at_least(0), (-0.01, -0.1), UNDECIDED),
        (at_most(0), (-0.03, -0.04), HOLDS),
        (at_most(-0.01), (-0.015, -0.018), UNDECIDED),
        # The difference is within the error, so it counts as zero, and zero was not expected.
        (at_least(0.1), (0.01, -0.01), FAILS),
        # A tie is not a difference.
        (between(-0.02, 0.02), (0.01, -0.01), HOLDS),
        (at_least(-0.03), (0.01, -0.01), HOLDS),
    ],
)
def test_accuracies_closer_than_their_error_are_not_told_apart(expected, values, outcome):
    assert judgement(expected, *values, difference=True).outcome is outcome
    tied = judgement(at_least(0), 0.01, 0.05, difference=True)
    assert (tied.seeds_met, tied.tied_seeds) == (1, 1)


def test_accuracies_in_the_middle_are_told_apart_less_well():
    """With 359 images, an accuracy of 0.6 has a standard error of 0.026."""
    for accuracy, outcome in ((0.97, HOLDS), (0.6, UNDECIDED)):
        found = judgement(
            at_least(0), 0.04, 0.045, compared=(accuracy,) * 2, comparator="plain", difference=True
        )
        assert found.outcome is outcome


@every_case(
    ("value", "accuracy", "tied"),
    [
        # Differences below 0.02 never count, however accurate the comparator is.
        (0.0199, None, True), (0.02, None, False), (-0.0199, None, True), (-0.02, None, False),
        (0.0199, 1.0, True), (0.02, 1.0, False),
        # Two standard errors of an accuracy a measured on 359 images: 2 √(a (1 − a)/359).
        (0.0527, 0.5, True), (0.0528, 0.5, False),
        (0.0316, 0.9, True), (0.0317, 0.9, False),
    ],
)  # fmt: skip
def test_differences_are_told_from_none_by_two_standard_errors_or_a_fiftieth(value, accuracy, tied):
    against = {} if accuracy is None else {
        "compared": (accuracy,), "comparator": "plain"
    }  # fmt: skip
    for expected in (at_least(0), at_most(0)):
        found = judgement(expected, value, difference=True, **against)
        assert (found.tied_seeds == 1) == tied
        no_difference = judgement(expected, value, **against)
        assert no_difference.tied_seeds == 0


@every_case(
    ("compared", "outcome"),
    [((0.2,), StatementOutcome.NO_EVIDENCE), ((0.2001,), HOLDS), ((0.1, 0.21, 0.9), HOLDS),
     ((0.1, 0.2, 0.9), StatementOutcome.NO_EVIDENCE)],
)  # fmt: skip
def test_at_chance_is_a_fifth_in_the_median_seed(compared, outcome):
    values = (2.0,) * len(compared)
    found = judgement(at_least(1), *values, compared=compared, comparator="plain")
    assert found.outcome is outcome


def test_bounds_belong_to_what_is_expected():
    for expected, low, high in ((between(1, 3), 1, 3), (about(2, 0.5), 1, 3)):
        assert [expected.met_by(value) for value in (low - 1e-9, low, high, high + 1e-9)] == [
            False, True, True, False,
        ]  # fmt: skip
        assert [expected.margin(value) for value in (0, 1, 1.5, 2, 3, 4)] == [-1, 0, 0.5, 1, 0, -1]
    assert not between(1, 3).met_by(NAN)
    assert [between(*ends).a_tie for ends in ((-1, 1), (0, 1), (-1, 0), (1, 2))] == [
        True, False, False, False,
    ]  # fmt: skip
    assert (about(-2, 0.5).low, about(-2, 0.5).high) == (-3, -1)


@every_case(
    ("expected", "words"),
    [
        (at_least(0.9), "≥ 0.9"), (at_least(-0.03), "≥ −0.03"), (at_most(1e-12), "≤ 1e-12"),
        (at_most(100), "≤ 100"), (between(-0.02, 0.02), "−0.02 to 0.02"),
        (between(1234, 5678.9), "1.23e+03 to 5.68e+03"), (about(1.2114, 0.05), "1.211 ± 5 %"),
        (about(-1, 0.25), "−1 ± 25 %"), (about(1, 0.125), "1 ± 12.5 %"),
    ],
)  # fmt: skip
def test_what_is_expected_is_written_with_its_bounds(expected, words):
    assert expected.words == words


def test_a_comparison_with_a_network_at_chance_is_no_evidence():
    for values in ((2.0, 3.0), (0.0, 0.5)):
        at_chance = judgement(at_least(1), *values, compared=(0.1, 0.2), comparator="plain")
        assert at_chance.outcome is StatementOutcome.NO_EVIDENCE
        assert at_chance.compared_median == pytest.approx(0.15)
    learned = judgement(at_least(1), 2.0, 3.0, compared=(0.9, 0.1), comparator="plain")
    assert learned.outcome is HOLDS


def test_what_was_found_here_was_stated_after_it_had_been_seen():
    assert statement(at_most(1), kind=StatementKind.FOUND).found
    assert not any(
        statement(at_most(1), kind=kind).found
        for kind in set(StatementKind) - {StatementKind.FOUND}
    )


def test_without_a_number_nothing_is_as_expected():
    found = judgement(between(0, 2), 1.0, NAN, 0.5)
    assert (found.outcome, found.seeds_met) == (UNDECIDED, 2)


def test_measured_values_are_put_beside_their_statement_in_order_of_the_seeds():
    plain = statement(at_least(1), "b", comparator="plain")
    found = judge("E0", plain, {1: {"b": 2, "plain": 0.5}, 0: {"b": 3, "plain": 0.9, "a": 4}})
    assert (found.seeds, found.values, found.compared) == ((0, 1), (3.0, 2.0), (0.9, 0.5))
    assert judge("E0", statement(at_most(1), "a"), {5: {"a": 1}}).compared == ()


@every_case("values", [{}, {"b": 1.0}, {"plain": 1.0}])
def test_what_is_stated_must_be_measured(values):
    plain = statement(at_least(1), "b", comparator="plain")
    with pytest.raises(KeyError):
        judge("E0", plain, {0: values})
