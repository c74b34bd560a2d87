"""Nonlinearities: their values, derivatives and saturated regions.

On the CPU they compute on NumPy views of the tensors, because NumPy's vectorized tanh and exp take
a sixth of torch's time on small arrays. On other devices and under autograd they use torch.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.kernels import Shared, on_numpy


class Activation(ABC):
    """Elementwise nonlinearity φ. If `can_die`, a unit with only zero outputs counts as dead."""

    name: ClassVar[str]
    can_die: ClassVar[bool] = False

    def forward_array(self, z: np.ndarray, out: np.ndarray) -> None:
        """Write φ(z) into `out`, which may be z itself."""
        torch.from_numpy(out).copy_(self._forward_tensor(torch.from_numpy(z)))

    def derivative_array(self, z: np.ndarray, h: np.ndarray, out: np.ndarray) -> None:
        """Write φ′(z), given h = φ(z), into `out`, which must be neither z nor h."""
        slope = self._derivative_tensor(torch.from_numpy(z), torch.from_numpy(h))
        torch.from_numpy(out).copy_(slope)

    @abstractmethod
    def _forward_tensor(self, z: Tensor) -> Tensor: ...

    @abstractmethod
    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor: ...

    def forward(self, z: Tensor) -> Tensor:
        if not on_numpy(z):
            return self._forward_tensor(z)
        out = torch.empty_like(z)
        with np.errstate(all="ignore"):
            self.forward_array(z.numpy(), out.numpy())
        return out

    def derivative(self, z: Tensor, h: Tensor) -> Tensor:
        """Return φ′(z), given h = φ(z). The derivative of ReLU at 0 is 0."""
        if not on_numpy(z, h):
            return self._derivative_tensor(z, h)
        out = torch.empty_like(z)
        with np.errstate(all="ignore"):
            self.derivative_array(z.numpy(), h.numpy(), out.numpy())
        return out

    def backward(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        """Return dh · φ′(z) in a new tensor, given h = φ(z)."""
        if dh.device.type == "cpu":
            return dh * self.derivative(z, h)
        return self._backward_tensor(dh, z, h)

    def _backward_tensor(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        """Compute `backward` on a GPU; subclasses use torch's fused operation if there is one."""
        return dh * self._derivative_tensor(z, h)

    def forward_into(self, z: Shared, out: Shared) -> None:
        self.forward_array(z.array, out.array)

    def backward_into(self, dh: Shared, z: Shared, h: Shared, out: Shared) -> None:
        """Write dh · φ′(z), given h = φ(z), into `out`, which must be a separate array."""
        self.derivative_array(z.array, h.array, out.array)
        np.multiply(out.array, dh.array, out=out.array)

    def saturated(self, z: Tensor, h: Tensor) -> Tensor:
        """Return a bool mask with the shape of z, true in the flat zones, given h = φ(z)."""
        return torch.zeros_like(z, dtype=torch.bool)


class Sigmoid(Activation):
    """Logistic function 1 / (1 + exp(−z)), saturated below 0.05 and above 0.95."""

    name = "sigmoid"

    def forward_array(self, z: np.ndarray, out: np.ndarray) -> None:
        """Write φ(z) into `out`. If exp overflows to infinity, the result is correctly 0."""
        np.negative(z, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.reciprocal(out, out=out)

    def derivative_array(self, z: np.ndarray, h: np.ndarray, out: np.ndarray) -> None:
        np.subtract(1, h, out=out)
        np.multiply(out, h, out=out)

    def _forward_tensor(self, z: Tensor) -> Tensor:
        return torch.sigmoid(z)

    def _backward_tensor(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        found: Tensor = torch.ops.aten.sigmoid_backward(dh, h)
        return found

    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor:
        return h * (1 - h)

    def saturated(self, z: Tensor, h: Tensor) -> Tensor:
        return (h - 0.5).abs() > 0.45


class Tanh(Activation):
    """Hyperbolic tangent, saturated below −0.9 and above 0.9."""

    name = "tanh"

    def forward_array(self, z: np.ndarray, out: np.ndarray) -> None:
        np.tanh(z, out=out)

    def derivative_array(self, z: np.ndarray, h: np.ndarray, out: np.ndarray) -> None:
        np.multiply(h, h, out=out)
        np.subtract(1, out, out=out)

    def _forward_tensor(self, z: Tensor) -> Tensor:
        return torch.tanh(z)

    def _backward_tensor(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        found: Tensor = torch.ops.aten.tanh_backward(dh, h)
        return found

    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor:
        return 1 - h * h

    def saturated(self, z: Tensor, h: Tensor) -> Tensor:
        return h.abs() > 0.9


class ReLU(Activation):
    """max(z, 0) with the flat zone z < 0. Units with only zero outputs are dead."""

    name = "relu"
    can_die = True

    def forward_array(self, z: np.ndarray, out: np.ndarray) -> None:
        np.maximum(z, 0, out=out)

    def derivative_array(self, z: np.ndarray, h: np.ndarray, out: np.ndarray) -> None:
        np.greater(z, 0, out=out, casting="unsafe")

    def forward_into(self, z: Shared, out: Shared) -> None:
        """Compute max(z, 0) with torch, which takes half as long as NumPy for this."""
        torch.clamp_min(z.tensor, 0, out=out.tensor)

    def _forward_tensor(self, z: Tensor) -> Tensor:
        return torch.relu(z)

    def _backward_tensor(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        found: Tensor = torch.ops.aten.threshold_backward(dh, z, 0)
        return found

    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor:
        return (z > 0).to(z.dtype)

    def saturated(self, z: Tensor, h: Tensor) -> Tensor:
        return h <= 0


class GELU(Activation):
    """z Φ(z) with the exact normal distribution function Φ (Hendrycks & Gimpel 2016)."""

    name = "gelu"

    def backward_into(self, dh: Shared, z: Shared, h: Shared, out: Shared) -> None:
        torch.ops.aten.gelu_backward.grad_input(dh.tensor, z.tensor, grad_input=out.tensor)

    def _forward_tensor(self, z: Tensor) -> Tensor:
        return torch.nn.functional.gelu(z)

    def _backward_tensor(self, dh: Tensor, z: Tensor, h: Tensor) -> Tensor:
        found: Tensor = torch.ops.aten.gelu_backward(dh, z)
        return found

    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor:
        density = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
        return 0.5 * (1 + torch.erf(z / math.sqrt(2))) + z * density


class Linear(Activation):
    """Identity, for networks that can be solved analytically."""

    name = "linear"

    def _forward_tensor(self, z: Tensor) -> Tensor:
        return z.clone()

    def _derivative_tensor(self, z: Tensor, h: Tensor) -> Tensor:
        return torch.ones_like(z)


ACTIVATIONS: dict[str, Activation] = {
    activation.name: activation for activation in (Sigmoid(), Tanh(), ReLU(), GELU(), Linear())
}
