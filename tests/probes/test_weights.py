"""Norms of weights and updates, compared with NumPy and with a real step."""

import numpy as np
import pytest
import torch

from bnviz.config import StepSettings
from bnviz.networks.rate_groups import RateGroups
from bnviz.probes import weights
from bnviz.training.optimizers import OPTIMIZERS
from tests.every_case import every_case
from tests.probes.contexts import OTHER_NETWORKS, context_of, make_context, make_experiment

RULES = [
    {},
    {"rate_factors": (3, 0.5, 0), "weight_decay": 0.01},
    {"momentum": 0.9, "weight_decay": 0.01},
    {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.01, "weight_decay": 0.1},
]


def about_to(experiment, norm="batch"):
    """Return a context with the mini-batch of the next step."""
    context = context_of(experiment, norm)
    context.batch = experiment.freeze().batch
    return context


@every_case("steps", [0, 4])
@every_case("rule", RULES)
@every_case("network", ["mlp", *OTHER_NETWORKS])
def test_the_next_update_is_the_one_that_is_taken(network, rule, steps):
    experiment = make_experiment("batch", steps=steps, network=network, **rule)
    foreseen = about_to(experiment).next_flat
    experiment.step()
    torch.testing.assert_close(foreseen, experiment.networks["batch"].flat, rtol=1e-9, atol=1e-13)


@every_case("rule", RULES)
def test_foreseeing_an_update_changes_nothing(rule):
    experiment = make_experiment("batch", **rule)
    learner = experiment.learners["batch"]
    before = learner.network.flat.clone(), repr(learner.optimizer.state)
    assert not torch.equal(about_to(experiment).next_flat, before[0])
    assert torch.equal(learner.network.flat, before[0])
    assert repr(learner.optimizer.state) == before[1]


@every_case("name", OPTIMIZERS)
def test_an_update_foreseen_leaves_the_gradient_alone(name):
    flat, gradient = torch.ones(5), torch.arange(5.0)
    groups = RateGroups(["layer 1.weight"], [5], [])
    after = OPTIMIZERS[name](groups).preview(flat, gradient, StepSettings(0.1, 0.9, 0.5))
    assert not torch.equal(after, flat)
    torch.testing.assert_close(flat, torch.ones(5))
    torch.testing.assert_close(gradient, torch.arange(5.0))


@every_case("network", ["mlp", "conv"])
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
    """Return the angle by which a layer's weights turn in `steps` steps, and the effective rate."""
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
    assert heavy == pytest.approx(plain, rel=0.1)  # momentum needs about ten steps to build up


@every_case(("rule", "share"), [({}, 1 / 4), ({"optimizer": "adam", "learning_rate": 0.01}, 1 / 2)])
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


def test_the_rate_of_a_row_is_that_of_its_weights():
    experiment = make_experiment("batch", steps=1, learning_rate=0.1, weight_decay=0.02)
    before = weights.measure(context_of(experiment, "batch"))
    experiment.update(rate_factors=(3, 100, 0.5))
    found = weights.measure(context_of(experiment, "batch"))
    rates = found["effective_rate"] * found["norm"] ** 2
    np.testing.assert_allclose(rates, [*[0.3] * (len(rates) - 1), 0.05], rtol=1e-5)
    np.testing.assert_allclose(found["settled"][:-1], before["settled"][:-1] * 3**0.5, rtol=1e-6)
    experiment.update(rate_factors=(0, 1, 1))
    held = weights.measure(context_of(experiment, "batch"))
    assert (held["effective_rate"][:-1] == 0).all()
    assert (held["update_ratio"][:-1] == 0).all()
    assert np.isnan(held["settled"]).all()


def test_a_network_that_takes_no_step_does_not_move():
    found = weights.measure(context_of(make_experiment("none"), "none", takes_step=False))
    np.testing.assert_array_equal(found["update_ratio"], 0)
    assert (found["norm"] > 0).all()


@every_case("network", ["mlp", *OTHER_NETWORKS])
@every_case("norm", ["none", "batch"])
def test_biases_are_those_of_numpy_and_0_where_a_layer_has_none(network, norm):
    context = make_context(norm, network=network, steps=3)
    parameters = context.network.parameters()
    biases = {name.rpartition(".")[0]: b.numpy() for name, b in parameters.items()
              if name.rpartition(".")[2] == "bias"}  # fmt: skip
    shared = biases.get("")  # bias of a recurrent network, shared by all time steps
    expected = [
        0.0 if own is None else np.sqrt((own.astype(float) ** 2).sum())
        for own in (biases.get(name, shared) for name in context.network.layer_names)
    ]
    found = weights.measure(context)["bias"]
    np.testing.assert_allclose(found[:-1], expected, rtol=1e-6)
    assert (found[:-1] == 0).all() == (norm == "batch" and network != "recurrent")
    assert found[-1] == pytest.approx(np.linalg.norm(biases["output"]), rel=1e-6)


def measured(experiment):
    """Measure the run's present step as a frame does, with the probe's memory."""
    context = about_to(experiment)
    context.memory, context.step = experiment.learners["batch"].memory, experiment.step_number
    return weights.measure(context)


def after_steps(experiment, steps):
    """Measure before each of `steps` steps. Return the last measured angle of each layer, and the
    actual angles in all steps.
    """
    taken = []
    for _ in range(steps):
        found = measured(experiment)
        old = [w.clone() for w in experiment.networks["batch"].hidden_weights()]
        experiment.step()
        pairs = zip(old, experiment.networks["batch"].hidden_weights(), strict=True)
        taken.append([_angle(before, after) for before, after in pairs])
    return found["turned"][:-1], np.array(taken)


