"""Eigenvalues of a mini-batch's covariance, compared with a closed form and with NumPy, and the
number of zeros.
"""

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.trace import unit_rows
from bnviz.pieces import run_to_end
from bnviz.probes import spectrum
from bnviz.probes.axis import eigenvalue_places
from tests.every_case import every_case
from tests.probes.contexts import OTHER_NETWORKS, make_context

SPREADS = np.array([3.0, 2.0, 1.0, 0.5, 1e-4])


def samples(count=40, units=8, size=1.0):
    """Return values that vary in five directions by `SPREADS`, and have a mean far from 0."""
    generator = np.random.default_rng(3)
    # The columns are orthonormal, and are also orthogonal to (1, …, 1).
    columns = np.hstack([np.ones((count, 1)), generator.normal(size=(count, len(SPREADS)))])
    across = np.linalg.qr(columns)[0][:, 1:]
    directions = np.linalg.qr(generator.normal(size=(units, units)))[0][: len(SPREADS)]
    return size * (np.sqrt(count) * (across * SPREADS) @ directions + 5)


@every_case("size", [1e-200, 1, 1e200])
def test_of_known_directions_they_are_the_squares_of_the_spreads(size):
    found = spectrum.spectrum(samples(size=size))
    expected = np.concatenate([SPREADS**2, np.zeros(3)]) / 9
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    assert spectrum.count_zeros(found) == 3, "1e-8 ÷ 9 is small, and not zero"


@every_case(
    "rows", [np.full((9, 3), 7.0), np.zeros((9, 3)), np.full((9, 3), np.nan),
             np.array([[1.0, 2.0], [np.inf, 1.0], [0.0, 3.0]])],
)  # fmt: skip
def test_where_nothing_varies_or_is_not_finite_they_are_unknown(rows):
    found = spectrum.spectrum(rows)
    assert np.isnan(found).all()
    assert np.isnan(spectrum.count_zeros(found))


def by_numpy(context):
    layers = context.network.forward(context.batch[0], training=True).layers
    found = [np.cov(unit_rows(layer.pre_activation).numpy().T, ddof=0) for layer in layers]
    values = [np.linalg.eigvalsh(covariance)[::-1] for covariance in found]
    return [each / each[0] for each in values]


@every_case("network", ["mlp", *OTHER_NETWORKS])
@every_case("norm", ["none", "batch"])
def test_they_are_those_of_what_each_layers_weights_make_of_the_mini_batch(norm, network):
    context = make_context(norm, network=network)
    found, expected = run_to_end(spectrum.measure(context)), by_numpy(context)
    np.testing.assert_allclose(found["eigenvalues"], expected, rtol=0, atol=1e-6)
    assert found["zeros"].tolist() == [np.count_nonzero(each < 1e-10) for each in expected]


@every_case(("size", "zeros"), [(30, 71), (60, 41), (100, 1), (120, 0)])
def test_a_layer_of_a_hundred_units_has_as_many_zeros_as_examples_are_missing(size, zeros):
    """m examples vary in m − 1 directions. Layer 1 has 64 inputs, so its units vary in at most 64
    directions.
    """
    experiment = Experiment(RunConfig(norms=("batch",), depth=3, batch_size=size))
    for _ in range(2):
        found = experiment.snapshot(("spectrum",)).networks["batch"].probes["spectrum"]
        assert found["zeros"][1:].tolist() == [zeros, zeros]
        assert found["zeros"][0] >= max(zeros, 100 - 64)
        experiment.step()


def test_of_wide_or_deep_networks_only_some_are_given_out():
    assert eigenvalue_places(RunConfig()).tolist() == list(range(100))
    wide = eigenvalue_places(RunConfig(width=512, depth=20))
    assert (wide[0], wide[-1], len(wide)) == (0, 511, 51)
    assert len(set(wide)) == len(wide)
    assert len(eigenvalue_places(RunConfig(depth=50))) == 20
