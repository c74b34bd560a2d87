"""The update rules against torch.optim, in float64."""

from copy import deepcopy

import torch

from bnviz.config import UpdateKnobs
from bnviz.training.optimizers import OPTIMIZERS, SGD, Adam
from tests.every_case import every_case

CASES = [
    ("sgd", 0.0, 0.0),
    ("sgd", 0.9, 0.0),
    ("sgd", 0.9, 0.01),
    ("adam", 0.0, 0.0),
    ("adam", 0.9, 0.0),
    ("adam", 0.9, 0.01),
]


@every_case(("name", "momentum", "weight_decay"), CASES)
def test_updates_equal_torch(name: str, momentum: float, weight_decay: float) -> None:
    generator = torch.Generator().manual_seed(0)
    flat = torch.randn(20, generator=generator, dtype=torch.float64)
    twin = flat.clone().requires_grad_()
    reference: torch.optim.Optimizer
    if name == "sgd":
        reference = torch.optim.SGD([twin], lr=0.1, momentum=momentum, weight_decay=weight_decay)
    else:
        betas = (momentum, Adam.beta2)
        reference = torch.optim.Adam([twin], lr=0.1, betas=betas, weight_decay=weight_decay)
    ours = OPTIMIZERS[name]()
    for step in range(10):
        rate = 0.1 if step < 5 else 0.03
        for group in reference.param_groups:
            group["lr"] = rate
        gradient = torch.randn(20, generator=generator, dtype=torch.float64)
        twin.grad = gradient.clone()
        reference.step()
        ours.step(flat, gradient, UpdateKnobs(rate, momentum, weight_decay))
        torch.testing.assert_close(flat, twin.detach(), rtol=1e-12, atol=1e-14)


@every_case("name", OPTIMIZERS)
def test_state_continues_where_it_was(name: str) -> None:
    knobs = UpdateKnobs(0.1, 0.9, 0.0)
    first, second = OPTIMIZERS[name](), OPTIMIZERS[name]()
    flat = torch.ones(4)
    for _ in range(3):
        first.step(flat, torch.full((4,), 0.5), knobs)
    copy = flat.clone()
    second.state = deepcopy(first.state)
    first.step(flat, torch.full((4,), 0.5), knobs)
    second.step(copy, torch.full((4,), 0.5), knobs)
    assert flat.equal(copy)


def test_momentum_zero_forgets_the_velocity() -> None:
    optimizer, flat = SGD(), torch.zeros(1)
    optimizer.step(flat, torch.ones(1), UpdateKnobs(1, 0.9, 0))
    optimizer.step(flat, torch.ones(1), UpdateKnobs(1, 0.0, 0))
    assert flat.item() == -2
    assert optimizer.state == {}
