"""γ and β: percentiles compared with NumPy, and values of single units."""

import numpy as np
import torch

from bnviz.probes import affine
from bnviz.probes.axis import units
from tests.every_case import every_case
from tests.probes.contexts import make_context

SMALL = {"depth": 2, "width": 11}


def learned(context, name, layer):
    return context.network.norms[layer].parameters[name].numpy()


@every_case("network", ["mlp", "conv"])
@every_case("norm", ["batch", "layer", "renorm"])
def test_percentiles_are_those_of_numpy_over_all_units_of_a_layer(norm, network):
    context = make_context(norm, network=network, width=11, depth=2)
    found = affine.measure(context)
    for name in ("gamma", "beta"):
        for layer in range(2):
            values = learned(context, name, layer)
            np.testing.assert_allclose(
                found[name][layer], np.percentile(values, [10, 50, 90]), rtol=1e-6
            )
            np.testing.assert_array_equal(
                found[f"{name}_unit"][layer], values[units(11)].astype(np.float32)
            )
        assert not np.allclose(found[name], {"gamma": 1, "beta": 0}[name]), "it has learned"


@every_case(
    ("norm", "fixed"),
    [("batch_scale", {"beta": 0}), ("batch_shift", {"gamma": 1}), ("rms", {"beta": 0}),
     ("batch_bare", {"gamma": 1, "beta": 0})],
)  # fmt: skip
def test_what_is_not_learned_stays_where_it_begins(norm, fixed):
    found = affine.measure(make_context(norm, **SMALL))
    for name in ("gamma", "beta"):
        assert found[name].shape == (2, 3)
        assert found[f"{name}_unit"].shape == (2, 8)
        for values in (found[name], found[f"{name}_unit"]):
            if name in fixed:
                assert (values == fixed[name]).all()
            else:
                assert (values != {"gamma": 1, "beta": 0}[name]).any()


@every_case("norm", ["none", "dropout"])
def test_where_nothing_is_normalized_there_is_nothing(norm):
    assert affine.measure(make_context(norm, **SMALL)) == {}


def test_a_recurrent_network_has_two_norms_at_each_step_and_is_left_out():
    assert affine.measure(make_context("batch", network="recurrent")) == {}


@every_case("bad", [np.nan, np.inf, -np.inf])
def test_a_layer_with_a_scale_that_is_not_finite_has_no_percentiles(bad):
    context = make_context("batch", **SMALL)
    with torch.no_grad():
        context.network.norms[1].parameters["gamma"][3] = bad
    found = affine.measure(context)
    assert np.isnan(found["gamma"][1]).all()
    assert np.isfinite(found["gamma"][0]).all()
    assert np.isfinite(found["beta"]).all()
