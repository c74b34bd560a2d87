"""The fast step equals the plain step."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.norms import NORMS, norms_for
from bnviz.norms.lp import LpNorm
from bnviz.training.fast import FastPass
from bnviz.training.step import DeviceStepper, FastStepper, PlainStepper
from tests.every_case import every_case
from tests.pairs import pairs


@every_case(
    ("norm", "activation", "way"),
    pairs(
        norms_for("mlp"), ACTIVATIONS,
        list(product([True, False], [("before", 0), ("after", 0), ("before", 1), ("before", 2)])),
        fits=lambda norm, _, way: not way[1][1] or NORMS[norm].skips,
    ),
)  # fmt: skip
def test_fast_pass_equals_the_plain_one(
    norm: str, activation: str, way: tuple[bool, tuple[str, int]]
) -> None:
    affine, (position, skip) = way
    config = RunConfig(
        depth=6 if skip else 3, width=8, activation=activation, norm_affine=affine,
        norm_position=position, skip=skip, norm_eps=0.05 if norm in WHITENING else 1e-5,
    )  # fmt: skip
    network = build_network(config, norm, 5, 4, dtype=torch.float64)
    generator = torch.Generator().manual_seed(1)
    for value in network.parameters().values():
        value += 0.3 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
    inputs = torch.randn(24, 5, generator=generator, dtype=torch.float64)
    labels = torch.randint(0, 4, (24,), generator=generator)
    trace = network.forward(inputs, training=True)
    loss, gradients = network.backward(trace, labels)

    gradient = torch.full_like(network.flat, torch.nan)
    fast = FastPass(network, gradient, 24)
    with np.errstate(all="ignore"):
        found = fast.forward(inputs.numpy(), labels.numpy())
        fast.backward()

    assert found.loss == pytest.approx(float(loss), rel=1e-12)
    assert found.accuracy == float((trace.logits.argmax(1) == labels).double().mean())
    named = network.named_gradients(gradients)
    for name, value in network.views(gradient).items():
        torch.testing.assert_close(value, named[name], rtol=1e-9, atol=1e-13)
    for index, layer in enumerate(trace.layers):
        torch.testing.assert_close(fast.inputs[index], layer.nonlinearity_input)
        torch.testing.assert_close(fast.outputs[index], layer.activation)
    squares = [float((layer.nonlinearity_input**2).mean()) for layer in trace.layers]
    assert fast.mean_square().tolist() == pytest.approx(squares)


def test_the_fast_pass_has_autograds_gradient_of_the_squared_loss() -> None:
    """Compare with autograd for ‖logits − onehot‖² / 2N and one tanh layer without a norm."""
    config = RunConfig(depth=1, width=8, activation="tanh", loss="squared")
    network = build_network(config, "none", 5, 4, dtype=torch.float64)
    generator = torch.Generator().manual_seed(1)
    for value in network.parameters().values():
        value += 0.3 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
    inputs = torch.randn(7, 5, generator=generator, dtype=torch.float64)
    labels = torch.tensor([3, 0, 2, 2, 1, 3, 0])
    leaves = {key: v.clone().requires_grad_() for key, v in network.parameters().items()}
    hidden = torch.tanh(inputs @ leaves["layer 1.weight"].mT + leaves["layer 1.bias"])
    logits = hidden @ leaves["output.weight"].mT + leaves["output.bias"]
    loss = ((logits - torch.eye(4, dtype=torch.float64)[labels]) ** 2).sum() / (2 * 7)
    expected = torch.autograd.grad(loss, [*leaves.values()])

    gradient = torch.full_like(network.flat, torch.nan)
    fast = FastPass(network, gradient, 7)
    found = fast.forward(inputs.numpy(), labels.numpy())
    fast.backward()

    assert found.loss == pytest.approx(loss.item(), rel=1e-12)
    for (name, value), twin in zip(network.views(gradient).items(), expected, strict=True):
        torch.testing.assert_close(value, twin, rtol=1e-10, atol=1e-13, msg=name)


# Norms that amplify the rounding errors of nearly equal units, because they whiten.
WHITENING = ("iternorm", "zca")
# Norms whose gradients jump when a value near the mean changes its sign, or when another value
# becomes the largest.
JUMPY = tuple(name for name, path in NORMS.items() if issubclass(path.resolve(), LpNorm))
STEADY = [norm for norm in norms_for("mlp") if norm not in WHITENING + JUMPY]
CONFIGS: list[dict[str, Any]] = [
    {},
    {"activation": "relu", "norm_position": "after", "norm_eps": 1e-2},
    {"optimizer": "adam", "momentum": 0.9, "learning_rate": 0.003, "norm_eps": 1e-3},
    {"momentum": 0.9, "weight_decay": 0.01, "learning_rate": 0.03},
    {"depth": 1, "width": 2, "activation": "sigmoid"},
    {"dataset": "spirals", "activation": "gelu", "width": 16},
    {"skip": 2, "activation": "relu", "init": "he", "branch_start": 0.5, "norm_eps": 1e-3},
]


def fits(norm: str, knobs: dict[str, Any]) -> bool:
    """Return whether a norm is available with these knobs."""
    grouped, skipped = norm == "group" and "width" in knobs, "skip" in knobs
    return not grouped and not (skipped and not NORMS[norm].skips)


# Each setting is tested with half of the norms, and each group of four norms with half of the
# settings.
HALVES = [
    (norms, knobs)
    for number, knobs in enumerate(CONFIGS)
    for part in range(-(-len(STEADY) // 4)) if (number + part) % 2 == 0
    if (norms := [norm for norm in STEADY[4 * part : 4 * part + 4] if fits(norm, knobs)])
]  # fmt: skip


@every_case(("norms", "knobs"), HALVES)
def test_six_fast_steps_equal_six_plain_ones(norms: list[str], knobs: dict[str, Any]) -> None:
    config = RunConfig(norms=norms, device="cpu", **knobs)
    fast, plain = (Experiment(config, dtype=torch.float64) for _ in range(2))
    for learner in plain.learners.values():
        learner.stepper = PlainStepper(learner.network, learner.optimizer, learner.monitor)
    for step in range(6):
        if step == 3:
            fast.update(batch_size=7)
            plain.update(batch_size=7)
        fast.step()
        plain.step()
    assert fast.states() == plain.states()
    for norm, network in fast.networks.items():
        assert isinstance(fast.learners[norm].stepper, FastStepper)
        twin = plain.networks[norm]
        torch.testing.assert_close(network.flat, twin.flat, rtol=1e-7, atol=1e-9)
        for name, value in twin.buffers().items():
            torch.testing.assert_close(network.buffers()[name], value, rtol=1e-7, atol=1e-9)


@every_case("stepper", [FastStepper, PlainStepper, DeviceStepper])
@every_case("layer", ["layer 1", "layer 3", "output"])
def test_a_non_finite_weight_stops_the_network_and_names_the_layer(
    stepper: type[FastStepper | PlainStepper], layer: str
) -> None:
    experiment = Experiment(RunConfig(depth=3, device="cpu"))
    for learner in experiment.learners.values():
        learner.stepper = stepper(learner.network, learner.optimizer, learner.monitor)
    for _ in range(3):
        experiment.step()
    experiment.networks["none"].parameters()[f"{layer}.weight"][1, 1] = torch.inf
    kept = experiment.networks["none"].flat.clone()
    for _ in range(3):
        experiment.step()
    assert experiment.states() == {"none": "diverged", "batch": "learning"}
    found = experiment.breaks()["none"]
    assert found is not None
    assert (found.step, found.layer, found.reason) == (3, layer, "a non-finite value")
    assert experiment.networks["none"].flat.equal(kept)
    assert experiment.breaks()["batch"] is None
