"""Gradients and Jacobians of all networks with every norm, compared with autograd in float64."""

import torch
from torch import Tensor, nn

from bnviz.config import RunConfig
from bnviz.networks import NETWORKS
from bnviz.networks.base import Network
from bnviz.networks.build import build_network
from bnviz.norms import norms_for
from tests.every_case import every_case

CLASSES, FEATURES, BATCH = 4, 64, 6
TIGHT = {"rtol": 1e-8, "atol": 1e-11}
SIZES = {
    "mlp": {"depth": 3, "width": 8},
    "conv": {"depth": 3, "width": 4},
    "recurrent": {"width": 8, "recurrent_gamma": 0.7},
}
CASES = [
    (network, norm) for network in NETWORKS for norm in norms_for(network)
]  # fmt: skip


def make(network: str, norm: str, **knobs) -> Network:
    # A large ε keeps the matrices of whitening far from singular.
    knobs = {"norm_eps": 0.05, "ghost_size": 2, "norms": (norm,), **SIZES[network], **knobs}
    made = build_network(RunConfig(network=network, **knobs), norm, FEATURES, CLASSES,
                         dtype=torch.float64)  # fmt: skip
    generator = torch.Generator().manual_seed(4)
    for value in made.parameters().values():
        value += 0.2 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
    made.step = 3
    return made


def batch(size: int = BATCH) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(size, FEATURES, generator=generator, dtype=torch.float64)
    return inputs, torch.randint(0, CLASSES, (size,), generator=generator)


def settle(network: Network) -> Network:
    """Update the running averages with a few mini-batches, and return the network."""
    for _ in range(3):
        network.update_statistics(network.forward(batch()[0], training=True))
    return network


@every_case("training", [True, False])
@every_case(("kind", "norm"), CASES)
def test_every_gradient_matches_autograd(kind: str, norm: str, training: bool) -> None:
    network = settle(make(kind, norm))
    inputs, labels = batch()
    flat = network.flat.clone().requires_grad_()
    twin = network.twin(flat)
    traced = twin.forward(inputs, training=training)
    for layer in traced.layers:
        layer.nonlinearity_input.retain_grad()
        layer.activation.retain_grad()
    nn.functional.cross_entropy(traced.logits, labels).backward()

    with torch.no_grad():
        trace = network.forward(inputs, training=training)
        _, gradients = network.backward(trace, labels)
        named = network.named_gradients(gradients)

    torch.testing.assert_close(trace.logits, traced.logits.detach(), **TIGHT)
    expected = network.views(flat.grad)
    assert set(named) == set(expected)
    for name, value in named.items():
        torch.testing.assert_close(value, expected[name], **TIGHT, msg=name)
    for found, layer in zip(gradients.layers, traced.layers, strict=True):
        torch.testing.assert_close(found.activation, layer.activation.grad, **TIGHT)
        if network.norm_first:
            torch.testing.assert_close(found.normalized, layer.normalized.grad, **TIGHT)


@every_case("statistics", ["both", "mean", "variance"])
@every_case("kind", NETWORKS)
def test_constants_of_bn_taken_apart_are_constants_to_autograd(kind: str, statistics: str) -> None:
    knobs = {"ablation_statistics": statistics, "ablation_gradient": False, "ablation_bias": True}
    network = make(kind, "ablated", **knobs)
    inputs, labels = batch()
    flat = network.flat.clone().requires_grad_()
    logits = network.twin(flat).forward(inputs, training=True).logits
    nn.functional.cross_entropy(logits, labels).backward()
    _, gradients = network.backward(network.forward(inputs, training=True), labels)
    expected = network.views(flat.grad)
    for name, value in network.named_gradients(gradients).items():
        torch.testing.assert_close(value, expected[name], **TIGHT, msg=name)


@every_case(("kind", "norm"), CASES)
def test_layer_jacobians_match_autograd(kind: str, norm: str) -> None:
    network = settle(make(kind, norm))
    inputs = batch(2)[0]
    with torch.no_grad():
        trace = network.forward(inputs, training=False)
    for index in range(len(trace.layers)):
        found = network.layer_jacobian(trace, index, 2)
        torch.testing.assert_close(found, reference_jacobian(network, inputs, index), **TIGHT)
        narrow = torch.linalg.svdvals(network.layer_jacobian(trace, index, 2, narrow=True))
        torch.testing.assert_close(narrow, torch.linalg.svdvals(found), rtol=1e-6, atol=1e-9)


def reference_jacobian(network: Network, inputs: Tensor, index: int) -> Tensor:
    """Compute with autograd the Jacobian of a layer with respect to the layer below.

    At inference, examples do not affect each other. So the gradient of a sum over examples contains
    the gradient of each example.
    """
    twin = network.twin(network.flat.clone().requires_grad_())
    inputs = inputs.clone().requires_grad_()
    trace = twin.forward(inputs, training=False)
    output = trace.layers[index].output.flatten(1)
    below = trace.layers[index - 1].output if index else inputs
    rows = []
    for total in output.sum(0):
        (gradient,) = torch.autograd.grad(total, below, retain_graph=True)
        # keep only the first of 8 rows of a sequence
        if not index and len(network.layer_names) == 8:
            gradient = gradient[:, :8]
        rows.append(gradient.flatten(1))
    return torch.stack(rows, dim=1)


@every_case(("kind", "norm"), CASES)
def test_the_input_jacobian_matches_autograd(kind: str, norm: str) -> None:
    network = settle(make(kind, norm))
    inputs = batch(3)[0]
    with torch.no_grad():
        found = network.input_jacobian(network.forward(inputs, training=False), 3)
    expected = torch.autograd.functional.jacobian(
        lambda rows: network.twin(network.flat).forward(rows, training=False).logits.sum(0), inputs
    )
    torch.testing.assert_close(found, expected.transpose(0, 1), **TIGHT)


