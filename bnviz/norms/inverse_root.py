"""Inverse square roots of symmetric matrices, differentiable any number of times.

The derivative of an eigendecomposition divides by differences of eigenvalues, so it fails if two
eigenvalues are equal. The derivative of W = Σ^(−1/2) itself is well defined: it solves W·dW + dW·W
= −W²·dΣ·W², which only divides by sums of W's positive eigenvalues.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

Array = TypeVar("Array", Tensor, np.ndarray)


def inverse_root(matrix: Array) -> tuple[Array, Array, Array]:
    """Return W = Σ^(−1/2), its eigenvectors (all [..., K, K]) and its eigenvalues [..., K].

    Σ must be symmetric positive definite. If it is not finite, the results are NaN. For tensors,
    only W has a gradient.
    """
    if isinstance(matrix, Tensor):
        return InverseRoot.apply(matrix)
    # torch's routine is faster than NumPy's for small matrices.
    root, vectors, values = _inverse_root(torch.from_numpy(matrix))
    return root.numpy(), vectors.numpy(), values.numpy()


def inverse_root_gradient(droot: Array, root: Array, vectors: Array, values: Array) -> Array:
    """Return Σ's symmetric gradient from W's gradient, given the results of `inverse_root`."""
    middle = solve_lyapunov(root, droot, vectors, values)
    square = root @ root
    return -square @ middle @ square


def solve_lyapunov(matrix: Array, right: Array, vectors: Array, values: Array) -> Array:
    """Solve W X + X W = B for symmetric W, B and X, given W's eigenvectors and eigenvalues."""
    if isinstance(right, Tensor):
        return Lyapunov.apply(matrix, right, vectors, values)
    return _solve_lyapunov(right, vectors, values)


def _inverse_root(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    if not bool(torch.isfinite(matrix).all()):
        lost = torch.full_like(matrix, torch.nan)
        return lost, lost.clone(), lost[..., 0].clone()
    values, vectors = torch.linalg.eigh(matrix)
    roots = values.rsqrt()
    return (vectors * roots[..., None, :]) @ vectors.mT, vectors, roots


def _solve_lyapunov(right: Array, vectors: Array, values: Array) -> Array:
    inner = vectors.mT @ right @ vectors
    return vectors @ (inner / (values[..., :, None] + values[..., None, :])) @ vectors.mT


class InverseRoot(torch.autograd.Function):
    """`inverse_root` for autograd; only the first result has a gradient."""

    @staticmethod
    def forward(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return _inverse_root(matrix)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Tensor:
        droot = (gradients[0] + gradients[0].mT) / 2
        return inverse_root_gradient(droot, *ctx.saved_tensors)


class Lyapunov(torch.autograd.Function):
    """`solve_lyapunov` for autograd."""

    @staticmethod
    def forward(matrix: Tensor, right: Tensor, vectors: Tensor, values: Tensor) -> Tensor:
        return _solve_lyapunov(right, vectors, values)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        matrix, _, vectors, values = inputs
        ctx.save_for_backward(matrix, vectors, values, output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor, None, None]:
        """dB = Y, the solution of W Y + Y W = dX, and dW = −(Y X + X Y)."""
        matrix, vectors, values, solution = ctx.saved_tensors
        dsolution = (gradients[0] + gradients[0].mT) / 2
        dright = solve_lyapunov(matrix, dsolution, vectors, values)
        product = dright @ solution
        return -(product + product.mT), dright, None, None
