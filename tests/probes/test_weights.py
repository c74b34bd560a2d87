"""Sizes of weights and updates against NumPy and a step that is really taken."""

import numpy as np
import pytest
import torch

from bnviz.probes import weights
from bnviz.training.optimizers import OPTIMIZERS
from tests.probes.contexts import OTHER_NETWORKS, context_of, make_context, make_experiment

RULES = [
    {},
    {"momentum": 0.9, "weight_decay": 0.01},
    {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01, "weight_decay": 0.1},
]


def about_to(experiment, norm="batch"):
    """A context with the very mini-batch that the next step takes."""
    context = context_of(experiment, norm)
    context.batch = experiment.moment().batch
    return context


@pytest.mark.parametrize("steps", [0, 4])
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("network", ["mlp", *OTHER_NETWORKS])
def test_the_next_update_is_the_one_that_is_taken(network, rule, steps):
    experiment = make_experiment("batch", steps=steps, network=network, **rule)
    foreseen = about_to(experiment).next_flat
    experiment.step()
    torch.testing.assert_close(foreseen, experiment.networks["batch"].flat, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_foreseeing_an_update_changes_nothing(rule):
    experiment = make_experiment("batch", **rule)
    learner = experiment.learners["batch"]
    before = learner.network.flat.clone(), repr(learner.optimizer.state())
    assert not torch.equal(about_to(experiment).next_flat, before[0])
    assert torch.equal(learner.network.flat, before[0])
    assert repr(learner.optimizer.state()) == before[1]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_update_foreseen_leaves_the_gradient_alone(name):
    flat, gradient = torch.ones(5), torch.arange(5.0)
    knobs = {"learning_rate": 0.1, "momentum": 0.9, "weight_decay": 0.5}
    after = OPTIMIZERS[name]().preview(flat, gradient, **knobs)
    assert not torch.equal(after, flat)
    torch.testing.assert_close(flat, torch.ones(5))
    torch.testing.assert_close(gradient, torch.arange(5.0))


@pytest.mark.parametrize("network", ["mlp", "conv"])
def test_sizes_are_those_of_numpy(network):
    experiment = make_experiment("batch", network=network, learning_rate=0.2, weight_decay=0.01)
    context = about_to(experiment)
    parameters = experiment.networks["batch"].parameters()
    names = [f"{name}.weight" for name in experiment.networks["batch"].names]
    old = {name: parameters[name].numpy().copy() for name in names}
    found = weights.measure(context)
    experiment.step()
    norms = np.array([np.sqrt((old[name] ** 2).sum()) for name in names])
    moved = [np.sqrt(((parameters[name].numpy() - old[name]) ** 2).sum()) for name in names]
    np.testing.assert_allclose(found["norm"], norms, rtol=1e-6)
    np.testing.assert_allclose(found["effective_rate"], 0.2 / norms**2, rtol=1e-6)
    np.testing.assert_allclose(found["update_ratio"], moved / norms, rtol=1e-5)


def turned(steps, **knobs):
    """The angle by which a normalized layer's weights turn in some steps, and its first rate."""
    experiment = make_experiment("batch", steps=0, **knobs)
    rate = weights.measure(about_to(experiment))["effective_rate"][1]
    layer = experiment.networks["batch"].parameters()["layer 2.weight"]
    start = layer.flatten().clone()
    for _ in range(steps):
        experiment.step()
    now = layer.flatten()
    return float(torch.acos(start @ now / (start.norm() * now.norm()))), rate


def test_with_momentum_the_effective_rate_is_that_of_the_plain_run_which_turns_as_fast():
    plain, plain_rate = turned(200, learning_rate=1e-3, batch_size=1000)
    heavy, heavy_rate = turned(200, learning_rate=1e-4, momentum=0.9, batch_size=1000)
    assert heavy_rate == pytest.approx(plain_rate, rel=1e-5)
    assert heavy == pytest.approx(plain, rel=0.1)  # it takes ten steps to gather speed


@pytest.mark.parametrize(
    ("rule", "share"), [({}, 1 / 4), ({"optimizer": "adam", "learning_rate": 0.01}, 1 / 2)], ids=str
)
def test_weights_twice_as_large_turn_a_quarter_as_far_and_with_adam_half_as_far(rule, share):
    found = []
    for scale in (1.0, 2.0):
        experiment = make_experiment("batch", steps=0, norm_eps=0.0, **rule)
        experiment.networks["batch"].parameters()["layer 2.weight"].mul_(scale)
        found.append(weights.measure(about_to(experiment)))
    first, second = (one["update_ratio"][1] for one in found)
    assert second / first == pytest.approx(share, rel=1e-3)
    rates = np.array([one["effective_rate"][1] for one in found])
    if "optimizer" in rule:
        assert np.isnan(rates).all(), "Adam has no such rate"
    else:
        assert rates[1] / rates[0] == pytest.approx(share, rel=1e-6)


def test_time_steps_share_their_weights():
    context = make_context("batch", network="recurrent")
    parameters, found = context.network.parameters(), weights.measure(context)
    both = torch.cat([parameters["recurrent.weight"], parameters["input.weight"]], 1)
    np.testing.assert_allclose(found["norm"][:-1], float(both.norm()), rtol=1e-6)
    np.testing.assert_allclose(found["norm"][-1], float(parameters["output.weight"].norm()))
    assert len(found["norm"]) == context.config.layer_count + 1


def test_each_network_has_its_own_rate():
    experiment = make_experiment("batch", steps=1)
    experiment.update(learning_rates=(0.7,))
    found = weights.measure(context_of(experiment, "batch"))
    np.testing.assert_allclose(found["effective_rate"] * found["norm"] ** 2, 0.7, rtol=1e-5)


def test_a_network_that_takes_no_step_does_not_move():
    found = weights.measure(context_of(make_experiment("none"), "none", batch=False))
    np.testing.assert_array_equal(found["update_ratio"], 0)
    assert (found["norm"] > 0).all()


@pytest.mark.parametrize("network", ["mlp", *OTHER_NETWORKS])
@pytest.mark.parametrize("norm", ["none", "batch"])
def test_biases_are_those_of_numpy_and_0_where_a_layer_has_none(network, norm):
    context = make_context(norm, network=network, steps=3)
    parameters = context.network.parameters()
    biases = {name.rpartition(".")[0]: b.numpy() for name, b in parameters.items()
              if name.rpartition(".")[2] == "bias"}  # fmt: skip
    shared = biases.get("")  # a recurrent network's, of all time steps
    expected = [
        0.0 if own is None else np.sqrt((own.astype(float) ** 2).sum())
        for own in (biases.get(name, shared) for name in context.network.layer_names)
    ]
    found = weights.measure(context)["bias"]
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-6)
    assert (found[:-1] == 0).all() == (norm == "batch" and network != "recurrent")
    assert found[-1] == pytest.approx(np.linalg.norm(biases["output"]), rel=1e-6)
