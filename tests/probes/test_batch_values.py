"""Values of units for one mini-batch equal the values in the training pass."""

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.trace import unit_rows
from bnviz.probes import batch_values
from bnviz.probes.axis import BATCH_VALUES, units
from tests.every_case import every_case
from tests.probes.contexts import make_context


@every_case("batch_size", [2, 5, 24])
def test_they_are_what_the_nonlinearity_gets_example_by_example(batch_size):
    context = make_context("batch", width=12, batch_size=batch_size)
    found = batch_values.measure(context)["values"]
    assert found.shape == (context.config.depth, 8, BATCH_VALUES)
    for layer, values in zip(context.batch_trace.layers, found, strict=True):
        for unit, row in zip(units(12), values, strict=True):
            given = layer.nonlinearity_input[:, unit].numpy()
            np.testing.assert_array_equal(row, np.resize(given, BATCH_VALUES).astype(np.float32))


def test_of_a_larger_mini_batch_some_are_shown_its_first_and_last_among_them():
    rows = batch_values.chosen_rows(1000)
    assert len(rows) == BATCH_VALUES
    assert (rows[0], rows[-1]) == (0, 999)
    assert (np.diff(rows) >= 43).all()


def test_a_feature_map_has_a_value_at_each_place():
    context = make_context("batch", network="conv")
    (first, *_) = context.batch_trace.layers
    values = unit_rows(first.nonlinearity_input)
    rows = batch_values.chosen_rows(len(values))
    expected = values[rows][:, units(values.shape[1])].T.float().numpy()
    np.testing.assert_array_equal(batch_values.measure(context)["values"][0], expected)


def test_without_epsilon_two_examples_come_out_at_one_and_minus_one():
    experiment = Experiment(RunConfig(depth=2, width=12, batch_size=2, norm_eps=0))
    record = experiment.snapshot(probes=("batch_values",)).networks["batch"]
    found = record.probes["batch_values"]["values"]
    np.testing.assert_allclose(np.abs(found), 1, atol=1e-6)
    np.testing.assert_allclose(found[:, :, 0], -found[:, :, 1], atol=1e-6)
