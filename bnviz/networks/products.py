"""Matrix products of small matrices: on the CPU by NumPy, whose calls cost less than torch's."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def product(a: Tensor, b: Tensor, shift: Tensor | None = None) -> Tensor:
    """a @ b, plus a shift that broadcasts against it; in a new tensor, also under autograd."""
    if not all(_plain(part) for part in (a, b)) or not (shift is None or _plain(shift)):
        found = a @ b
        return found if shift is None else found + shift
    with np.errstate(all="ignore"):
        values = np.matmul(a.numpy(), b.numpy())
        if shift is not None:
            np.add(values, shift.numpy(), out=values)
    return torch.from_numpy(values)


def _plain(values: Tensor) -> bool:
    return values.device.type == "cpu" and not values.requires_grad
