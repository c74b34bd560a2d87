"""Every norm compared with autograd of plain formulas and of torch's layers, in float64."""

from itertools import product

import pytest
import torch
from torch import Tensor

from bnviz.config import KNOBS
from bnviz.networks import NETWORKS
from bnviz.norms import NORMS
from bnviz.norms.base import Norm, NormLayers, TensorKernels
from bnviz.norms.kernels import share
from tests.every_case import every_case
from tests.norms.making import EPS, KINDS, MAP, TIGHT, WIDTH, by_own_batch, defined, make, values
from tests.norms.references import REFERENCES
from tests.pairs import pairs

# Training mode uses batch sizes below and above the number of units. At inference, each example is
# independent.
BATCHES = [(True, 1), (True, 2), (True, 5), (True, 20), (False, 1), (False, 5)]
MODES = pairs(
    KINDS,
    BATCHES,
    [True, False],
    fits=lambda kind, mode, _: not mode[0] or defined(kind[0], mode[1], kind[1]),
)
FLAT = [name for name, positions in KINDS if not positions]


def differentiated(norm: Norm, x: Tensor, dy: Tensor, training: bool) -> tuple[Tensor, ...]:
    """Return the reference's output, and its gradients with respect to x and each parameter."""
    x = x.clone().requires_grad_()
    for value in norm.parameters.values():
        value.requires_grad_()
    y = REFERENCES[norm.name](norm, x, training)
    gradients = torch.autograd.grad(y, [x, *norm.parameters.values()], dy)
    for value in norm.parameters.values():
        value.requires_grad_(False)
    return y.detach(), *gradients


@every_case("name", NORMS)
def test_entry_names_its_class_its_knobs_and_its_networks(name: str) -> None:
    entry = NORMS[name]
    assert make(name).name == name
    assert set(entry.options.values()) <= set(KNOBS)
    defaults = {option: KNOBS[knob].default for option, knob in entry.options.items()}
    assert entry.resolve()(WIDTH, **defaults).name == name
    assert set(entry.networks) <= set(NETWORKS)
    assert entry.drops == make(name).drops
    assert entry.affine or not {"gamma", "beta"} & set(make(name).parameters)


@every_case(("kind", "mode", "affine"), MODES)
def test_forward_and_backward_match_the_reference(
    kind: tuple[str, tuple[int, ...]], mode: tuple[bool, int], affine: bool
) -> None:
    (name, positions), (training, batch) = kind, mode
    norm = make(name, affine=affine)
    x, dy = values(batch, positions), values(batch, positions, seed=2)
    expected, dx, *others = differentiated(norm, x, dy, training)

    y, cache = norm.forward(x, training=training)
    found = norm.backward(dy, cache)

    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(found, dx, rtol=1e-9, atol=1e-11)
    assert list(norm.gradients) == list(norm.parameters)
    for name, gradient in zip(norm.parameters, others, strict=True):
        torch.testing.assert_close(norm.gradients[name], gradient, **TIGHT)


# Cases for second derivatives. At inference, only norms that normalize single examples are
# included, because the others are affine.
TWICE = [
    (name, positions, training)
    for name, positions in KINDS
    for training in (True, False)
    if training or NORMS[name].shelf == "example"
]


@every_case(("name", "positions", "training"), TWICE)
def test_autograd_finds_the_same_gradient_once_and_twice(
    name: str, positions: tuple[int, ...], training: bool
) -> None:
    norm = make(name, eps=0.1)
    x = values(16, positions).requires_grad_()
    dy, probe = values(16, positions, seed=2), values(16, positions, seed=3)

    y, cache = norm.forward(x, training=training)
    (by_autograd,) = torch.autograd.grad(y, x, dy, create_graph=True)
    written_out = norm.backward(dy, cache)

    torch.testing.assert_close(written_out, by_autograd, rtol=1e-9, atol=1e-11)
    second = [
        torch.autograd.grad(first, x, probe, retain_graph=True, materialize_grads=True)[0]
        if first.requires_grad else torch.zeros_like(x)
        for first in (by_autograd, written_out)
    ]  # fmt: skip
    torch.testing.assert_close(second[1], second[0], rtol=1e-8, atol=1e-10)
    norm.step = 0  # at step 0, batch renormalization has no undifferentiated factors
    # The zero keeps a second derivative in the graph where the norm is linear.
    assert torch.autograd.gradgradcheck(
        lambda v: norm.forward(v, training=training)[0] + 0 * v**3, [x], [dy], fast_mode=True
    )


