"""How a training step runs a network's norms: on memory that is allocated once.

A norm need not offer kernels of its own: `bnviz.norms.base.TensorKernels` runs any norm's `forward`
and `backward`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor


class Shared(NamedTuple):
    """One piece of memory as a NumPy array and as a tensor.

    Small operations cost least in NumPy, broadcasts over short rows in torch; turning the one into
    the other at every step would cost as much as either.
    """

    array: np.ndarray
    tensor: Tensor


def share(tensor: Tensor) -> Shared:
    """Both views of a CPU tensor."""
    return Shared(tensor.numpy(), tensor)


def share_units(tensor: Tensor) -> Shared:
    """A value per unit, [D] for NumPy's products; the tensor, [1, D], is broadcast over examples.

    Of a stack: [K, D] and [K, 1, D].
    """
    return Shared(tensor.numpy(), tensor.unsqueeze(-2))


def on_numpy(*values: Tensor) -> bool:
    """Whether NumPy can compute with tensors: on the CPU, and neither under autograd nor `vmap`."""
    # Asked at every layer of every step: a generator would take twice as long.
    for each in values:
        if each.requires_grad or each.device.type != "cpu" or is_functorch_wrapped_tensor(each):
            return False
    return True


def on_device(values: np.ndarray, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """An array as a tensor there; a GPU gets it without the host waiting for what is queued."""
    tensor = torch.from_numpy(values)
    if dtype is not None:
        tensor = tensor.to(dtype)
    if device.type != "cuda":
        return tensor.to(device)
    # Only pinned memory can be read while the host goes on.
    return tensor.pin_memory().to(device, non_blocking=True)


class Kernels(ABC):
    """The norms of all hidden layers of one network, for mini-batches of one size.

    They compute what `Norm.forward` (training mode) and `Norm.backward` compute.
    """

    @abstractmethod
    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """Write the normalized x [N, D] of a layer into y; remember what `backward` needs.

        That is not y, to which is added in place where a skip connection ends.
        """

    @abstractmethod
    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """Write x's gradient into dx, which is not dy, and the parameters' into their arrays."""

    @abstractmethod
    def update_statistics(self) -> None:
        """Take the last forward pass of every layer into the running statistics."""


class MemberKernels(Kernels):
    """The norms of a stack, one network after the other, each through kernels of its own."""

    def __init__(self, members: Sequence[Kernels]) -> None:
        """Run these kernels, one for each member."""
        self._members = members

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """See `Kernels`; x and y are [K, N, D]."""
        for index, kernels in enumerate(self._members):
            kernels.forward(layer, _row(x, index), _row(y, index))

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """See `Kernels`; dy and dx are [K, N, D]."""
        for index, kernels in enumerate(self._members):
            kernels.backward(layer, _row(dy, index), _row(dx, index))

    def update_statistics(self) -> None:
        """See `Kernels`."""
        for kernels in self._members:
            kernels.update_statistics()


def _row(values: Shared, index: int) -> Shared:
    return Shared(values.array[index], values.tensor[index])