def _angle(before, after):
    before, after = before.flatten().double(), after.flatten().double()
    return float(torch.acos((before @ after / (before.norm() * after.norm())).clamp(-1, 1)))


@every_case("network", ["mlp", "conv"])
def test_the_angle_is_the_root_mean_square_of_the_steps_that_are_taken(network):
    experiment = make_experiment("batch", network=network, learning_rate=0.2, weight_decay=0.01)
    found, taken = after_steps(experiment, 12)
    np.testing.assert_allclose(found, np.sqrt((taken**2).mean(0)), rtol=1e-5)


def test_only_the_newest_hundred_count():
    experiment = make_experiment("batch", learning_rate=0.05)
    found, taken = after_steps(experiment, weights.TURNS + 7)
    np.testing.assert_allclose(found, np.sqrt((taken[7:] ** 2).mean(0)), rtol=1e-5)


def test_a_step_that_is_measured_twice_counts_once():
    experiment = make_experiment("batch", learning_rate=0.2)
    first = measured(experiment)["turned"]
    np.testing.assert_array_equal(measured(experiment)["turned"], first)
    experiment.step()
    once = measured(experiment)["turned"]
    np.testing.assert_array_equal(measured(experiment)["turned"], once)


@every_case(
    "change",
    [{"learning_rate": 0.4}, {"rate_factors": (2, 1, 1)}, {"weight_decay": 0.1}, {"batch_size": 7},
     {"scale_weights": (10.0, None)}],
)  # fmt: skip
def test_with_other_knobs_or_other_sizes_the_average_begins_anew(change):
    experiment = make_experiment("batch", learning_rate=0.2)
    after_steps(experiment, 5)
    experiment.update(**change)
    found, taken = after_steps(experiment, 1)
    np.testing.assert_allclose(found, taken[0], rtol=1e-5)


def test_of_one_layer_that_was_multiplied_the_average_alone_begins_anew():
    experiment = make_experiment("batch", learning_rate=0.2)
    _, before = after_steps(experiment, 5)
    experiment.update(scale_weights=(5.0, 2))
    found, taken = after_steps(experiment, 1)
    both = np.vstack([before, taken])
    expected = np.sqrt((both**2).mean(0))
    expected[1] = taken[0, 1]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_layer_times_ten_turns_a_hundredth_as_far():
    experiment = make_experiment("batch", learning_rate=0.1, norm_eps=0.0)
    before = measured(experiment)["turned"]
    experiment.update(scale_weights=(10.0, 2))
    after = measured(experiment)["turned"]
    assert after[1] == pytest.approx(before[1] / 100, rel=1e-3)
    np.testing.assert_allclose(np.delete(after, 1), np.delete(before, 1), rtol=1e-4)


def test_under_decay_the_angle_settles_at_the_formula():
    experiment = make_experiment(
        "batch", steps=0, learning_rate=0.1, weight_decay=0.1, width=40, depth=2, batch_size=60
    )
    for _ in range(600):
        experiment.step()
    for _ in range(weights.TURNS):
        found = measured(experiment)
        experiment.step()
    assert found["settled"][:-1] == pytest.approx(np.sqrt(2 * 0.1 * 0.1))
    assert np.isnan(found["settled"][-1])
    assert np.median(found["turned"][:-1]) == pytest.approx(0.1414, rel=0.25)


@every_case("knobs", [{}, {"weight_decay": 0.1, "optimizer": "adam", "learning_rate": 0.01}])
def test_without_decay_or_with_adam_no_angle_is_expected(knobs):
    experiment = make_experiment("batch", **knobs)
    assert np.isnan(measured(experiment)["settled"]).all()


@every_case("momentum", [0.5, 0.9])
def test_random_steps_with_momentum_turn_as_far_as_expected(momentum):
    # SGD in float64 with random gradients orthogonal to the weights, without a network and without
    # the engine. η = 0.5 and λ = 0.01, as in experiment E4.
    generator, rate, decay = np.random.default_rng(1), 0.5, 0.01
    weight, velocity, squares = generator.standard_normal(64), np.zeros(64), []
    for step in range(6000):
        gradient = generator.standard_normal(64)
        gradient -= weight * (gradient @ weight) / (weight @ weight)
        velocity = momentum * velocity + gradient + decay * weight
        after = weight - rate * velocity
        if step >= 1000:
            lengths = np.linalg.norm(weight) * np.linalg.norm(after)
            squares.append(np.arccos(weight @ after / lengths) ** 2)
        weight = after
    experiment = make_experiment(
        "batch", steps=0, learning_rate=rate, momentum=momentum, weight_decay=decay
    )
    expected = measured(experiment)["settled"][0]
    assert np.sqrt(np.mean(squares)) == pytest.approx(expected, rel=0.02)


def test_the_expected_angle_is_that_of_rate_decay_and_momentum_and_there_is_none_for_adam():
    def settled(**knobs):
        shot = make_experiment("batch", depth=2, **knobs).snapshot(probes=("weights",))
        return shot.networks["batch"].probes["weights"]["settled"]

    with_decay = settled(learning_rate=0.3, weight_decay=0.01)
    np.testing.assert_allclose(with_decay, [np.sqrt(0.006), np.sqrt(0.006), np.nan], rtol=1e-6)
    heavy = settled(learning_rate=0.3, weight_decay=0.01, momentum=0.9)
    np.testing.assert_allclose(heavy, with_decay / np.sqrt(1.9), rtol=1e-6)
    for knobs in ({}, {"optimizer": "adam"}):
        assert np.isnan(settled(weight_decay=0.01 if knobs else 0.0, **knobs)).all()
