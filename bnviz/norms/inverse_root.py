"""The inverse square root of symmetric matrices, differentiable as often as wanted.

The derivative of an eigendecomposition divides by differences of eigenvalues and breaks down where
two are equal. That of W = Σ^(−1/2) need not: it solves W·dW + dW·W = −W²·dΣ·W², and that divides by
sums of W's eigenvalues, which are positive.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class InverseRoot(torch.autograd.Function):
    """Σ^(−1/2) [..., K, K], Σ's eigenvectors [..., K, K], their eigenvalues to the −1/2 [..., K].

    Of symmetric positive definite Σ. Only the first result has a gradient. NaN where Σ is not
    finite.
    """

    @staticmethod
    def forward(matrix: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Through the eigendecomposition."""
        if not bool(torch.isfinite(matrix).all()):
            lost = torch.full_like(matrix, torch.nan)
            return lost, lost.clone(), lost[..., 0].clone()
        values, vectors = torch.linalg.eigh(matrix)
        roots = values.rsqrt()
        return (vectors * roots[..., None, :]) @ vectors.mT, vectors, roots

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep the results."""
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Tensor:
        """See `inverse_root_gradient`."""
        return inverse_root_gradient(gradients[0], *ctx.saved_tensors)


class Lyapunov(torch.autograd.Function):
    """The symmetric X with W X + X W = B, for symmetric B [..., K, K] and positive definite W.

    W is given together with its eigenvectors and eigenvalues.
    """

    @staticmethod
    def forward(matrix: Tensor, right: Tensor, vectors: Tensor, values: Tensor) -> Tensor:
        """In the basis of the eigenvectors."""
        inner = vectors.mT @ right @ vectors
        return vectors @ (inner / (values[..., :, None] + values[..., None, :])) @ vectors.mT

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keep W and the solution."""
        matrix, _, vectors, values = inputs
        ctx.save_for_backward(matrix, vectors, values, output)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor, None, None]:
        """Y by B, where Y solves the equation for the gradient of X; −(Y X + X Y) by W."""
        matrix, vectors, values, solution = ctx.saved_tensors
        dright = Lyapunov.apply(matrix, _symmetric(gradients[0]), vectors, values)
        product = dright @ solution
        return -(product + product.mT), dright, None, None


def inverse_root_gradient(droot: Tensor, root: Tensor, vectors: Tensor, values: Tensor) -> Tensor:
    """Gradient of Σ from that of Σ^(−1/2), symmetric.

    Args:
        droot: gradient of Σ^(−1/2) [..., K, K].
        root: Σ^(−1/2), as `InverseRoot` gave it.
        vectors: its eigenvectors.
        values: its eigenvalues.
    """
    middle = Lyapunov.apply(root, _symmetric(droot), vectors, values)
    square = root @ root
    gradient: Tensor = -square @ middle @ square
    return gradient


def _symmetric(matrix: Tensor) -> Tensor:
    return (matrix + matrix.mT) / 2