@every_case("training", [True, False])
@every_case(("name", "positions"), KINDS)
def test_forward_and_backward_change_nothing_but_gradients(
    name: str, positions: tuple[int, ...], training: bool
) -> None:
    norm = make(name)
    before = {key: value.clone() for key, value in {**norm.parameters, **norm.buffers}.items()}
    x, dy = values(4, positions), values(4, positions, seed=2)
    kept = x.clone(), dy.clone()
    state = torch.random.get_rng_state()
    _, cache = norm.forward(x, training=training)
    norm.backward(dy, cache)
    norm.batch_statistics(cache)
    assert x.equal(kept[0])
    assert dy.equal(kept[1])
    assert torch.random.get_rng_state().equal(state)
    for key, value in {**norm.parameters, **norm.buffers}.items():
        assert value.equal(before[key]), key


@every_case(("name", "positions"), KINDS)
def test_results_do_not_depend_on_how_x_lies_in_memory(
    name: str, positions: tuple[int, ...]
) -> None:
    norm = make(name)
    x, dy = values(5, positions), values(5, positions, seed=2)
    expected, cache = norm.forward(x, training=True)
    dx = norm.backward(dy, cache)
    x, dy = (each.transpose(0, 1).contiguous().transpose(0, 1) for each in (x, dy))
    y, cache = norm.forward(x, training=True)
    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(norm.backward(dy, cache), dx, **TIGHT)


@every_case("affine", [True, False])
@every_case("dtype", [torch.float32, torch.float64])
@every_case("name", FLAT)
def test_inference_jacobian_matches_autograd(name: str, dtype: torch.dtype, affine: bool) -> None:
    norm = make(name, affine=affine, dtype=dtype)
    row = values(1)[0]  # always float64, because a probe may be more precise than the norm
    expected = torch.autograd.functional.jacobian(
        lambda x: norm.forward(x[None], training=False)[0][0], row
    )
    found = norm.inference_jacobian(row)
    if found.ndim == 1:
        found = torch.diag(found)
    loose = {} if dtype == torch.float64 else {"rtol": 1e-5, "atol": 1e-6}
    torch.testing.assert_close(found.double(), expected.double(), **TIGHT | loose)


@every_case(("name", "positions"), KINDS)
def test_inference_affine_is_the_inference_pass(name: str, positions: tuple[int, ...]) -> None:
    norm = make(name)
    folded = norm.inference_affine()
    if folded is None:
        if name != "none" and not positions:
            first, second = (norm.inference_jacobian(row) for row in values(2))
            assert first.dim() == 2 or not first.equal(second), "it must return scale and shift"
        return
    scale, shift = (value.view(-1, *[1] * len(positions)) for value in folded)
    x = values(3, positions)
    torch.testing.assert_close(x * scale + shift, norm.forward(x, training=False)[0], **TIGHT)


@every_case("name", NORMS)
def test_a_norm_with_a_shift_or_a_mean_needs_no_bias_before_it(name: str) -> None:
    norm = make(name)
    norm.step = 0  # at later steps, batch renormalization lets part of a shift through
    x, bias = values(5, MAP), values(1)[0].view(-1, 1, 1)
    plain, moved = (norm.forward(each, training=True)[0] for each in (x, x + bias))
    # A norm of single examples may remove a shift, but if it has no β, the layer keeps its bias.
    centred = by_own_batch(name) and moved.allclose(plain, rtol=1e-9, atol=1e-10)
    centred |= name == "moment_noise"  # its running mean absorbs the bias
    assert norm.absorbs_bias == (centred or "beta" in norm.parameters)
    assert make(name, affine=False).absorbs_bias == centred


