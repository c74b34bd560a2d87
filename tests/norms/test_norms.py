"""Every norm against autograd and torch's own modules, in float64."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from bnviz.norms import NORMS
from bnviz.norms.base import Norm
from bnviz.norms.kernels import TensorKernels, share

WIDTH = 7
EPS = 1e-3
TIGHT = {"rtol": 1e-11, "atol": 1e-12}
CASES = [
    (name, training, batch)
    for name, entry in NORMS.items()
    for training in (True, False)
    for batch in (1, 2, 5)
    if batch >= entry.minimum_batch or not training  # torch refuses those; see test_batch.py
]


def make(name: str, *, affine: bool = True, eps: float = EPS, seed: int = 0) -> Norm:
    norm: Norm = NORMS[name].resolve()(WIDTH, eps=eps, affine=affine, dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    for value in (*norm.parameters.values(), *norm.buffers.values()):
        value.copy_(torch.rand(WIDTH, generator=generator, dtype=torch.float64) + 0.5)
    return norm


def values(batch: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(batch, WIDTH, generator=generator, dtype=torch.float64) + 0.7


def reference(norm: Norm) -> nn.Module:
    """torch's module with the same parameters and statistics."""
    affine = norm.affine
    modules: dict[str, Callable[[], nn.Module]] = {
        "none": nn.Identity,
        "batch": lambda: nn.BatchNorm1d(WIDTH, eps=norm.eps, momentum=0.1, affine=affine),
        "layer": lambda: nn.LayerNorm(WIDTH, eps=norm.eps, elementwise_affine=affine),
        "rms": lambda: nn.RMSNorm(WIDTH, eps=norm.eps, elementwise_affine=affine),
    }
    module = modules[norm.name]().double()
    with torch.no_grad():
        for theirs, ours in (("weight", "gamma"), ("bias", "beta")):
            if ours in norm.parameters:
                getattr(module, theirs).copy_(norm.parameters[ours])
        for name, value in norm.buffers.items():
            getattr(module, name).copy_(value)
    return module


@pytest.mark.parametrize("name", NORMS)
def test_entry_names_its_class(name: str) -> None:
    assert make(name).name == name


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(("name", "training", "batch"), CASES)
def test_forward_and_backward_match_torch(
    name: str, training: bool, batch: int, affine: bool
) -> None:
    norm = make(name, affine=affine)
    module = reference(norm).train(training)
    x = values(batch).requires_grad_()
    dy = values(batch, seed=2)
    expected = module(x)
    expected.backward(dy)

    y, cache = norm.forward(x.detach(), training=training)
    dx = norm.backward(dy, cache)

    torch.testing.assert_close(y, expected.detach(), **TIGHT)
    torch.testing.assert_close(dx, x.grad, **TIGHT)
    assert set(norm.gradients) == set(norm.parameters)
    for ours, theirs in (("gamma", "weight"), ("beta", "bias")):
        if ours in norm.parameters:
            torch.testing.assert_close(norm.gradients[ours], getattr(module, theirs).grad, **TIGHT)


@pytest.mark.parametrize("name", NORMS)
def test_forward_and_backward_change_nothing_but_gradients(name: str) -> None:
    norm = make(name)
    before = {key: value.clone() for key, value in {**norm.parameters, **norm.buffers}.items()}
    x = values(4)
    kept = x.clone()
    _, cache = norm.forward(x, training=True)
    norm.backward(values(4, seed=2), cache)
    torch.testing.assert_close(x, kept, rtol=0, atol=0)
    for key, value in {**norm.parameters, **norm.buffers}.items():
        torch.testing.assert_close(value, before[key], rtol=0, atol=0)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("name", NORMS)
def test_inference_jacobian_matches_autograd(name: str, affine: bool) -> None:
    norm = make(name, affine=affine)
    row = values(1)[0]
    expected = torch.autograd.functional.jacobian(
        lambda x: norm.forward(x[None], training=False)[0][0], row
    )
    found = norm.inference_jacobian(row)
    if found.ndim == 1:
        found = torch.diag(found)
    torch.testing.assert_close(found, expected, **TIGHT)


@pytest.mark.parametrize("name", NORMS)
def test_inference_affine_is_the_inference_pass(name: str) -> None:
    norm = make(name)
    folded = norm.inference_affine()
    if folded is None:
        assert name != "batch"
        return
    scale, shift = folded
    x = values(3)
    torch.testing.assert_close(x * scale + shift, norm.forward(x, training=False)[0], **TIGHT)


@pytest.mark.parametrize("name", NORMS)
def test_a_norm_with_a_shift_needs_no_bias_before_it(name: str) -> None:
    assert make(name).absorbs_bias == (name in ("batch", "layer"))
    assert make(name, affine=False).absorbs_bias == (name == "batch")


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(
    ("name", "batch"), [(name, batch) for name, training, batch in CASES if training]
)
def test_kernels_equal_the_plain_passes(name: str, affine: bool, batch: int, own: bool) -> None:
    norms = [make(name, affine=affine, seed=seed) for seed in (0, 1)]
    twins = [make(name, affine=affine, seed=seed) for seed in (0, 1)]
    buffers = {key: torch.stack([norm.buffers[key] for norm in norms]) for key in norms[0].buffers}
    for index, norm in enumerate(norms):
        norm.buffers = {key: stack[index] for key, stack in buffers.items()}
    gradients = [{key: torch.empty(WIDTH).double() for key in n.parameters} for n in norms]
    offered = type(norms[0]).kernels(norms, batch, gradients, buffers)
    kernels = offered if own else TensorKernels(norms, gradients)
    if kernels is None:
        assert name == "none"
        return
    results = []
    for layer in range(2):
        x, y = share(values(batch, seed=layer)), share(torch.empty(batch, WIDTH).double())
        kernels.forward(layer, x, y)
        results.append((x, y))
    for layer, twin in enumerate(twins):
        x, y = results[layer]
        dy, dx = share(values(batch, seed=9)), share(torch.empty(batch, WIDTH).double())
        expected, cache = twin.forward(x.tensor, training=True)
        kernels.backward(layer, dy, dx)
        torch.testing.assert_close(y.tensor, expected, **TIGHT)
        torch.testing.assert_close(dx.tensor, twin.backward(dy.tensor, cache), **TIGHT)
        for key, gradient in gradients[layer].items():
            torch.testing.assert_close(gradient, twin.gradients[key], **TIGHT)
        twin.update_statistics(cache)
    kernels.update_statistics()
    for norm, twin in zip(norms, twins, strict=True):
        for key, value in twin.buffers.items():
            torch.testing.assert_close(norm.buffers[key], value, **TIGHT)
