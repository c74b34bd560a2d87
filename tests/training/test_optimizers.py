"""The update rules compared with torch.optim, in float64."""

from copy import deepcopy

import torch

from bnviz.config import StepSettings
from bnviz.networks.rate_groups import RateGroups
from bnviz.training.optimizers import OPTIMIZERS, SGD, Adam
from tests.every_case import every_case

# Parameters of two hidden layers, their norms and the output layer, 20 elements in all.
NAMES = (
    "layer 1.weight", "layer 1.gamma", "layer 2.weight", "layer 2.bias", "layer 2.beta",
    "output.weight", "output.bias",
)  # fmt: skip
SIZES = (4, 2, 5, 1, 2, 4, 2)
GROUPS = RateGroups(NAMES, SIZES, ("gamma", "beta"))
# Positions of the parts of each group in the flat parameters.
PARTS = {
    "weights": [slice(0, 4), slice(6, 12)], "norms": [slice(4, 6), slice(12, 14)],
    "output": [slice(14, 20)],
}  # fmt: skip
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
    ours = OPTIMIZERS[name](GROUPS)
    for step in range(10):
        rate = 0.1 if step < 5 else 0.03
        for group in reference.param_groups:
            group["lr"] = rate
        gradient = torch.randn(20, generator=generator, dtype=torch.float64)
        twin.grad = gradient.clone()
        reference.step()
        ours.step(flat, gradient, StepSettings(rate, momentum, weight_decay))
        torch.testing.assert_close(flat, twin.detach(), rtol=1e-12, atol=1e-14)


@every_case(("name", "momentum", "weight_decay"), CASES)
def test_groups_with_rate_factors_equal_torch_with_three_parameter_groups(
    name: str, momentum: float, weight_decay: float
) -> None:
    generator = torch.Generator().manual_seed(0)
    flat = torch.randn(20, generator=generator, dtype=torch.float64)
    twins = {
        group: [flat[part].clone().requires_grad_() for part in parts]
        for group, parts in PARTS.items()
    }
    groups = [{"params": parts, "lr": 0.1} for parts in twins.values()]
    reference: torch.optim.Optimizer
    if name == "sgd":
        reference = torch.optim.SGD(groups, momentum=momentum, weight_decay=weight_decay)
    else:
        betas = (momentum, Adam.beta2)
        reference = torch.optim.Adam(groups, betas=betas, weight_decay=weight_decay)
    ours = OPTIMIZERS[name](GROUPS)
    for step in range(50):
        rate = 0.1 if step < 30 else 0.03
        # The rate of a group is 0 for some steps and then positive again. As in torch, the group's
        # moments are still updated while its rate is 0.
        factors = (3.0, 0.5, 0.01) if step < 10 else (3.0, 0.0, 10.0) if step < 40 else (0.5, 1, 1)
        for group, factor in zip(reference.param_groups, factors, strict=True):
            group["lr"] = rate * factor
        gradient = torch.randn(20, generator=generator, dtype=torch.float64)
        for group, parts in PARTS.items():
            for twin, part in zip(twins[group], parts, strict=True):
                twin.grad = gradient[part].clone()
        reference.step()
        ours.step(flat, gradient, StepSettings(rate, momentum, weight_decay, factors))
        for group, parts in PARTS.items():
            for twin, part in zip(twins[group], parts, strict=True):
                torch.testing.assert_close(flat[part], twin.detach(), rtol=1e-11, atol=1e-13)


@every_case("name", OPTIMIZERS)
def test_a_factor_of_zero_keeps_the_bits_of_its_group(name: str) -> None:
    """The group with factor 0 contains a negative zero, and one of its gradients is not finite."""
    generator = torch.Generator().manual_seed(0)
    flat = torch.randn(20, generator=generator)
    flat[0] = -0.0
    for held in PARTS:
        factors = tuple(float(group != held) for group in PARTS)
        optimizer, before = OPTIMIZERS[name](GROUPS), flat.clone()
        for step in range(5):
            gradient = torch.randn(20, generator=generator)
            if step == 3:
                for part in PARTS[held]:
                    gradient[part] = torch.inf
            optimizer.step(flat, gradient, StepSettings(0.1, 0.9, 0.01, factors))
        for group, parts in PARTS.items():
            for part in parts:
                same = flat[part].view(torch.int32).equal(before[part].view(torch.int32))
                assert same == (group == held)
        assert torch.isfinite(flat).all()


@every_case("name", OPTIMIZERS)
def test_factors_of_one_give_the_bits_of_none(name: str) -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = OPTIMIZERS[name](GROUPS), OPTIMIZERS[name](GROUPS)
    flat = torch.randn(20, generator=generator)
    other = flat.clone()
    for factors in ((1.0, 1.0, 1.0), (1, 1, 1)):
        gradient = torch.randn(20, generator=generator)
        first.step(flat, gradient.clone(), StepSettings(0.1, 0.9, 0.01))
        second.step(other, gradient, StepSettings(0.1, 0.9, 0.01, factors))
        assert flat.equal(other)


@every_case("name", OPTIMIZERS)
def test_state_continues_where_it_was(name: str) -> None:
    knobs = StepSettings(0.1, 0.9, 0.0)
    first, second = OPTIMIZERS[name](GROUPS), OPTIMIZERS[name](GROUPS)
    flat = torch.ones(4)
    for _ in range(3):
        first.step(flat, torch.full((4,), 0.5), knobs)
    copy = flat.clone()
    second.state = deepcopy(first.state)
    first.step(flat, torch.full((4,), 0.5), knobs)
    second.step(copy, torch.full((4,), 0.5), knobs)
    assert flat.equal(copy)


def test_momentum_zero_forgets_the_velocity() -> None:
    optimizer, flat = SGD(GROUPS), torch.zeros(1)
    optimizer.step(flat, torch.ones(1), StepSettings(1, 0.9, 0))
    optimizer.step(flat, torch.ones(1), StepSettings(1, 0.0, 0))
    assert flat.item() == -2
    assert optimizer.state == {}
