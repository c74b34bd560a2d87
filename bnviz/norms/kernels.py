"""Norms for the CPU training step, computed in preallocated memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor


class Shared(NamedTuple):
    """NumPy array and tensor that share memory.

    Small operations are fastest in NumPy and broadcasts over short rows in torch. Keeping both
    views avoids a conversion at every step, which would take as long as the operation itself.
    """

    array: np.ndarray
    tensor: Tensor


def share(tensor: Tensor) -> Shared:
    """Return a CPU tensor together with its NumPy view."""
    return Shared(tensor.numpy(), tensor)


def share_units(tensor: Tensor) -> Shared:
    """Return an array [D] with a tensor view [1, D] for broadcasts, or [K, D] with [K, 1, D]."""
    return Shared(tensor.numpy(), tensor.unsqueeze(-2))


def on_numpy(*values: Tensor) -> bool:
    """Return whether NumPy can use the tensors: on the CPU, without autograd or `vmap`."""
    # This is called for every layer of every step. A generator expression would take twice as long.
    for each in values:
        if each.requires_grad or each.device.type != "cpu" or is_functorch_wrapped_tensor(each):
            return False
    return True


def on_device(values: np.ndarray, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """Return an array as a tensor on `device`, without waiting for queued work on a GPU."""
    tensor = torch.from_numpy(values)
    if dtype is not None:
        tensor = tensor.to(dtype)
    if device.type != "cuda":
        return tensor.to(device)
    # Asynchronous copies need pinned memory.
    return tensor.pin_memory().to(device, non_blocking=True)


class Kernels(ABC):
    """Norms of all hidden layers in training mode, for one mini-batch size."""

    @abstractmethod
    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """Write a layer's normalized x [N, D] into y and cache values for `backward`.

        The cache must not contain y, because skip connections are added to y in place.
        """

    @abstractmethod
    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """Write x's gradient into dx, which must not be dy, and the parameters' gradients."""

    @abstractmethod
    def update_statistics(self) -> None:
        """Update the running statistics from the last forward pass of every layer."""


class MemberKernels(Kernels):
    """Kernels that run the networks of a stack one after another; values are [K, N, D]."""

    def __init__(self, members: Sequence[Kernels]) -> None:
        self._members = members

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        for index, kernels in enumerate(self._members):
            kernels.forward(layer, _row(x, index), _row(y, index))

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        for index, kernels in enumerate(self._members):
            kernels.backward(layer, _row(dy, index), _row(dx, index))

    def update_statistics(self) -> None:
        for kernels in self._members:
            kernels.update_statistics()


def _row(values: Shared, index: int) -> Shared:
    return Shared(values.array[index], values.tensor[index])
