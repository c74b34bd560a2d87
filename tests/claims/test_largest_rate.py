"""The learning rates that claim E12 tries, on made-up networks."""

import math

import pytest

from bnviz.claims.e12_largest_rate import largest_that_works
from tests.every_case import every_case

LADDER = (0.1, 0.3, 1.0, 3.0)


def ladder(limit):
    return {rate: rate <= limit for rate in LADDER}


@every_case("limit", [0.1, 0.13, 0.2, 0.29, 0.3, 0.5, 0.99, 1.0, 2.9])
def test_the_limit_is_found_to_a_tenth_of_a_decade(limit):
    found = largest_that_works(ladder(limit), lambda rate: rate <= limit)
    assert found <= limit < found * 10**0.1 * 1.01


def test_rates_that_are_known_to_fail_are_not_run_again():
    asked = []
    largest_that_works(ladder(0.3), lambda rate: not asked.append(rate))
    assert all(0.3 < rate < 1.0 for rate in asked)
    assert len(asked) == 5


def test_where_all_of_the_ladder_work_nothing_is_run():
    assert largest_that_works(ladder(10), pytest.fail) == 3.0


def test_where_none_works_there_is_no_largest():
    assert math.isnan(largest_that_works(ladder(0.01), pytest.fail))


def test_a_rate_that_fails_below_one_that_works_does_not_hide_it():
    coarse = {0.1: True, 0.3: False, 1.0: True, 3.0: False}
    assert largest_that_works(coarse, lambda rate: False) == 1.0
