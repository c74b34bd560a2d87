"""Forward and backward pass of whole networks, compared with an autograd twin in float64."""

import pytest
import torch
from torch import Tensor, nn

from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.loss import cross_entropy
from bnviz.networks.mlp import MLP
from tests.every_case import every_case

FEATURES, CLASSES = 5, 4
# Norms that torch has too. The other norms are compared with autograd in test_autograd.py.
NORMS = ("none", "batch", "layer", "rms")
TIGHT = {"rtol": 1e-9, "atol": 1e-12}
PHI = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "gelu": nn.functional.gelu,
    "linear": lambda z: z * 1.0,
}


class Twin:
    """The same network built from torch's modules. It keeps the gradient of every intermediate."""

    def __init__(self, network: MLP, config: RunConfig, norm: str) -> None:
        self.config = config
        self.phi = PHI[config.activation]
        self.parameters = {
            name: value.detach().clone().requires_grad_()
            for name, value in network.parameters().items()
        }
        self.norm = norm
        self.kept: dict[str, Tensor] = {}

    def keep(self, name: str, value: Tensor) -> Tensor:
        if not value.requires_grad:
            value = value.requires_grad_()
        value.retain_grad()
        self.kept[name] = value
        return value

    def normalize(self, name: str, x: Tensor) -> Tensor:
        gamma, beta = (self.parameters.get(f"{name}.{key}") for key in ("gamma", "beta"))
        eps, shape = self.config.norm_eps, x.shape[1:]
        if self.norm == "batch":
            return nn.functional.batch_norm(x, None, None, gamma, beta, training=True, eps=eps)
        if self.norm == "layer":
            return nn.functional.layer_norm(x, shape, gamma, beta, eps)
        if self.norm == "rms":
            return nn.functional.rms_norm(x, shape, gamma, eps)
        return x * 1.0

    def forward(self, inputs: Tensor) -> Tensor:
        h = inputs
        for index in range(self.config.depth):
            name = f"layer {index + 1}"
            weight, bias = (self.parameters.get(f"{name}.{key}") for key in ("weight", "bias"))
            z = self.keep(f"{name}.pre_activation", nn.functional.linear(h, weight, bias))
            if self.config.norm_position == "before":
                z = self.keep(f"{name}.normalized", self.normalize(name, z))
                h = self.keep(f"{name}.activation", self.phi(z))
            else:
                h = self.keep(f"{name}.activation", self.phi(z))
                h = self.keep(f"{name}.normalized", self.normalize(name, h))
        weight, bias = self.parameters["output.weight"], self.parameters["output.bias"]
        return self.keep("output.logits", nn.functional.linear(h, weight, bias))


def shake(network: MLP) -> None:
    """Add noise to all parameters, so that they differ from their simple initial values."""
    generator = torch.Generator().manual_seed(4)
    for value in network.parameters().values():
        value += 0.3 * torch.randn(value.shape, generator=generator, dtype=value.dtype)


