"""Plane data sets: balanced, separable without noise, and shaped as their names say."""

import numpy as np

from bnviz.data import DATASETS, plane
from tests.every_case import every_case

SETS = [
    entry.resolve() for entry in DATASETS.values() if entry.where.startswith(f"{plane.__name__}:")
]


@every_case("make", SETS)
def test_sets_have_1000_and_500_points_and_equal_classes(make):
    raw = make()
    assert (len(raw.train_labels), len(raw.test_labels)) == (1000, 500)
    np.testing.assert_array_equal(np.bincount(raw.train_labels), [500, 500])
    np.testing.assert_array_equal(np.bincount(raw.test_labels), [250, 250])
    assert raw.train_inputs.shape == (1000, 2)


@every_case("make", SETS)
def test_default_noise_leaves_the_classes_apart(make):
    """The distance between the classes' curves exceeds four standard deviations of the noise."""
    raw = make()
    first, second = (raw.train_inputs[raw.train_labels == label] for label in (0, 1))
    distances = np.linalg.norm(first[:, None] - second[None], axis=2)
    assert distances.min() > 4 * DATASETS[make.__name__].noise


def test_spiral_arms_mirror_each_other():
    raw = plane.spirals()
    first, second = (raw.test_inputs[raw.test_labels == label] for label in (0, 1))
    np.testing.assert_array_equal(first, -second)


def test_circles_have_their_radii():
    raw = plane.circles()
    radius = np.linalg.norm(raw.train_inputs, axis=1)
    np.testing.assert_allclose(radius, np.where(raw.train_labels == 0, 1, 0.5), rtol=1e-6)


def test_xor_labels_are_the_product_of_the_signs():
    raw = plane.xor()
    np.testing.assert_array_equal(raw.train_inputs.prod(axis=1) < 0, raw.train_labels)
