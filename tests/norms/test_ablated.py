"""Ablated batch normalization: each ablation compared with autograd."""

import itertools

import torch
from torch import Tensor

from bnviz.norms.ablated import AblatedBatchNorm
from bnviz.norms.base import NormLayers, TensorKernels
from bnviz.norms.batch import BatchNorm
from bnviz.norms.batch_kernels import BatchKernels
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, WIDTH, make, values
from tests.norms.references import column

CHOICES = list(itertools.product(["both", "mean", "variance"], [True, False], [True, False]))


def plainly(norm: AblatedBatchNorm, x: Tensor, statistics: str, differentiated: bool) -> Tensor:
    """Compute the output of an ablated norm from torch's mean and variance."""
    axes = [axis for axis in range(x.dim()) if axis != 1]
    var, mean = torch.var_mean(x, dim=axes, correction=0)
    if not differentiated:
        var, mean = var.detach(), mean.detach()
    y = x
    if statistics != "variance":
        y = y - column(mean, x)
    if statistics != "mean":
        y = y / column((var + norm.eps).sqrt(), x)
    if norm.gamma is None or norm.beta is None:
        return y
    return y * column(norm.gamma, x) + column(norm.beta, x)


@every_case("positions", [(), MAP])
@every_case(("statistics", "differentiated", "learned"), CHOICES)
def test_every_choice_matches_autograd(
    statistics: str, differentiated: bool, learned: bool, positions: tuple[int, ...]
) -> None:
    norm = make("ablated", statistics=statistics, differentiated=differentiated, learned=learned)
    x, dy = values(6, positions).requires_grad_(), values(6, positions, seed=2)
    for value in norm.parameters.values():
        value.requires_grad_()
    expected = plainly(norm, x, statistics, differentiated)
    wanted = torch.autograd.grad(expected, [x, *norm.parameters.values()], dy)
    y, cache = norm.forward(x.detach(), training=True)
    torch.testing.assert_close(y, expected, **TIGHT)
    torch.testing.assert_close(norm.backward(dy, cache), wanted[0], **TIGHT)
    for name, gradient in zip(norm.parameters, wanted[1:], strict=True):
        torch.testing.assert_close(norm.gradients[name], gradient, **TIGHT)
    assert list(norm.parameters) == (["gamma", "beta"] if learned else [])


@every_case("positions", [(), MAP])
@every_case(("statistics", "differentiated", "learned"), CHOICES)
def test_inference_uses_what_is_left_of_the_running_statistics(
    statistics: str, differentiated: bool, learned: bool, positions: tuple[int, ...]
) -> None:
    norm = make("ablated", statistics=statistics, differentiated=differentiated, learned=learned)
    x = values(3, positions)
    y, cache = norm.forward(x, training=False)
    expected = x
    if statistics != "variance":
        expected = expected - column(norm.buffers["running_mean"], x)
    if statistics != "mean":
        expected = expected / column((norm.buffers["running_var"] + norm.eps).sqrt(), x)
    if learned:
        expected = expected * column(norm.gamma, x) + column(norm.beta, x)
    torch.testing.assert_close(y, expected, **TIGHT)
    folded = norm.inference_affine()
    assert folded is not None
    scale, shift = (column(value, x) for value in folded)
    torch.testing.assert_close(x * scale + shift, expected, **TIGHT)
    jacobian = norm.inference_jacobian(values(1)[0])
    torch.testing.assert_close(jacobian, folded[0], **TIGHT)
    dy = values(3, positions, seed=2)
    torch.testing.assert_close(norm.backward(dy, cache), dy * scale, **TIGHT)


@every_case(
    ("statistics", "learned", "kept", "expected"),
    [
        ("both", True, False, True),
        ("both", False, False, True),
        ("mean", False, False, True),
        ("variance", True, False, True),
        ("variance", False, False, False),
        ("both", True, True, False),
        ("mean", False, True, False),
    ],
)
def test_a_bias_is_kept_if_asked_for_or_needed(
    statistics: str, learned: bool, kept: bool, expected: bool
) -> None:
    norm = make("ablated", statistics=statistics, learned=learned, keeps_bias=kept)
    assert norm.absorbs_bias == expected


def test_learning_needs_both_knobs() -> None:
    assert not make("ablated", learned=True, affine=False).parameters
    assert not make("ablated", learned=False, affine=True).parameters


def test_whole_it_is_batch_normalization() -> None:
    x, dy = values(6), values(6, seed=2)
    ablated, batch = (make(name) for name in ("ablated", "batch"))
    results = []
    for norm in (ablated, batch):
        assert isinstance(norm, AblatedBatchNorm | BatchNorm)
        y, cache = norm.forward(x, training=True)
        dx = norm.backward(dy, cache)
        norm.update_statistics(cache)
        results.append((y, dx, *norm.buffers.values()))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, **TIGHT)


def test_it_trains_at_batch_normalizations_speed_only_when_whole() -> None:
    def kernels(**options: object) -> object:
        norm = make("ablated", **options)
        gradients = [{name: torch.empty(WIDTH).double() for name in norm.parameters}]
        buffers = {name: value[None] for name, value in norm.buffers.items()}
        return AblatedBatchNorm.kernels(NormLayers([norm], 4, gradients, buffers))

    assert isinstance(kernels(), BatchKernels)
    assert isinstance(kernels(learned=False, keeps_bias=True), BatchKernels)
    assert isinstance(kernels(differentiated=False), TensorKernels)
    assert isinstance(kernels(statistics="mean"), TensorKernels)


def test_a_bias_grows_without_bound_while_the_loss_stays() -> None:
    """Ioffe & Szegedy 2015, §2: centring cancels the update of b, but b's gradient ignores this."""
    norm = make("ablated", width=1, statistics="mean", differentiated=False, learned=False)
    inputs, target = values(40, width=1), values(40, width=1, seed=2)
    bias, losses, biases = torch.zeros(1).double(), [], []
    for _ in range(50):
        y, cache = norm.forward(inputs + bias, training=True)
        losses.append(float(((y - target) ** 2).mean() / 2))
        dx = norm.backward((y - target) / len(target), cache)
        bias = bias - 0.1 * dx.sum(0)
        biases.append(float(bias))
    assert max(losses) - min(losses) < 1e-12
    steps = torch.tensor(biases).diff()
    torch.testing.assert_close(steps, steps[:1].expand(49))
    assert abs(biases[-1]) > 49 * abs(biases[0])
    # If the mean is differentiated, the bias gets no gradient at all.
    exact = make("ablated", width=1, statistics="mean", learned=False)
    y, cache = exact.forward(inputs + bias, training=True)
    assert abs(float(exact.backward(y - target, cache).sum())) < 1e-10
