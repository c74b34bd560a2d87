"""Gradient-based covariate shift, compared with real updates of a copy of the network."""

import copy
from itertools import cycle

import numpy as np
import torch

from bnviz.probes import ics
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, context_of, make_context, make_experiment


def gradients_by_autograd(network, batch):
    """Return ∂loss/∂W of every layer at the network's parameters, computed by autograd alone."""
    flat = network.flat.clone()
    with torch.enable_grad():
        flat.requires_grad_()
        twin = network.twin(flat)
        loss, _ = twin.loss(twin.forward(batch[0], training=True).logits, batch[1])
        (gradient,) = torch.autograd.grad(loss, flat)
    views = network.views(gradient)
    return [views[f"{name}.weight"].clone() for name in network.names]


def by_brute_force(experiment, context):
    """Compute the shift in Definition 2.1 of Santurkar et al. 2018 layer by layer, on copies of the
    network.
    """
    norm = context.norm
    before = gradients_by_autograd(context.network, context.batch)
    found = []
    for index in range(len(before)):
        changed, learner = copy.deepcopy(experiment.networks[norm]), experiment.learners[norm]
        # Update the whole copy by the optimizer's rule, then undo the update from this layer up.
        gradient = torch.zeros_like(changed.flat)
        trace = changed.forward(context.batch[0], training=True)
        _, gradients = changed.backward(trace, context.batch[1])
        for name, value in changed.named_gradients(gradients).items():
            changed.views(gradient)[name].copy_(value)
        knobs = experiment.config.step_settings(norm)
        copy.deepcopy(learner.optimizer).step(changed.flat, gradient, knobs)
        for name, value in changed.parameters().items():
            if name.partition(".")[0] in changed.names[index:]:
                value.copy_(context.network.parameters()[name])
        after = gradients_by_autograd(changed, context.batch)[index]
        one, two = before[index].flatten(), after.flatten()
        change = float((one - two).norm())
        cosine = float(torch.nn.functional.cosine_similarity(one, two, 0))
        found.append((change, change / float(one.norm()), cosine))
    return np.array(found).T


def compare(experiment, norm):
    context = context_of(experiment, norm)
    found, expected = ics.measure(context), by_brute_force(experiment, context)
    for row, name in zip(expected, ("change", "relative", "cosine"), strict=True):
        np.testing.assert_allclose(found[name], row, rtol=1e-5, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(np.cos(np.radians(found["angle"])), found["cosine"], atol=1e-6)
    return found


@every_case(("norm", "position"), [*zip(MLP_NORMS, cycle(["before", "after"]))])
def test_shift_is_that_of_the_definition(norm, position):
    compare(make_experiment(norm, norm_position=position), norm)


@every_case(("norm", "skip"), [("none", 1), ("batch", 2), ("layer", 2)])
def test_what_comes_past_a_branch_is_of_the_layers_below(norm, skip):
    compare(make_experiment(norm, depth=4, skip=skip), norm)


@every_case("norm", ["none", "batch", "instance"])
def test_shift_of_convolutions(norm):
    compare(make_experiment(norm, network="conv", depth=3), norm)


@every_case(
    "rule",
    [{"momentum": 0.9, "weight_decay": 0.1}, {"optimizer": "adam", "learning_rate": 0.01}],
)
def test_the_update_is_the_optimizers(rule):
    compare(make_experiment("batch", **rule), "batch")


def test_nothing_lies_below_the_first_layer():
    found = ics.measure(make_context("batch"))
    assert (found["change"][0], found["relative"][0], found["cosine"][0]) == (0, 0, 1)
    assert (found["change"][1:] > 0).all()


def test_time_steps_have_no_layers_below():
    assert ics.measure(make_context("batch", network="recurrent")) == {}


def test_large_networks_are_measured_at_some_layers(monkeypatch):
    monkeypatch.setattr(ics, "AFFORDABLE", 1.0)
    whole = make_context("batch", depth=5)
    found = ics.measure(whole)["cosine"]
    np.testing.assert_array_equal(np.isfinite(found), [True, False, False, False, False, True])
    monkeypatch.undo()
    assert found[-1] == ics.measure(whole)["cosine"][-1]
