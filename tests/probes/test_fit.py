"""Fit of the training set, compared with torch's functions."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from bnviz.config import RunConfig
from bnviz.pieces import run_to_end
from bnviz.probes import fit
from tests.probes.contexts import make_context, spoil


def inferred(network, inputs):
    """Return the logits at inference of a tanh network with BN, computed by torch's functions."""
    parameters, buffers = network.parameters(), network.buffers()
    values = torch.from_numpy(inputs).double()
    for name in network.layer_names:
        values = functional.batch_norm(
            values @ parameters[f"{name}.weight"].T, buffers[f"{name}.running_mean"],
            buffers[f"{name}.running_var"], parameters[f"{name}.gamma"],
            parameters[f"{name}.beta"], eps=1e-5,
        )  # fmt: skip
        values = torch.tanh(values)
    return values @ parameters["output.weight"].T + parameters["output.bias"]


def test_both_parts_of_the_data_are_judged_in_inference_mode():
    context = make_context("batch", steps=20, activation="tanh")
    found, data = run_to_end(fit.measure(context)), context.data
    train, test = (
        (inferred(context.network, inputs), torch.from_numpy(labels))
        for inputs, labels in ((data.train_inputs, data.train_labels),
                               (data.test_inputs, data.test_labels))
    )  # fmt: skip
    right = (logits.argmax(1) == labels for logits, labels in (train, test))
    shares = [float(each.double().mean()) for each in right]
    assert 0.2 < shares[0] < 1
    assert found["accuracy"] == pytest.approx(shares[0])
    assert found["test_accuracy"] == pytest.approx(shares[1])
    assert found["gap"] == pytest.approx(shares[0] - shares[1])
    assert found["loss"] == pytest.approx(float(functional.cross_entropy(*train)), rel=1e-5)


def test_of_logits_that_are_not_finite_nothing_is_told():
    found = run_to_end(fit.measure(spoil(make_context("none"), np.nan)))
    assert all(np.isnan(each) for each in found.values())


def test_of_more_examples_than_can_be_afforded_some_are_drawn_once():
    small, large = RunConfig(depth=3), RunConfig(depth=20, width=512, batch_size=8)
    assert fit.examples(small, 1438).tolist() == list(range(1438))
    for config, most in ((small, 2048), (large, 795)):
        drawn = fit.examples(config, 60_000)
        assert len(drawn) == len(set(drawn.tolist())) == most
        assert (np.diff(drawn) > 0).all()
        assert drawn[-1] > 50_000
        assert np.array_equal(drawn, fit.examples(config, 60_000))
        assert not np.array_equal(drawn, fit.examples(config.replace(seed=1), 60_000))
    assert len(fit.examples(RunConfig(depth=40, width=512, norms=("none",)), 1438)) < 400
