"""Products of small matrices. On the CPU, NumPy computes them, because its calls take less time."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.kernels import on_numpy


def product(a: Tensor, b: Tensor, shift: Tensor | None = None) -> Tensor:
    """Return a @ b, plus a broadcast `shift` if given, in a new tensor; autograd is supported."""
    if not (on_numpy(a, b) and (shift is None or on_numpy(shift))):
        if shift is not None and a.device.type != "cpu" and a.dim() == 2:
            return torch.addmm(shift, a, b)
        found = a @ b
        return found if shift is None else found + shift
    with np.errstate(all="ignore"):
        values = np.matmul(a.numpy(), b.numpy())
        if shift is not None:
            np.add(values, shift.numpy(), out=values)
    return torch.from_numpy(values)
