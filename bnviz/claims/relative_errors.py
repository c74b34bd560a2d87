"""Errors of tensors relative to expected values."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from bnviz.claims.statement import ClaimValues


def largest(values: Tensor) -> float:
    return float(values.abs().max())


def off(found: Tensor, expected: Tensor) -> float:
    """Return the largest absolute difference ÷ the largest absolute expected value."""
    return largest(found - expected) / largest(expected)


def off_in_norm(found: Tensor, expected: Tensor) -> float:
    """Return the norm of the difference ÷ the norm of the expected values."""
    return float((found - expected).norm() / expected.norm())


def largest_of_each(measured: Sequence[ClaimValues]) -> dict[str, float]:
    return {key: max(values[key] for values in measured) for key in measured[0]}
