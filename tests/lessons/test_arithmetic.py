"""Calculations shown on pages agree with the engine and the claims."""

import numpy as np
import pytest
import torch

from bnviz.claims import e03_mean_outside_gradient
from bnviz.claims.single_layer import single_layer
from bnviz.lessons.by_hand import AFTER, BEFORE, CHANGED_TO, exchanged
from bnviz.lessons.four_numbers import POINTS, normalize
from bnviz.lessons.through_the_batch import learn
from bnviz.norms.batch import batch_norm_forward
from tests.every_case import every_case


@every_case("eps", [0.0, 1e-5, 0.1])
@every_case("points", [POINTS, (3.0,), (1.0, 2.0), tuple(np.geomspace(1e-6, 1e6, 8))])
def test_four_numbers_are_normalized_as_the_engine_does(points, eps):
    x = torch.tensor(points, dtype=torch.float64).unsqueeze(1)
    if eps or len(points) > 1:
        expected, cache = batch_norm_forward(x, None, None, eps)
        found = normalize(points, eps)
        np.testing.assert_allclose(found.values, expected[:, 0].numpy(), rtol=1e-12, atol=1e-15)
        assert found.mean == pytest.approx(float(cache.mean), rel=1e-12)
        assert found.var == pytest.approx(float(cache.var), rel=1e-12)


def test_the_example_shows_what_it_says():
    assert (BEFORE.mean, BEFORE.var) == (pytest.approx(2.9), pytest.approx(0.975))
    np.testing.assert_allclose(BEFORE.values, (-0.8102, 0.6076, -1.1140, 1.3166), atol=5e-5)
    assert (AFTER.mean, AFTER.var) == (pytest.approx(4.35), pytest.approx(11.0525))
    np.testing.assert_allclose(AFTER.values, (-0.6768, -0.2557, -0.7670, 1.6995), atol=5e-5)
    far = normalize(exchanged(POINTS, 3, 1000.0))
    np.testing.assert_allclose(far.values, (-0.578, -0.575, -0.579, 1.732), atol=5e-4)
    assert CHANGED_TO == 10


def test_equal_points_and_a_single_one_give_zeros():
    assert normalize((3.0, 3.0, 3.0)).values.tolist() == [0, 0, 0]
    assert normalize((3.0,)).values.tolist() == [0]


@pytest.mark.parametrize("differentiated", [False, True])
def test_a_bias_alone_learns_as_in_the_claim(differentiated):
    losses, biases = e03_mean_outside_gradient.one_layer(1, differentiated=differentiated)
    found = learn(single_layer(1), differentiated=differentiated)
    np.testing.assert_allclose(found.losses, losses, rtol=1e-12)
    sizes = [float(bias.norm()) for bias in biases]
    np.testing.assert_allclose(found.sizes, sizes, rtol=1e-9, atol=1e-14)
