"""Participation ratio against an SVD, correlation against NumPy, and matrices of known rank."""

from itertools import cycle

import numpy as np
import pytest
import torch

from bnviz.networks.trace import unit_rows
from bnviz.probes import rank
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, OTHER_NETWORKS, make_context


def by_svd(rows):
    squares = np.linalg.svd(rows, compute_uv=False) ** 2
    return squares.sum() ** 2 / (squares**2).sum()


def by_corrcoef(rows):
    off_diagonal = ~np.eye(rows.shape[1], dtype=bool)
    return np.abs(np.corrcoef(rows.T))[off_diagonal].mean()


def compare(context):
    found = rank.measure(context)
    layers = context.probe_training.layers
    outputs = [unit_rows(layer.output).numpy() for layer in layers]
    inputs = [unit_rows(layer.nonlinearity_input).numpy() for layer in layers]
    np.testing.assert_allclose(
        found["participation"], [by_svd(rows) for rows in outputs], rtol=1e-6
    )
    np.testing.assert_allclose(
        found["correlation"], [by_corrcoef(rows) for rows in inputs], rtol=1e-6
    )


@every_case(("norm", "position"), [*zip(MLP_NORMS, cycle(["before", "after"]))])
def test_measures_are_those_of_svd_and_corrcoef(norm, position):
    compare(make_context(norm, norm_position=position))


@every_case("network", OTHER_NETWORKS)
@every_case("norm", ["none", "batch"])
def test_feature_maps_and_time_steps(norm, network):
    compare(make_context(norm, network=network))


@every_case("scale", [1e-30, 1, 1e30])
@every_case("shape", [(40, 7), (7, 40)])
def test_known_ranks_at_every_scale(shape, scale):
    generator = np.random.default_rng(0)
    line = np.outer(generator.normal(size=shape[0]), generator.normal(size=shape[1]))
    assert rank.participation((scale * line).astype(np.float32)) == pytest.approx(1, abs=1e-5)
    even = np.linalg.qr(generator.normal(size=(max(shape), min(shape))))[0].reshape(shape)
    if shape[0] < shape[1]:
        even = np.linalg.qr(generator.normal(size=shape[::-1]))[0].T
    assert rank.participation((scale * even).astype(np.float32)) == pytest.approx(7, rel=1e-5)


def test_units_that_do_not_vary_are_left_out():
    rows = np.random.default_rng(1).normal(size=(50, 6))
    expected = by_corrcoef(rows)
    constant = np.repeat([[0.0, 3.7, -1e9]], 50, axis=0)
    assert rank.correlation(np.hstack([rows, constant])) == pytest.approx(expected)
    assert np.isnan(rank.correlation(constant))


@every_case("scale", [1e-20, 1, 1e25])
def test_copies_correlate_perfectly(scale):
    column = scale * np.random.default_rng(2).normal(size=(90, 1))
    rows = np.hstack([column, -2 * column, column]).astype(np.float32)
    assert rank.correlation(rows) == pytest.approx(1, rel=1e-5)


def test_deep_linear_networks_collapse_without_normalization():
    """Daneshmand et al. 2020: rank near one without BN, of the order of √d with BN.

    Medians over five seeds: 4.0 in the first and 1.8 in the last layer without BN, 8.0 with BN.
    """

    def participation(norm):
        knobs = {"depth": 30, "width": 64, "activation": "linear", "init": "he", "steps": 0}
        found = [rank.measure(make_context(norm, dtype=torch.float32, seed=seed, **knobs))
                 for seed in range(5)]  # fmt: skip
        return np.median([each["participation"] for each in found], axis=0)

    plain, batch = participation("none"), participation("batch")
    assert plain[-1] < 2.5 < 3 < plain[0]
    assert batch[-1] > 6
