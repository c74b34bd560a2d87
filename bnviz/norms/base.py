"""What every normalization offers: an explicit forward and backward pass, and its Jacobian."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from bnviz.norms.kernels import Kernels, TensorKernels


class Norm(ABC):
    """One normalization of one hidden layer's values [N, D].

    `forward` and `backward` change no statistics and no parameters, so that probes can call them
    at any time; `update_statistics` is called once an optimization step.

    Attributes:
        parameters: learned tensors [D] by name ("gamma", "beta"); empty where there are none.
        buffers: tensors [D] that training updates without a gradient ("running_mean", ...).
        gradients: what the last `backward` found for each parameter.
    """

    name: ClassVar[str]
    parameter_names: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        width: int,
        *,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        """Set up a norm for `width` units.

        Args:
            width: number of units D.
            eps: added to the variance (or mean square) before the square root.
            momentum: weight of the new value in running statistics (torch's convention).
            affine: whether γ (initially 1) and β (initially 0) are learned.
            dtype: of all tensors.
            device: of all tensors.
        """
        self.width, self.eps, self.momentum, self.affine = width, eps, momentum, affine
        self.dtype = dtype
        initial = {"gamma": 1.0, "beta": 0.0}
        self.parameters: dict[str, Tensor] = {
            name: torch.full((width,), initial[name], dtype=dtype, device=device)
            for name in (self.parameter_names if affine else ())
        }
        self.buffers: dict[str, Tensor] = {}
        self.gradients: dict[str, Tensor] = {}

    @property
    def gamma(self) -> Tensor | None:
        """The learned scale [D], if any."""
        return self.parameters.get("gamma")

    @property
    def beta(self) -> Tensor | None:
        """The learned shift [D], if any."""
        return self.parameters.get("beta")

    @property
    def absorbs_bias(self) -> bool:
        """Whether a bias added just before this norm changes nothing that the norm cannot do."""
        return "beta" in self.parameters

    @abstractmethod
    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Any]:
        """Normalize x [N, D]; returns the result [N, D] and what `backward` needs."""

    @abstractmethod
    def backward(self, dy: Tensor, cache: Any) -> Tensor:
        """Gradient of x [N, D] from that of the result [N, D]; fills `gradients`."""

    def update_statistics(self, cache: Any) -> None:  # noqa: B027 - most norms have none
        """Take one training batch into the running statistics."""

    @abstractmethod
    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """dy/dx of one example [D] in inference mode: [D] if diagonal, else [D, D]."""

    def inference_affine(self) -> tuple[Tensor, Tensor] | None:
        """Scale and shift [D] that the norm amounts to in inference mode; None if it is not so."""
        return None

    @classmethod
    def kernels(
        cls,
        norms: Sequence[Norm],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
        buffers: Mapping[str, Tensor],
    ) -> Kernels | None:
        """How a training step on the CPU runs these norms; None for the identity.

        Args:
            norms: the norm of each hidden layer.
            batch: mini-batch size N.
            gradients: where to write the gradients of the parameters, by layer and name.
            buffers: the buffers of all layers by name, [L, D] each; `Norm.buffers` are their rows.
        """
        return TensorKernels(norms, gradients)

    def _scale_and_shift(self, normalized: Tensor) -> Tensor:
        if self.gamma is None:
            return normalized
        scaled = normalized * self.gamma
        return scaled if self.beta is None else scaled + self.beta

    def _parameter_gradients(self, dy: Tensor, normalized: Tensor) -> None:
        sums = {"gamma": lambda: (dy * normalized).sum(0), "beta": lambda: dy.sum(0)}
        self.gradients = {name: sums[name]() for name in self.parameters}