@every_case("norm", ["none", "batch"])
def test_a_convolutional_network_is_torchs(norm: str) -> None:
    network = make("conv", norm, activation="relu")
    modules: list[nn.Module] = [nn.Unflatten(1, (1, 8))]
    for index, layer in enumerate(network.layers):
        channels, inputs, kernel, _ = layer.weight.shape
        conv = nn.Conv2d(inputs, channels, kernel, 1 if index else 2, 1, bias=norm == "none")
        conv.weight.data = layer.weight.clone()
        if layer.bias is not None:
            conv.bias.data = layer.bias.clone()
        modules.append(conv)
        if norm == "batch":
            module = nn.BatchNorm2d(channels, eps=0.05)
            module.weight.data, module.bias.data = layer.norm.gamma.clone(), layer.norm.beta.clone()
            modules.append(module)
        modules.append(nn.ReLU())
    head = nn.Linear(network.output_weight.shape[1], CLASSES)
    head.weight.data = network.output_weight.clone()
    head.bias.data = network.output_bias.clone()
    model = nn.Sequential(*modules, nn.Flatten(), head).double()
    model[0] = nn.Unflatten(1, (1, 8, 8))
    inputs = batch()[0]
    for training in (True, False):
        if not training:
            network.update_statistics(network.forward(inputs, training=True))
        expected = model.train(training)(inputs)
        found = network.forward(inputs, training=training).logits
        torch.testing.assert_close(found, expected.detach(), **TIGHT)


def test_a_recurrent_network_is_torchs() -> None:
    network = make("recurrent", "none")
    module = nn.RNN(8, 8, batch_first=True).double()
    with torch.no_grad():
        module.weight_ih_l0.copy_(network.parameters()["input.weight"])
        module.weight_hh_l0.copy_(network.parameters()["recurrent.weight"])
        module.bias_ih_l0.copy_(network.parameters()["bias"])
        module.bias_hh_l0.zero_()
    inputs = batch()[0]
    states = module(inputs.view(BATCH, 8, 8))[0].detach()
    trace = network.forward(inputs, training=True)
    for index, layer in enumerate(trace.layers):
        torch.testing.assert_close(layer.activation, states[:, index], **TIGHT)


def test_recurrent_batch_normalization_is_that_of_its_paper() -> None:
    network = make("recurrent", "batch")
    parameters = network.parameters()
    state, inputs = None, batch()[0].view(BATCH, 8, 8)
    normalize = {"running_mean": None, "running_var": None, "training": True, "eps": 0.05}
    for step in range(8):
        total = nn.functional.batch_norm(
            inputs[:, step] @ parameters["input.weight"].t(), weight=parameters["input.gamma"],
            **normalize,
        )  # fmt: skip
        if state is not None:
            total = total + nn.functional.batch_norm(
                state @ parameters["recurrent.weight"].t(), weight=parameters["recurrent.gamma"],
                **normalize,
            )  # fmt: skip
        state = torch.tanh(total + parameters["bias"])
    trace = network.forward(batch()[0], training=True)
    torch.testing.assert_close(trace.layers[-1].activation, state, **TIGHT)


def test_recurrent_statistics_are_kept_for_every_time_step() -> None:
    network = settle(make("recurrent", "batch"))
    buffers = network.buffers()
    assert len(buffers) == 2 * 2 * 8
    first, last = (buffers[f"time {step}.input.running_var"] for step in (1, 8))
    assert not torch.equal(first, last)
    # Before the first time step there is no state to normalize.
    assert torch.equal(buffers["time 1.recurrent.running_mean"], torch.zeros(8).double())


def test_an_ablation_of_some_time_steps_keeps_the_gradients_of_the_others() -> None:
    network = settle(make("recurrent", "ablated", ablation_layers=(1, 4)))
    inputs, labels = batch()
    flat = network.flat.clone().requires_grad_()
    network.loss(network.twin(flat).forward(inputs, training=True).logits, labels)[0].backward()
    _, gradients = network.backward(network.forward(inputs, training=True), labels)
    assert flat.grad is not None
    expected = network.views(flat.grad)
    for name, gradient in network.named_gradients(gradients).items():
        torch.testing.assert_close(gradient, expected[name], **TIGHT)


def test_gamma_begins_where_the_knob_says() -> None:
    for gamma in (0.1, 1.0):
        config = RunConfig(network="recurrent", recurrent_gamma=gamma)
        network = build_network(config, "batch", FEATURES, CLASSES)
        for term in ("input", "recurrent"):
            assert torch.all(network.parameters()[f"{term}.gamma"] == gamma)


@every_case(("kind", "norm"), CASES)
def test_a_twin_reads_other_parameters_and_shares_nothing_it_is_told_to_copy(
    kind: str, norm: str
) -> None:
    network = make(kind, norm)
    inputs = batch()[0]
    before = network.forward(inputs, training=True).logits
    twin = network.twin(network.flat.clone(), copy_buffers=True)
    torch.testing.assert_close(twin.forward(inputs, training=True).logits, before, rtol=0, atol=0)
    kept = {name: value.clone() for name, value in network.buffers().items()}
    twin.flat.mul_(2)
    twin.update_statistics(twin.forward(inputs, training=True))
    assert not torch.equal(twin.forward(inputs, training=True).logits, before)
    torch.testing.assert_close(
        network.forward(inputs, training=True).logits, before, rtol=0, atol=0
    )
    for name, value in network.buffers().items():
        assert torch.equal(value, kept[name])