def batch(size: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(size, FEATURES, generator=generator, dtype=torch.float64)
    return inputs, torch.randint(0, CLASSES, (size,), generator=generator)


def check(config: RunConfig, norm: str, size: int) -> None:
    network = build_network(config, norm, FEATURES, CLASSES, dtype=torch.float64)
    shake(network)
    inputs, labels = batch(size)
    twin = Twin(network, config, norm)
    logits = twin.forward(inputs)
    expected_loss = nn.functional.cross_entropy(logits, labels)
    expected_loss.backward()

    trace = network.forward(inputs, training=True)
    loss, gradients = network.backward(trace, labels)

    assert loss == pytest.approx(float(expected_loss.detach()), rel=1e-12)
    torch.testing.assert_close(trace.logits, logits.detach(), **TIGHT)
    torch.testing.assert_close(gradients.output.logits, logits.grad, **TIGHT)
    for layer, found in zip(trace.layers, gradients.layers, strict=True):
        for name in ("pre_activation", "normalized", "activation"):
            kept = twin.kept[f"{layer.name}.{name}"]
            torch.testing.assert_close(getattr(layer, name), kept.detach(), **TIGHT)
            torch.testing.assert_close(getattr(found, name), kept.grad, **TIGHT)
    named = network.named_gradients(gradients)
    assert set(named) == set(network.parameters()) == set(twin.parameters)
    for name, value in twin.parameters.items():
        torch.testing.assert_close(named[name], value.grad, **TIGHT)


@every_case("position", ["before", "after"])
@every_case("affine", [True, False])
@every_case("norm", NORMS)
def test_every_gradient_matches_autograd(norm: str, affine: bool, position: str) -> None:
    config = RunConfig(depth=3, width=6, norm_affine=affine, norm_position=position, norm_eps=1e-3)
    check(config, norm, size=8)


@every_case("position", ["before", "after"])
@every_case("activation", ACTIVATIONS)
@every_case("norm", ["none", "batch"])
def test_every_activation_matches_autograd(norm: str, activation: str, position: str) -> None:
    config = RunConfig(depth=2, width=6, activation=activation, norm_position=position)
    check(config, norm, size=8)


@every_case("size", [1, 2])
@every_case("norm", NORMS)
def test_tiny_batches_match_autograd(norm: str, size: int) -> None:
    size = 2 if norm == "batch" else size
    check(RunConfig(depth=2, width=6, norm_eps=0.1), norm, size)


def test_one_hidden_layer_and_two_units() -> None:
    check(RunConfig(depth=1, width=2, norm_eps=0.1), "batch", 5)


def test_same_initial_weights_whatever_the_norm() -> None:
    networks = [build_network(RunConfig(), norm, 64, 10) for norm in NORMS]
    for network in networks[1:]:
        for name in (*network.layer_names, "output"):
            weight = network.parameters()[f"{name}.weight"]
            assert weight.equal(networks[0].parameters()[f"{name}.weight"])


@every_case(
    ("norm", "position", "affine", "expected"),
    [
        ("none", "before", True, True),
        ("batch", "before", True, False),
        ("batch", "before", False, False),
        ("batch", "after", True, True),
        ("layer", "before", True, False),
        ("layer", "before", False, True),
        ("rms", "before", True, True),
    ],
)
def test_no_bias_where_the_norm_would_take_it_out(
    norm: str, position: str, affine: bool, expected: bool
) -> None:
    config = RunConfig(norm_position=position, norm_affine=affine)
    assert ("layer 1.bias" in build_network(config, norm, 64, 10).parameters()) == expected


def test_parameters_are_views_that_act_in_place() -> None:
    network = build_network(RunConfig(depth=2), "batch", 64, 10)
    for value in (*network.parameters().values(), *network.buffers().values()):
        value.fill_(0.5)
    assert network.layers[1].norm.gamma is not None
    assert network.layers[1].norm.gamma.eq(0.5).all()
    assert network.layers[1].norm.buffers["running_var"].eq(0.5).all()
    assert network.output_weight.eq(0.5).all()
    assert network.parameters()["layer 1.weight"].shape == (100, 64)
    assert len(network.buffers()) == 4


def test_forward_and_backward_change_nothing() -> None:
    network = build_network(RunConfig(depth=2), "batch", FEATURES, CLASSES, dtype=torch.float64)
    kept = network.flat.clone()
    statistics = {name: value.clone() for name, value in network.buffers().items()}
    inputs, labels = batch(6)
    network.backward(network.forward(inputs, training=True), labels)
    assert network.flat.equal(kept)
    assert all(value.equal(statistics[name]) for name, value in network.buffers().items())


def test_cross_entropy_survives_extreme_logits() -> None:
    logits = torch.tensor([[1e30, 0.0], [-1e30, 0.0]], dtype=torch.float64)
    loss, gradient = cross_entropy(logits, torch.tensor([0, 1]))
    assert loss.item() == 0
    assert torch.isfinite(gradient).all()
