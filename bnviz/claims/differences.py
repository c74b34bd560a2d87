"""How far tensors are from what they should be."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from bnviz.claims.statement import Values


def largest(values: Tensor) -> float:
    """The largest absolute value."""
    return float(values.abs().max())


def off(found: Tensor, expected: Tensor) -> float:
    """The largest difference ÷ the largest expected value."""
    return largest(found - expected) / largest(expected)


def off_in_norm(found: Tensor, expected: Tensor) -> float:
    """The norm of the difference ÷ the norm of the expected values."""
    return float((found - expected).norm() / expected.norm())


def largest_of_each(measured: Sequence[Values]) -> dict[str, float]:
    """The largest value under each key."""
    return {key: max(values[key] for values in measured) for key in measured[0]}
