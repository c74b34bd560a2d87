"""Unit axis and averaged axes of a layer's values.

Values are [N, D] (D units) or [N, C, H, W] (C feature maps; every position is a sample).
"""

from __future__ import annotations

import torch
from torch import Tensor


def batch_axes(x: Tensor) -> tuple[int, ...]:
    """Return all axes except the unit axis."""
    return tuple(axis for axis in range(x.ndim) if axis != 1)


def by_feature(values: Tensor, x: Tensor) -> Tensor:
    """Reshape one value per unit, [D], so that it broadcasts against x."""
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


def values_per_feature(x: Tensor) -> int:
    """Return the number of values per unit in x."""
    return x.numel() // max(x.shape[1], 1)


def scale_and_shift(normalized: Tensor, gamma: Tensor | None, beta: Tensor | None) -> Tensor:
    """Return γ · normalized + β with one γ and β per unit, or 1 and 0 if they are None."""
    if gamma is not None and beta is not None:
        scale, shift = by_feature(gamma, normalized), by_feature(beta, normalized)
        return torch.addcmul(shift, normalized, scale)
    y = normalized if gamma is None else normalized * by_feature(gamma, normalized)
    return y if beta is None else y + by_feature(beta, normalized)


def require_batch(x: Tensor, what: str) -> None:
    """Check that a batch has at least two values per unit.

    With one value, x − μ is 0, so every result is β and every gradient is zero.

    Raises:
        ValueError: for one value per unit; the message starts with the norm's name, `what`.
    """
    count = values_per_feature(x)
    if count < 2:
        raise ValueError(
            f"{what} in training mode needs at least 2 values per unit, got {count} "
            f"(x is {list(x.shape)})."
        )
