"""Change of a unit's median in one step, compared with known cases and with real steps."""

import numpy as np
import pytest
import torch

from bnviz.norms.batch import BatchNorm
from bnviz.norms.noisy import draw_noise
from bnviz.pieces import run_to_end
from bnviz.probes import median_step
from bnviz.probes.context import ProbeContext
from tests.every_case import every_case
from tests.probes.contexts import context_of, make_experiment, shared_context

MOVED = 0.3


class Moving:
    """Stand-in optimizer that adds `by` to one group of parameters of every layer."""

    def __init__(self, network, name, by):
        self._network, self._name, self._by = network, name, by

    def preview(self, flat, gradient, knobs):
        after = flat.clone()
        for name, value in self._network.views(after).items():
            if name.startswith("layer") and name.endswith(self._name):
                value += self._by
        return after


def measured(context):
    return {key: float(value) for key, value in run_to_end(median_step.measure(context)).items()}


def moving(norm, name, by=MOVED, **knobs):
    """Return a context, and the measurement for an update of only one group of its parameters."""
    context = shared_context(norm, depth=1, **knobs)
    other = ProbeContext(
        config=context.config, norm=norm, step=context.step, network=context.network,
        data=context.data, batch=context.batch, memory={},
        optimizer=Moving(context.network, name, by),
    )  # fmt: skip
    return context, measured(other)


def test_a_bias_that_moves_takes_each_median_along_by_as_much():
    context, found = moving("none", "bias")
    assert found["change"] == pytest.approx(MOVED, rel=1e-6)
    spread = context.nonlinearity_inputs.std(axis=1).mean()
    assert found["relative"] == pytest.approx(MOVED / spread, rel=1e-6)


def test_after_bn_no_bias_moves_anything_and_beta_moves_all():
    assert moving("batch", "bias")[1]["change"] == pytest.approx(0, abs=1e-6)
    assert moving("batch", "beta")[1]["change"] == pytest.approx(MOVED, rel=1e-6)


def test_where_nothing_moves_the_noise_of_the_two_steps_does():
    context, found = moving("noisy", "beta", by=0.0)
    (layer,) = context.probe_training.layers
    twin, medians = context.network.twin(context.network.flat), []
    for step in (context.step, context.step + 1):
        twin.step = step
        (norm,) = twin.norms
        steady, _ = BatchNorm.forward(norm, layer.pre_activation, training=True)
        stretch, shift = draw_noise(norm.random(), tuple(steady.shape))
        medians.append(np.median(steady.numpy() * stretch + shift, axis=0))
    assert found["change"] == pytest.approx(np.abs(medians[1] - medians[0]).mean(), rel=1e-6)
    assert found["change"] > 0.05


@every_case(("norm", "optimizer"), [("none", "adam"), ("batch", "sgd"), ("noisy", "sgd")])
def test_it_foretells_what_the_next_step_does(norm, optimizer):
    experiment = make_experiment(norm, optimizer=optimizer, momentum=0.9, weight_decay=0.01)
    told = experiment.snapshot(("median_step",)).networks[norm].probes["median_step"]
    inputs = [context_of(experiment, norm).nonlinearity_inputs]
    experiment.step()
    inputs.append(context_of(experiment, norm).nonlinearity_inputs)
    before, after = (np.median(each, axis=1) for each in inputs)
    assert told["change"] == pytest.approx(np.abs(after - before).mean(), rel=1e-6)
    spread = inputs[0].std(axis=1).mean()
    assert told["relative"] == pytest.approx(np.abs(after - before).mean() / spread, rel=1e-6)


def test_where_no_gradient_arrives_nothing_shifts():
    """If all weights are zero, only the output's biases have a gradient."""
    experiment = make_experiment("none", activation="relu", steps=0)
    flat = experiment.networks["none"].flat
    with torch.no_grad():
        flat.zero_()
    assert measured(context_of(experiment, "none"))["change"] == 0
