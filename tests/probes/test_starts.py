"""Stored values of step 0 are correct, even if the first measurement comes later."""

import numpy as np

from bnviz.probes import histogram, start_histogram, unit_histogram
from bnviz.probes.axis import UNIT_EDGES, units
from tests.every_case import every_case
from tests.probes.contexts import make_context


@every_case("norm", ["none", "batch"])
def test_the_start_is_that_of_step_0_whenever_it_is_asked_for(norm):
    fresh, later = make_context(norm, steps=0), make_context(norm, steps=5)
    expected = histogram.measure(fresh)["nonlinearity_input"]
    for context in (fresh, later):
        found = start_histogram.measure(context)["nonlinearity_input"]
        np.testing.assert_array_equal(found, expected)
    assert (histogram.measure(later)["nonlinearity_input"] != expected).any()
    at_start, found = unit_histogram.measure(fresh), unit_histogram.measure(later)
    np.testing.assert_array_equal(at_start["start"], at_start["now"])
    np.testing.assert_array_equal(found["start"], at_start["now"])
    np.testing.assert_array_equal(found["mean_start"], at_start["mean"])
    assert (found["now"] != found["start"]).any()


@every_case("network", ["mlp", "conv", "recurrent"])
def test_units_are_counted_as_numpy_counts_them(network):
    context = make_context("batch", network=network)
    found, inputs = unit_histogram.measure(context), context.nonlinearity_inputs
    for layer, values in enumerate(inputs):
        for place, unit in enumerate(units(values.shape[1])):
            counts, _ = np.histogram(values[:, unit], UNIT_EDGES.astype(values.dtype))
            expected = np.rint(255 * counts / len(values))
            np.testing.assert_array_equal(found["now"][layer, place], expected)
            expected = values[:, unit].mean(dtype=np.float64)
            assert found["mean"][layer, place] == np.float32(expected)
    assert (found["beyond"] == 0).all()


def test_values_beyond_the_axis_and_strange_ones_are_counted_apart():
    context = make_context("none", width=8, depth=1)
    inputs = context.nonlinearity_inputs
    inputs[0, :64, 0], inputs[0, :64, 1], inputs[0, :64, 2] = 31, np.nan, -np.inf
    found = unit_histogram.measure(context)
    np.testing.assert_allclose(found["beyond"][0], [0.25, 0.25, 0.25, 0, 0, 0, 0, 0])
    assert np.isnan(found["mean"][0, 1])
