"""Every nonlinearity compared with torch and with autograd."""

import math

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.norms.kernels import share
from tests.every_case import every_case

REFERENCES = {
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "linear": lambda z: z * 1.0,
}


def points(dtype: torch.dtype = torch.float64) -> Tensor:
    ends = torch.tensor([-800.0, -40.0, -3.0, 0.0, 3.0, 40.0, 800.0])
    return torch.cat([ends, torch.linspace(-6, 6, 121)])[None].to(dtype)


@every_case("name", ACTIVATIONS)
def test_value_and_derivative_match_autograd(name: str) -> None:
    phi = ACTIVATIONS[name]
    z = points().requires_grad_()
    expected = REFERENCES[name](z)
    expected.sum().backward()
    plain = z.detach()
    h = phi.forward(plain)
    torch.testing.assert_close(h, expected.detach(), rtol=1e-12, atol=1e-13)
    torch.testing.assert_close(phi.derivative(plain, h), z.grad, rtol=1e-12, atol=1e-13)


@every_case("name", ACTIVATIONS)
def test_the_backward_pass_of_a_device_is_that_of_the_cpu(name: str) -> None:
    phi, z = ACTIVATIONS[name], points().requires_grad_()
    h, dh = REFERENCES[name](z), torch.linspace(-1, 1, z.numel(), dtype=z.dtype)[None]
    found = phi._backward_tensor(dh, z, h)
    expected = dh * phi._derivative_tensor(z, h)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-13)
    if expected.requires_grad:
        slopes = [
            torch.autograd.grad(each.sum(), z, retain_graph=True) for each in (found, expected)
        ]
        torch.testing.assert_close(*slopes, rtol=1e-9, atol=1e-12)


@every_case("dtype", [torch.float32, torch.float64])
@every_case("name", ACTIVATIONS)
def test_shared_memory_gives_the_same(name: str, dtype: torch.dtype) -> None:
    phi, z = ACTIVATIONS[name], points(dtype)
    h = phi.forward(z)
    out, dz = share(torch.empty_like(z)), share(torch.empty_like(z))
    with np.errstate(all="ignore"):
        phi.forward_into(share(z), out)
        dh = share(torch.linspace(-1, 2, z.numel(), dtype=dtype)[None].clone())
        phi.backward_into(dh, share(z), out, dz)
    torch.testing.assert_close(out.tensor, h)
    torch.testing.assert_close(dz.tensor, dh.tensor * phi.derivative(z, h))


@every_case("name", ACTIVATIONS)
def test_autograd_passes_through(name: str) -> None:
    phi = ACTIVATIONS[name]
    z = points().requires_grad_()
    phi.forward(z).sum().backward()
    h = phi.forward(z.detach())
    torch.testing.assert_close(z.grad, phi.derivative(z.detach(), h), rtol=1e-12, atol=1e-13)
    traced = phi.derivative(z, phi.forward(z))
    torch.testing.assert_close(traced.detach(), z.grad, rtol=1e-12, atol=1e-13)


def test_saturation_is_what_the_output_says() -> None:
    z = torch.tensor([-3.0, -2.9, -1.5, -1.4, 0.0, 1.4, 1.5, 2.9, 3.0])
    expected = {
        "sigmoid": (torch.sigmoid(z) < 0.05) | (torch.sigmoid(z) > 0.95),
        "tanh": torch.tanh(z).abs() > 0.9,
        "relu": z <= 0,
        "gelu": torch.zeros_like(z, dtype=torch.bool),
        "linear": torch.zeros_like(z, dtype=torch.bool),
    }
    for name, phi in ACTIVATIONS.items():
        assert phi.saturated(z, phi.forward(z)).equal(expected[name])


@every_case("name", ["sigmoid", "tanh"])
def test_zone_on_the_axis_is_the_rule_on_the_output(name: str) -> None:
    phi = ACTIVATIONS[name]
    z = torch.linspace(-5, 5, 1001, dtype=torch.float64)
    inside = torch.zeros_like(z, dtype=torch.bool)
    for low, high in FLAT_ZONES[name]:
        inside |= (z > low) & (z < high)
    assert inside.equal(phi.saturated(z, phi.forward(z)))
    assert math.isinf(FLAT_ZONES[name][0][0])
