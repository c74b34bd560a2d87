"""The decision boundary: the network's own probabilities on the grid."""

import numpy as np
import pytest
import torch

from bnviz.data import DATASETS
from bnviz.probes import boundary
from bnviz.probes.axis import GRID
from tests.every_case import every_case
from tests.probes.contexts import make_context, spoil


@every_case("dataset", [name for name, entry in DATASETS.items() if entry.plane])
def test_score_is_the_probability_of_class_1(dataset):
    context = make_context("batch", dataset=dataset, steps=30)
    score = boundary.measure(context)["score"]
    assert (score.dtype, score.shape) == (np.uint8, (40, 40))
    for row, column in [(0, 0), (3, 30), (39, 20)]:
        point = torch.tensor([[GRID[column], GRID[row]]], dtype=torch.float64)
        logits = context.network.forward(point, training=False).logits
        expected = float(torch.softmax(logits, 1)[0, 1]) * 255
        assert score[row, column] == pytest.approx(expected, abs=0.51)


@every_case("dataset", [name for name, entry in DATASETS.items() if entry.plane])
def test_the_grid_holds_the_data(dataset):
    inputs = make_context("none", dataset=dataset, steps=0).data.train_inputs
    assert (np.abs(inputs) <= GRID[-1]).mean() > 0.995


def test_data_outside_the_plane_have_no_boundary():
    assert boundary.measure(make_context("none")) == {}


def test_a_network_that_says_nothing_is_undecided():
    context = spoil(make_context("none", dataset="moons", dtype=torch.float32), np.nan)
    np.testing.assert_array_equal(boundary.measure(context)["score"], 128)
