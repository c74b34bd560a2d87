"""Skip connections compared with torch and autograd in float64, and initial branch weights."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from bnviz.config import ConfigError, RunConfig
from bnviz.networks.build import build_network
from bnviz.networks.mlp import MLP
from bnviz.networks.skips import block_count, skip_sources
from bnviz.norms import NORMS, norms_for
from bnviz.sizes import size_of
from tests.every_case import every_case

FEATURES, CLASSES, WIDTH, BATCH = 5, 4, 6, 8
TIGHT = {"rtol": 1e-8, "atol": 1e-11}
ADDED_TO = [norm for norm in norms_for("mlp") if NORMS[norm].skips]
PHI = {"tanh": torch.tanh, "relu": torch.relu}


def make(norm: str, *, shaken: bool = True, **knobs) -> MLP:
    # Whitening needs an ε large enough to avoid singular matrices.
    knobs = {"depth": 6, "width": WIDTH, "skip": 2, "norms": (norm,), "norm_eps": 0.05,
             "norm_groups": 2} | knobs  # fmt: skip
    config = RunConfig(**knobs)
    network = build_network(config, norm, FEATURES, CLASSES, dtype=torch.float64)
    generator = torch.Generator().manual_seed(4)
    for value in network.parameters().values() if shaken else ():
        value += 0.3 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
    network.step = 3
    return network


def batch(size: int = BATCH) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(size, FEATURES, generator=generator, dtype=torch.float64)
    return inputs, torch.randint(0, CLASSES, (size,), generator=generator)


def settled(network: MLP) -> MLP:
    """Update the running averages with a few mini-batches, and return the network."""
    for _ in range(3):
        network.update_statistics(network.forward(batch()[0], training=True))
    return network


@every_case(
    ("depth", "skip", "expected"),
    [
        (6, 0, (None,) * 6),
        (5, 2, (None, None, 0, None, 2)),
        (6, 2, (None, None, 0, None, 2, None)),
        (4, 1, (None, 0, 1, 2)),
        (7, 3, (None, None, None, 0, None, None, 3)),
        (3, 3, (None, None, None)),
        (1, 1, (None,)),
    ],
)
def test_blocks_begin_at_layer_1_and_layers_that_are_left_over_are_plain(
    depth: int, skip: int, expected: tuple[int | None, ...]
) -> None:
    assert skip_sources(depth, skip) == expected
    assert block_count(depth, skip) == depth - expected.count(None)


def written_out(network: MLP, inputs: Tensor, skip: int, *, norm: str, phi: str) -> list[Tensor]:
    """Compute the pre-activation, the normalized value and the activation of each layer, and then
    the logits.
    """
    values, found = network.parameters(), []

    def layer(number: int, h: Tensor, added: Tensor | None = None) -> Tensor:
        name = f"layer {number}"
        z = nn.functional.linear(h, values[f"{name}.weight"], values.get(f"{name}.bias"))
        y = z * 1.0
        if norm == "batch":
            gamma, beta = values[f"{name}.gamma"], values[f"{name}.beta"]
            y = nn.functional.batch_norm(z, None, None, gamma, beta, training=True, eps=0.05)
        out = PHI[phi](y if added is None else y + added)
        found.extend([z, y, out])
        return out

    h, number, depth = layer(1, inputs), 2, len(network.layers)
    while number + skip - 1 <= depth:
        block = h
        for place in range(skip):
            h = layer(number + place, h, block if place == skip - 1 else None)
        number += skip
    for left in range(number, depth + 1):
        h = layer(left, h)
    return [*found, nn.functional.linear(h, values["output.weight"], values["output.bias"])]


@every_case("skip", [1, 2, 3, 5])
@every_case(("norm", "phi"), [("none", "tanh"), ("batch", "relu")])
def test_values_and_gradients_are_those_of_blocks_written_out(
    norm: str, phi: str, skip: int
) -> None:
    network = make(norm, depth=6, skip=skip, activation=phi)
    inputs, labels = batch()
    flat = network.flat.clone().requires_grad_()
    *expected, logits = written_out(network.twin(flat), inputs, skip, norm=norm, phi=phi)
    for value in expected:
        value.retain_grad()
    nn.functional.cross_entropy(logits, labels).backward()

    trace = network.forward(inputs, training=True)
    loss, gradients = network.backward(trace, labels)

    torch.testing.assert_close(trace.logits, logits.detach(), **TIGHT)
    assert loss == pytest.approx(float(nn.functional.cross_entropy(logits.detach(), labels)))
    found = [(getattr(values, part), getattr(slope, part))
             for values, slope in zip(trace.layers, gradients.layers, strict=True)
             for part in ("pre_activation", "normalized", "activation")]  # fmt: skip
    for (value, gradient), twin in zip(found, expected, strict=True):
        torch.testing.assert_close(value, twin.detach(), **TIGHT)
        torch.testing.assert_close(gradient, twin.grad, **TIGHT)
    by_name = network.views(flat.grad)
    for name, value in network.named_gradients(gradients).items():
        torch.testing.assert_close(value, by_name[name], **TIGHT, msg=name)


@every_case("training", [True, False])
@every_case("norm", ADDED_TO)
def test_every_norm_has_the_gradients_of_autograd(norm: str, training: bool) -> None:
    network = settled(make(norm, activation="tanh"))
    inputs, labels = batch()
    flat = network.flat.clone().requires_grad_()
    logits = network.twin(flat).forward(inputs, training=training).logits
    nn.functional.cross_entropy(logits, labels).backward()
    expected = network.views(flat.grad)
    trace = network.forward(inputs, training=training)
    named = network.named_gradients(network.backward(trace, labels)[1])
    assert set(named) == set(expected)
    for name, value in named.items():
        torch.testing.assert_close(value, expected[name], **TIGHT, msg=name)


@every_case("skip", [1, 2])
@every_case("norm", ADDED_TO)
def test_the_input_jacobian_has_what_comes_past_the_branches(norm: str, skip: int) -> None:
    network = settled(make(norm, skip=skip))
    inputs = batch(3)[0]
    found = network.input_jacobian(network.forward(inputs, training=False), 3)
    expected = torch.autograd.functional.jacobian(
        lambda rows: network.twin(network.flat).forward(rows, training=False).logits.sum(0), inputs
    )
    torch.testing.assert_close(found, expected.transpose(0, 1), **TIGHT)


@every_case("skip", [1, 2])
@every_case("norm", ADDED_TO)
def test_a_layers_jacobian_is_along_its_branch(norm: str, skip: int) -> None:
    network = settled(make(norm, skip=skip))
    inputs = batch(2)[0].requires_grad_()
    traced = network.twin(network.flat.clone()).forward(inputs, training=False)
    with torch.no_grad():
        trace = network.forward(inputs, training=False)
    for index, layer in enumerate(traced.layers):
        below = traced.layers[index - 1].output if index else inputs
        rows = [torch.autograd.grad(total, below, retain_graph=True)[0]
                for total in layer.output.sum(0)]  # fmt: skip
        expected = torch.stack(rows, dim=1)
        # a skip over one layer starts at the same input, so subtract its Jacobian
        if skip == 1 and index:
            expected = expected - torch.diag_embed(network.slope(trace, index, 2))
        torch.testing.assert_close(network.layer_jacobian(trace, index, 2), expected, **TIGHT)


@every_case("cut", range(1, 6))
@every_case("norm", ["none", "batch"])
def test_known_lower_layers_give_the_same_also_within_a_block(norm: str, cut: int) -> None:
    network = make(norm)
    inputs, labels = batch()
    whole = network.forward(inputs, training=True)
    known = whole.layers[:cut]
    again = network.forward(inputs, training=True, known=known)
    assert torch.equal(again.logits, whole.logits)
    _, all_gradients = network.backward(whole, labels)
    _, upper = network.backward(again, labels, lowest=cut)
    for found, expected in zip(upper.layers, all_gradients.layers[cut:], strict=True):
        assert torch.equal(found.weight, expected.weight)


def blocks_of(network: MLP, skip: int) -> list[list[int]]:
    ends = [index for index, source in enumerate(network.skip_from) if source is not None]
    return [list(range(end - skip + 1, end + 1)) for end in ends]


@every_case("start", [0.0, 0.25])
@every_case("norm", ["batch", "layer", "rms"])
def test_branches_begin_by_their_last_gamma(norm: str, start: float) -> None:
    first = make(norm, shaken=False).parameters()
    network = make(norm, shaken=False, branch_start=start)
    last = {network.layer_names[block[-1]] for block in blocks_of(network, 2)}
    assert last == {"layer 3", "layer 5"}
    for name, value in network.parameters().items():
        layer, _, key = name.rpartition(".")
        changed = layer in last and key == "gamma"
        torch.testing.assert_close(value, first[name] * (start if changed else 1))


@every_case(("norm", "affine"), [("none", True), ("batch", False)])
def test_without_a_gamma_branches_begin_by_their_last_weights(norm: str, affine: bool) -> None:
    first = make(norm, shaken=False, norm_affine=affine).parameters()
    network = make(norm, shaken=False, norm_affine=affine, branch_start=0.25)
    for name, value in network.parameters().items():
        changed = name in ("layer 3.weight", "layer 5.weight")
        torch.testing.assert_close(value, first[name] * (0.25 if changed else 1))


@every_case(
    ("depth", "skip", "factor"), [(6, 2, 2**-0.5), (50, 2, 24**-0.5), (7, 3, 2**-0.25), (4, 1, 1)]
)
def test_without_a_norm_branches_that_begin_as_nothing_are_scaled_as_fixup_does(
    depth: int, skip: int, factor: float
) -> None:
    first = make("none", shaken=False, depth=depth, skip=skip).parameters()
    network = make("none", shaken=False, depth=depth, skip=skip, branch_start=0)
    blocks = blocks_of(network, skip)
    inner = {network.layer_names[index] for block in blocks for index in block[:-1]}
    last = {network.layer_names[block[-1]] for block in blocks}
    for name, value in network.parameters().items():
        layer, _, key = name.rpartition(".")
        scale = {True: factor if layer in inner else 0 if layer in last else 1, False: 1}
        torch.testing.assert_close(value, first[name] * scale[key == "weight"], msg=name)


@every_case("norm", ["none", "batch"])
def test_branches_that_begin_as_nothing_leave_layer_1_as_it_is(norm: str) -> None:
    network = make(norm, shaken=False, depth=5, branch_start=0, activation="relu")
    trace = network.forward(batch()[0], training=True)
    for lower, upper in pairwise(trace.layers[::2]):
        assert torch.equal(upper.output, lower.output)


def test_where_bn_taken_apart_leaves_out_a_whole_branch_that_one_is_scaled() -> None:
    knobs = {"depth": 5, "ablation_layers": (1, 2, 3), "shaken": False}
    first, network = make("ablated", **knobs), make("ablated", branch_start=0, **knobs)
    factors = {"layer 4.weight": 2**-0.5, "layer 5.weight": 0, "layer 3.gamma": 0}
    for name, value in network.parameters().items():
        torch.testing.assert_close(value, first.parameters()[name] * factors.get(name, 1))


def test_no_skips_and_too_few_layers_for_one_are_the_plain_network() -> None:
    plain = build_network(RunConfig(depth=3, width=WIDTH), "none", FEATURES, CLASSES)
    for knobs in ({"branch_start": 0}, {"skip": 3, "branch_start": 0}):
        other = build_network(RunConfig(depth=3, width=WIDTH, **knobs), "none", FEATURES, CLASSES)
        assert torch.equal(other.flat, plain.flat)
        inputs = batch()[0].float()
        found, expected = (each.forward(inputs, training=True) for each in (other, plain))
        assert torch.equal(found.logits, expected.logits)


def test_the_sums_count_among_the_hidden_values() -> None:
    plain, skips = (size_of(RunConfig(depth=6, skip=skip)) for skip in (0, 2))
    assert skips.values == plain.values + 2 * 100
    assert skips.parameters == plain.parameters


@every_case(
    ("knobs", "allowed"),
    [
        ({"norm_position": "after"}, "0 with normalization after the nonlinearity"),
        ({"network": "conv"}, "0 in a convolutional network"),
        ({"network": "recurrent"}, "0 in a recurrent network"),
        ({"norms": ("none", "dropout")}, "0 with dropout, which acts after the nonlinearity"),
    ],
)
def test_skips_are_refused_where_they_have_no_place(knobs: dict, allowed: str) -> None:
    RunConfig(**knobs, branch_start=0.5)
    with pytest.raises(ConfigError) as caught:
        RunConfig(**knobs, skip=2)
    assert str(caught.value) == f"`skip` must be {allowed}, got 2."
