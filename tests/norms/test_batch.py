"""Batch normalization compared with torch's results, with closed forms and with known numbers."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bnviz.norms.batch import BatchNorm, batch_norm_backward, batch_norm_forward
from tests.every_case import every_case

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0.3, 2, shape))


@every_case("shape", [(5, 3), (2, 3), (4, 3, 2, 5), (1, 3, 4, 4)])
def test_functions_match_torch(shape: tuple[int, ...]) -> None:
    x = normal(*shape).requires_grad_()
    gamma, beta = normal(3, seed=1).requires_grad_(), normal(3, seed=2).requires_grad_()
    dy = normal(*shape, seed=3)
    expected = nn.functional.batch_norm(x, None, None, gamma, beta, training=True, eps=1e-5)
    expected.backward(dy)

    y, cache = batch_norm_forward(x.detach(), gamma.detach(), beta.detach(), 1e-5)
    dx, dgamma, dbeta = batch_norm_backward(dy, cache)

    torch.testing.assert_close(y, expected.detach(), **TIGHT)
    torch.testing.assert_close(dx, x.grad, **TIGHT)
    torch.testing.assert_close(dgamma, gamma.grad, **TIGHT)
    torch.testing.assert_close(dbeta, beta.grad, **TIGHT)


def test_worked_example() -> None:
    x = torch.tensor([[2.1], [3.5], [1.8], [4.2]], dtype=torch.float64)
    y, cache = batch_norm_forward(x, torch.ones(1).double(), torch.zeros(1).double(), 0.0)
    assert cache.mean.item() == pytest.approx(2.9)
    assert cache.var.item() == pytest.approx(0.975)
    assert y.flatten().tolist() == pytest.approx([-0.810, 0.608, -1.114, 1.317], abs=5e-4)


def test_input_gradient_is_orthogonal_to_ones_and_to_the_normalized_values() -> None:
    gamma = normal(3, seed=1)
    _, cache = batch_norm_forward(normal(8, 3), gamma, torch.zeros(3).double(), 0.0)
    dx, _, _ = batch_norm_backward(normal(8, 3, seed=2), cache)
    torch.testing.assert_close(dx.sum(0), torch.zeros(3).double(), **TIGHT)
    torch.testing.assert_close((dx * cache.normalized).sum(0), torch.zeros(3).double(), **TIGHT)


def test_squared_norm_of_the_input_gradient() -> None:
    m, gamma, g = 8, normal(3, seed=1), normal(8, 3, seed=2)
    _, cache = batch_norm_forward(normal(m, 3), gamma, torch.zeros(3).double(), 0.0)
    dx, _, _ = batch_norm_backward(g, cache)
    inner = (g * g).sum(0) - g.sum(0) ** 2 / m - (g * cache.normalized).sum(0) ** 2 / m
    torch.testing.assert_close((dx * dx).sum(0), gamma**2 / cache.var * inner, **TIGHT)


def test_one_example_gives_beta_and_no_gradient() -> None:
    beta = normal(3, seed=1)
    y, cache = batch_norm_forward(normal(1, 3), normal(3, seed=2), beta, 1e-5)
    dx, dgamma, _ = batch_norm_backward(normal(1, 3, seed=3), cache)
    torch.testing.assert_close(y[0], beta, **TIGHT)
    assert not dx.any()
    assert not dgamma.any()


def test_two_examples_become_plus_and_minus_one_and_pass_no_gradient() -> None:
    _, cache = batch_norm_forward(normal(2, 3), torch.ones(3).double(), None, 0.0)
    torch.testing.assert_close(cache.normalized.abs(), torch.ones(2, 3).double(), **TIGHT)
    torch.testing.assert_close(cache.normalized.sum(0), torch.zeros(3).double(), **TIGHT)
    dx, _, _ = batch_norm_backward(normal(2, 3, seed=3), cache)
    torch.testing.assert_close(dx, torch.zeros(2, 3).double(), **TIGHT)


def test_training_jacobian_of_one_feature() -> None:
    m, eps = 6, 1e-3
    x, gamma = normal(m, 1), normal(1, seed=1)
    found = torch.autograd.functional.jacobian(
        lambda v: batch_norm_forward(v[:, None], gamma, None, eps)[0][:, 0], x[:, 0]
    )
    _, cache = batch_norm_forward(x, gamma, None, eps)
    hat = cache.normalized[:, 0]
    expected = (torch.eye(m).double() - 1 / m - torch.outer(hat, hat) / m) * gamma
    torch.testing.assert_close(found, expected * cache.inverse_std, **TIGHT)
    scale = (gamma * cache.inverse_std).abs().item()
    squared = torch.linalg.svdvals(found) / scale
    small = eps / (cache.var.item() + eps)
    assert squared.tolist() == pytest.approx([1.0] * (m - 2) + [small, 0.0], abs=1e-9)


@every_case(("shape", "kind"), [((5, 3), nn.BatchNorm1d), ((4, 3, 2, 5), nn.BatchNorm2d)])
def test_running_statistics_store_the_unbiased_variance_as_torch_does(
    shape: tuple[int, ...], kind: type[nn.Module]
) -> None:
    norm = BatchNorm(3, momentum=0.3, dtype=torch.float64)
    module = kind(3, momentum=0.3).double()
    for seed in range(3):
        x = normal(*shape, seed=seed)
        y, cache = norm.forward(x, training=True)
        norm.update_statistics(cache)
        torch.testing.assert_close(y, module(x).detach(), **TIGHT)
    expected = module.eval()(x).detach()
    torch.testing.assert_close(norm.forward(x, training=False)[0], expected, **TIGHT)
    torch.testing.assert_close(norm.buffers["running_mean"], module.running_mean, **TIGHT)
    torch.testing.assert_close(norm.buffers["running_var"], module.running_var, **TIGHT)


def test_initial_statistics_fade_by_the_momentum() -> None:
    norm = BatchNorm(2, momentum=0.1, dtype=torch.float64)
    x = normal(4, 2)
    for _ in range(20):
        norm.update_statistics(norm.forward(x, training=True)[1])
    kept = 0.9**20
    expected = kept * 1.0 + (1 - kept) * x.var(0)
    torch.testing.assert_close(norm.buffers["running_var"], expected, **TIGHT)


def test_scale_of_the_weights_before_does_not_matter() -> None:
    x, weight = normal(6, 4), normal(3, 4, seed=1)
    gamma, beta = normal(3, seed=2), normal(3, seed=3)
    once, _ = batch_norm_forward(x @ weight.t(), gamma, beta, 0.0)
    tenfold, _ = batch_norm_forward(x @ (10 * weight).t(), gamma, beta, 0.0)
    torch.testing.assert_close(once, tenfold, **TIGHT)
