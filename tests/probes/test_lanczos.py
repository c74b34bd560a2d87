"""The Lanczos iteration on matrices whose eigenvalues are known."""

import numpy as np
import pytest
import torch

from bnviz.pieces import run_to_end
from bnviz.probes.lanczos import ends_in_pieces
from tests.every_case import every_case


def symmetric(values, seed=0):
    """Return a random symmetric matrix with these eigenvalues."""
    generator = np.random.default_rng(seed)
    vectors = np.linalg.qr(generator.normal(size=(len(values), len(values))))[0]
    return torch.from_numpy(vectors @ np.diag(values) @ vectors.T)


def start(size, seed=1):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=size))


def check(matrix, **knobs):
    return run_to_end(ends_in_pieces(lambda vector: matrix @ vector, start(len(matrix)), **knobs))


@every_case("size", [1, 2, 5, 40])
def test_as_many_products_as_dimensions_find_both_ends(size):
    values = np.random.default_rng(size).normal(size=size)
    found = check(symmetric(values), most=60)
    assert found.products == size
    np.testing.assert_allclose([found.high, found.low], [values.max(), values.min()], rtol=1e-10)


def test_ends_of_one_size_are_told_apart():
    """Power iteration would oscillate between the eigenvectors of the two extreme eigenvalues."""
    values = np.concatenate([[7.0, -7.0], np.linspace(-1, 1, 298)])
    found = check(symmetric(values), most=25, tolerance=1e-8)
    assert (found.high, found.low) == pytest.approx((7, -7), rel=1e-8)
    assert found.products < 25


def test_a_negative_matrix_has_a_negative_largest_eigenvalue():
    found = check(symmetric(np.linspace(-9, -2, 20)), most=20)
    assert (found.high, found.low) == pytest.approx((-2, -9))


def test_it_stops_when_both_ends_are_known_well_enough():
    values = np.concatenate([[100.0, 80.0, -30.0], np.random.default_rng(3).normal(size=500)])
    matrix = symmetric(values)
    rough, fine = (check(matrix, most=40, tolerance=share) for share in (1e-2, 1e-6))
    assert rough.products < fine.products < 40
    assert rough.high == pytest.approx(100, rel=1e-2)
    assert fine.high == pytest.approx(100, rel=1e-6)
    assert check(matrix, most=40, least=9, tolerance=1).products == 9


def test_the_space_being_spanned_it_stops():
    """With a multiple of the identity, the first product is enough."""
    found = check(3 * torch.eye(50, dtype=torch.float64), most=20, least=10)
    assert (found.high, found.low, found.products) == pytest.approx((3, 3, 1))


def test_what_is_not_finite_is_not_known():
    matrix = symmetric(np.arange(5.0))
    matrix[2, 3] = torch.nan
    found = check(matrix, most=5)
    assert found.products == 1
    assert np.isnan([found.high, found.low]).all()