@every_case("name", [name for name, entry in NORMS.items() if entry.minimum_batch > 1])
def test_one_value_a_unit_is_refused_in_training_mode_only(name: str) -> None:
    norm = make(name)
    with pytest.raises(ValueError, match="in training mode needs at least 2 values per unit"):
        norm.forward(values(1), training=True)
    with pytest.raises(ValueError, match=r"got 1 \(x is \[1, 12, 1, 1\]\)"):
        norm.forward(values(1, (1, 1)), training=True)
    assert norm.forward(values(1), training=False)[0].shape == (1, WIDTH)
    assert norm.forward(values(1, MAP), training=True)[0].shape == (1, WIDTH, *MAP)


@every_case(
    ("name", "batch", "way"),
    pairs(FLAT, [1, 2, 5, 20], list(product([True, False], repeat=2)),
          fits=lambda name, batch, _: defined(name, batch, ())),
)  # fmt: skip
def test_kernels_equal_the_plain_passes(name: str, batch: int, way: tuple[bool, bool]) -> None:
    affine, own = way
    norms = [make(name, affine=affine, seed=seed, layer=seed) for seed in (0, 1)]
    twins = [make(name, affine=affine, seed=seed, layer=seed) for seed in (0, 1)]
    buffers = {key: torch.stack([norm.buffers[key] for norm in norms]) for key in norms[0].buffers}
    for index, norm in enumerate(norms):
        norm.buffers = {key: stack[index] for key, stack in buffers.items()}
    gradients = [{k: torch.empty_like(v) for k, v in n.parameters.items()} for n in norms]
    layers = NormLayers(norms, batch, gradients, buffers)
    kernels = type(norms[0]).kernels(layers) if own else TensorKernels(layers)
    if kernels is None:
        assert name == "none"
        return
    for step in (0, 900):  # the kernels must use the norms' present step
        for norm in (*norms, *twins):
            norm.step = step
        results = []
        for layer in range(2):
            x, y = share(values(batch, seed=layer)), share(torch.empty(batch, WIDTH).double())
            kernels.forward(layer, x, y)
            results.append((x, y))
        for layer in (1, 0):
            x, y = results[layer]
            dy, dx = share(values(batch, seed=9)), share(torch.empty(batch, WIDTH).double())
            expected, cache = twins[layer].forward(x.tensor, training=True)
            kernels.backward(layer, dy, dx)
            torch.testing.assert_close(y.tensor, expected, **TIGHT)
            torch.testing.assert_close(
                dx.tensor, twins[layer].backward(dy.tensor, cache), rtol=1e-9, atol=1e-11
            )
            for key, gradient in gradients[layer].items():
                torch.testing.assert_close(gradient, twins[layer].gradients[key], **TIGHT)
            twins[layer].update_statistics(cache)
        kernels.update_statistics()
        for norm, twin in zip(norms, twins, strict=True):
            for key, value in twin.buffers.items():
                torch.testing.assert_close(norm.buffers[key], value, **TIGHT)


@every_case(("name", "positions"), KINDS)
def test_running_statistics_are_moving_averages_of_the_batches(
    name: str, positions: tuple[int, ...]
) -> None:
    norm = make(name, momentum=0.3)
    expected = {key: value.clone() for key, value in norm.buffers.items()}
    for seed in range(3):
        _, cache = norm.forward(values(5, positions, seed=seed), training=True)
        new = norm.batch_statistics(cache)
        assert set(new) == set(norm.buffers)
        for key, value in new.items():
            assert value.shape == norm.buffers[key].shape
            expected[key] = 0.7 * expected[key] + 0.3 * value
        norm.update_statistics(cache)
    for key, value in norm.buffers.items():
        torch.testing.assert_close(value, expected[key], **TIGHT)


# Norms whose training pass differs from inference by noise or by parts of the mini-batch.
OTHERWISE = ("noisy", "moment_noise", "ghost", "dropout")


@every_case("name", [name for name in FLAT if name not in OTHERWISE])
def test_inference_comes_to_agree_with_training_on_one_large_batch(name: str) -> None:
    norm = make(name, eps=EPS)
    norm.step = 0
    x = values(1000)
    for _ in range(120):
        norm.update_statistics(norm.forward(x, training=True)[1])
    expected = norm.forward(x, training=True)[0]
    found = norm.forward(x, training=False)[0]
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)
