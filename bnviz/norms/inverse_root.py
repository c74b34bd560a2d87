"""The inverse square root of symmetric matrices, differentiable as often as wanted.

The derivative of an eigendecomposition divides by differences of eigenvalues and breaks down where
two are equal. That of W = Σ^(−1/2) need not: it solves W·dW + dW·W = −W²·dΣ·W², and that divides by
sums of W's eigenvalues, which are positive.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

Array = TypeVar("Array", Tensor, np.ndarray)


def inverse_root(matrix: Array) -> tuple[Array, Array, Array]:
    """Σ^(−1/2) [..., K, K], Σ's eigenvectors [..., K, K], their eigenvalues to the −1/2 [..., K].

    Tensors keep a gradient in the first of them. NaN where Σ is not finite.

    Args:
        matrix: Σ, symmetric and positive definite.
    """
    if isinstance(matrix, Tensor):
        return InverseRoot.apply(matrix)
    # torch's routine is faster than NumPy's for small matrices.
    root, vectors, values = _inverse_root(torch.from_numpy(matrix))
    return root.numpy(), vectors.numpy(), values.numpy()


def inverse_root_gradient(droot: Array, root: Array, vectors: Array, values: Array) -> Array:
    """Gradient of Σ from that of Σ^(−1/2), symmetric.

    Args:
        droot: gradient of Σ^(−1/2), symmetric [..., K, K].
        root: Σ^(−1/2), as `inverse_root` gave it.
        vectors: its eigenvectors.
        values: its eigenvalues.
    """
    middle = solve_lyapunov(root, droot, vectors, values)
    square = root @ root
    return -square @ middle @ square


def solve_lyapunov(matrix: Array, right: Array, vectors: Array, values: Array) -> Array:
    """The symmetric X with W X + X W = B; a tensor X can be differentiated by W and B.

    Args:
        matrix: W, symmetric and positive definite [..., K, K].
        right: B, symmetric [..., K, K].
        vectors: W's eigenvectors.
        values: W's eigenvalues [..., K].
    """
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
    """`inverse_root` of tensors; only the first result has a gradient."""

    @staticmethod
    def forward(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Through the eigendecomposition."""
        return _inverse_root(matrix)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the results."""
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Tensor:
        """See `inverse_root_gradient`."""
        droot = (gradients[0] + gradients[0].mT) / 2
        return inverse_root_gradient(droot, *ctx.saved_tensors)


class Lyapunov(torch.autograd.Function):
    """`solve_lyapunov` of tensors."""

    @staticmethod
    def forward(matrix: Tensor, right: Tensor, vectors: Tensor, values: Tensor) -> Tensor:
        """In the basis of the eigenvectors."""
        return _solve_lyapunov(right, vectors, values)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep W and the solution."""
        matrix, _, vectors, values = inputs
        ctx.save_for_backward(matrix, vectors, values, output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor, None, None]:
        """Y by B, where Y solves the equation for the gradient of X; −(Y X + X Y) by W."""
        matrix, vectors, values, solution = ctx.saved_tensors
        dsolution = (gradients[0] + gradients[0].mT) / 2
        dright = solve_lyapunov(matrix, dsolution, vectors, values)
        product = dright @ solution
        return -(product + product.mT), dright, None, None
