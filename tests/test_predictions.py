"""Predictions for the eight images on pages use the same logits as the test accuracy."""

import math

import numpy as np
import torch

from bnviz.config import RunConfig
from bnviz.data.base import load
from bnviz.data.shown import shown_images
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.live.runs.parsed_frames import read_snapshot
from bnviz.probes import shown_values
from bnviz.records import NO_PREDICTION
from tests.every_case import every_case
from tests.probes.contexts import make_context

SMALL = {"depth": 2, "width": 16, "device": "cpu"}


def logits_of(network, inputs):
    """Return the logits at inference, without folding norms into weights."""
    return network.forward(torch.from_numpy(inputs), training=False).logits


@every_case("network", ["mlp", "conv", "recurrent"])
def test_predictions_are_the_largest_logits_of_the_pass_that_gives_the_accuracy(network):
    sizes = {"mlp": SMALL, "conv": {"depth": 2, "width": 4}, "recurrent": {"width": 8}}[network]
    experiment = Experiment(RunConfig(network=network, **sizes | {"device": "cpu"}))
    for _ in range(20):
        experiment.step()
    data, snapshot = experiment.data, experiment.snapshot(())
    for norm, record in snapshot.networks.items():
        largest = logits_of(experiment.networks[norm], data.test_inputs).argmax(dim=1).numpy()
        assert record.predictions == tuple(largest[data.shown_in_test])
        assert math.isclose(record.test_accuracy, (largest == data.test_labels).mean())


def test_the_images_are_in_the_test_set_and_in_the_probe_set():
    data = load(RunConfig())
    np.testing.assert_array_equal(
        data.test_inputs[data.shown_in_test], data.probe_inputs[data.shown]
    )
    images = shown_images(RunConfig())
    assert images["labels"] == data.test_labels[data.shown_in_test].tolist()
    assert images["side"] ** 2 == data.features


def test_a_network_whose_logits_are_not_finite_predicts_nothing():
    experiment = Experiment(RunConfig(norms=("none",), **SMALL))
    experiment.networks["none"].output_weight.fill_(math.nan)
    record = experiment.snapshot(()).networks["none"]
    assert record.predictions == (NO_PREDICTION,) * 8
    assert math.isnan(record.test_accuracy)


def test_data_that_are_no_images_have_no_predictions():
    config = RunConfig(dataset="moons", **SMALL)
    assert shown_images(config) is None
    snapshot = Experiment(config).snapshot(("shown_values",))
    for record in snapshot.networks.values():
        assert record.predictions == ()
        assert not record.probes


def test_a_frame_keeps_the_predictions():
    snapshot = Experiment(RunConfig(**SMALL)).snapshot(())
    read = read_snapshot(encode_body(snapshot))
    for norm, record in snapshot.networks.items():
        assert read.networks[norm].predictions == record.predictions
        assert len(record.predictions) == 8


@every_case("norm", ["none", "batch", "layer"])
def test_shown_values_are_part_of_what_the_histogram_counts(norm):
    context = make_context(norm)
    found = shown_values.measure(context)
    for layer, values in enumerate(context.nonlinearity_inputs):
        shown = values[context.data.shown]
        np.testing.assert_array_equal(found["value"][layer], shown[:, 0].astype(np.float32))
        apart = max(np.ptp(unit) / np.abs(unit).max() for unit in shown.T)
        assert math.isclose(found["spread"][layer], apart, rel_tol=1e-6)
