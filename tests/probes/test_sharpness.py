"""Sharpness compared with the full Hessian from `torch.autograd.functional.hessian` in float64."""

from itertools import cycle

import numpy as np
import pytest
import torch
from torch.autograd.functional import hessian as full_hessian

from bnviz.pieces import run_to_end
from bnviz.probes import sharpness
from tests.every_case import every_case
from tests.probes.contexts import (
    MLP_NORMS,
    OTHER_NETWORKS,
    context_of,
    make_context,
    make_experiment,
    spoil,
)

TINY = {"dataset": "moons", "depth": 2, "width": 4}
EXACT = {"TOLERANCE": 0.0, "LOW_TOLERANCE": 0.0, "MOST_PRODUCTS": 1000}


@pytest.fixture
def to_the_end(monkeypatch):
    """Make the iteration run until it cannot improve."""
    for name, value in EXACT.items():
        monkeypatch.setattr(sharpness, name, value)


def measured(context):
    return run_to_end(sharpness.measure(context))


def fixed_examples(context):
    """Return the examples that the probe documents: at most 500, chosen by the seed."""
    data = context.data
    order = np.random.default_rng([context.config.seed, 5]).permutation(len(data.train_labels))
    rows = np.sort(order[:500])
    return (
        torch.from_numpy(data.train_inputs[rows]).to(context.network.flat),
        torch.from_numpy(data.train_labels[rows]),
    )


def loss_of(context):
    inputs, labels = fixed_examples(context)

    def loss(flat):
        twin = context.network.twin(flat)
        return twin.loss(twin.forward(inputs, training=True).logits, labels)[0]

    return loss


def by_full_hessian(context):
    with torch.enable_grad():
        matrix = full_hessian(loss_of(context), context.network.flat.clone())
    return np.linalg.eigvalsh(matrix.numpy())


def compare(context, rel=1e-5):
    values, found = by_full_hessian(context), measured(context)
    assert found["lambda_max"] == pytest.approx(values[-1], rel=rel)
    assert found["lambda_min"] == pytest.approx(values[0], rel=rel, abs=1e-7 * values[-1])
    assert found["edge"] == pytest.approx(2 / values[-1], rel=rel)


@every_case(
    ("norm", "activation"),
    [("none", "tanh"), ("none", "gelu"), ("batch", "sigmoid"), ("batch", "relu")],
)
def test_ends_are_those_of_the_full_hessian(norm, activation, to_the_end):
    compare(make_context(norm, activation=activation, **TINY))


OTHERS = [norm for norm in MLP_NORMS if norm not in ("none", "batch")]


@every_case(("norm", "position"), [*zip(OTHERS, cycle(["before", "after"]))])
def test_every_norm_can_be_differentiated_twice(norm, position, to_the_end):
    compare(make_context(norm, norm_position=position, **TINY | {"depth": 1}))


@every_case("norm", ["none", "batch"])
def test_another_loss(norm, to_the_end):
    compare(make_context(norm, loss="squared", **TINY))


@every_case(("norm", "steps"), [("none", 0), ("none", 60), ("batch", 10)])
def test_few_products_are_enough(norm, steps):
    context = make_context(norm, steps=steps, dataset="spirals", depth=3, width=8)
    values, found = by_full_hessian(context), measured(context)
    assert found["lambda_max"] == pytest.approx(values[-1], rel=0.02)
    assert found["lambda_min"] == pytest.approx(values[0], abs=0.1 * values[-1])
    assert 8 <= found["products"] <= 25


def test_float32_agrees_with_float64():
    single, double = (
        measured(make_context("batch", dtype=dtype, steps=5, width=30))
        for dtype in (torch.float32, torch.float64)
    )
    assert single["lambda_max"] == pytest.approx(float(double["lambda_max"]), rel=1e-2)


@every_case("network", OTHER_NETWORKS)
def test_products_are_those_of_finite_differences(network):
    context = make_context("batch", network=network)
    inputs, labels = fixed_examples(context)
    network = context.network
    gradient, product = sharpness.hessian(network, inputs, labels)
    vector = torch.from_numpy(np.random.default_rng(0).normal(size=len(gradient)))
    h = 1e-5
    around = [
        sharpness.hessian(network.twin(network.flat + sign * h * vector), inputs, labels)[0]
        for sign in (1, -1)
    ]
    expected = (around[0] - around[1]) / (2 * h)
    torch.testing.assert_close(product(vector), expected, rtol=1e-5, atol=1e-7)


def test_momentum_widens_the_edge_and_a_live_change_moves_it():
    experiment = make_experiment("none", momentum=0.9)
    found = measured(context_of(experiment, "none"))
    assert found["edge"] == pytest.approx(3.8 / found["lambda_max"], rel=1e-6)
    assert found["limit"] == pytest.approx(3.8 / 0.3, rel=1e-6)
    experiment.update(momentum=0.0, learning_rates=(0.5,))
    after = measured(context_of(experiment, "none"))
    assert after["lambda_max"] == found["lambda_max"]
    assert after["edge"] == pytest.approx(2 / found["lambda_max"], rel=1e-6)
    assert after["limit"] == pytest.approx(4)


def test_there_is_an_edge_only_where_all_parameters_have_one_rate():
    experiment = make_experiment("none", rate_factors=(2, 2, 2))
    found = measured(context_of(experiment, "none"))
    assert found["edge"] == pytest.approx(1 / found["lambda_max"], rel=1e-6)
    assert found["limit"] == pytest.approx(1 / 0.3, rel=1e-6)
    experiment.update(rate_factors=(2, 1, 2))
    apart = measured(context_of(experiment, "none"))
    assert apart["lambda_max"] == found["lambda_max"]
    assert np.isnan([apart["edge"], apart["limit"]]).all()


def test_adam_has_no_edge():
    found = measured(make_context("none", optimizer="adam", learning_rate=0.01))
    assert found["lambda_max"] > 0
    assert np.isnan([found["edge"], found["limit"]]).all()


def test_a_dead_network_has_no_edge():
    context = make_context("none", activation="relu")
    context.network.parameters()["layer 3.bias"][:] = -1e3
    found = measured(context)
    assert np.isnan(found["edge"])
    assert found["lambda_max"] > 0  # the loss is still curved along the output's bias


def test_a_network_that_takes_no_step_is_not_measured():
    found = measured(context_of(make_experiment("batch"), "batch", takes_step=False))
    assert np.isnan([found["lambda_max"], found["lambda_min"], found["edge"]]).all()
    assert found["products"] == 0


def test_a_network_that_is_not_finite_has_no_curvature():
    found = measured(spoil(make_context("none"), np.nan))
    assert np.isnan([found["lambda_max"], found["edge"]]).all()


def test_nothing_is_left_on_the_network():
    context = make_context("batch")
    measured(context)
    assert not context.network.flat.requires_grad
    assert context.network.flat.grad is None
    assert context.memory == {}


def test_networks_too_large_are_not_measured(monkeypatch):
    context = make_context("none")
    monkeypatch.setattr(sharpness, "MOST_PARAMETERS", 100)
    assert measured(context) == {}
