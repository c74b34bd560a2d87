"""Arrival of a network at its target, judged by the mean of three consecutive tests."""

import pytest

from bnviz.planned_runs.arrival import arrival, smoothed


def test_each_test_is_averaged_with_its_neighbours_of_which_the_ends_have_one():
    assert smoothed([0.0, 0.3, 0.9, 0.3]) == pytest.approx([0.15, 0.4, 0.5, 0.6])
    assert smoothed([0.4]) == [0.4]
    assert smoothed([]) == []


def test_a_network_arrives_at_the_first_step_whose_mean_is_high_enough():
    accuracies = dict(zip(range(0, 40, 5), (0.1, 0.95, 0.2, 0.8, 0.9, 1.0, 0.9, 1.0), strict=True))
    assert arrival(accuracies, 0.93) == 25, "neither at the lucky test nor at the next one above"
    assert arrival(accuracies, 0.1) == 0
    assert arrival(accuracies, 0.99) is None
    assert arrival({}, 0.5) is None
