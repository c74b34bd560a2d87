"""Which axis of a layer's values is the unit, and which are averaged over.

Values are [N, D] (D units), or [N, C, H, W] (C feature maps; each position is a sample of its map).
"""

from __future__ import annotations

import torch
from torch import Tensor


def batch_axes(x: Tensor) -> tuple[int, ...]:
    """Every axis but that of the units."""
    return tuple(axis for axis in range(x.ndim) if axis != 1)


def by_feature(values: Tensor, x: Tensor) -> Tensor:
    """One value a unit, [D], in the shape that broadcasts against x."""
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


def values_per_feature(x: Tensor) -> int:
    """How many values of x each unit has."""
    return x.numel() // max(x.shape[1], 1)


def scale_and_shift(normalized: Tensor, gamma: Tensor | None, beta: Tensor | None) -> Tensor:
    """γ times the normalized values plus β, one of each a unit; None for 1 and 0."""
    if gamma is not None and beta is not None:
        scale, shift = by_feature(gamma, normalized), by_feature(beta, normalized)
        return torch.addcmul(shift, normalized, scale)
    y = normalized if gamma is None else normalized * by_feature(gamma, normalized)
    return y if beta is None else y + by_feature(beta, normalized)


def require_batch(x: Tensor, what: str) -> None:
    """Refuse a batch without spread.

    Args:
        x: what a norm is to take batch statistics of.
        what: the norm's name, to begin a sentence with.

    Raises:
        ValueError: each unit has a single value, so that every result would be the shift alone and
            every gradient zero.
    """
    count = values_per_feature(x)
    if count < 2:
        raise ValueError(
            f"{what} in training mode needs at least 2 values for each unit, got {count} "
            f"(x is {list(x.shape)})."
        )
