"""Batch normalization's training pass on memory that is allocated once.

The formulas of `bnviz.norms.batch`, arranged to touch each array as seldom as possible. Means over
the batch are products with a row of 1/N, which BLAS does faster than NumPy's sums; broadcasts over
rows go to torch, whose loops over short rows are faster than NumPy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import Norm, NormLayers, Tensors
from bnviz.norms.kernels import Kernels, Shared, share, share_units


@dataclass(frozen=True)
class _Layer:
    """One layer's parameters, statistics and gradients, [D] each; `centred` is x − μ [N, D].

    Tensors have an axis for the examples, [1, D]. All begin with the members of a stack.
    """

    mean: Shared
    var: np.ndarray
    inverse_std: np.ndarray
    scale: Shared
    centred: Shared
    gamma: np.ndarray
    beta: Tensor
    dgamma: np.ndarray
    dbeta: np.ndarray


class BatchKernels(Kernels):
    """All batch norms of one network or of a stack, for mini-batches of one size."""

    def __init__(self, layers: NormLayers) -> None:
        norms, batch, gradients, buffers, _ = layers
        first = norms[0]
        self._running_mean, self._running_var = (
            buffers[name].numpy() for name in ("running_mean", "running_var")
        )
        self._eps, self._momentum, self._batch = first.eps, first.momentum, batch
        statistics = buffers["running_mean"]
        dtype, members = statistics.dtype, statistics.shape[1:-1]
        self._average = torch.full((batch,), 1 / batch, dtype=dtype).numpy()
        self._means, self._vars, self._inverse_stds, self._scales = (
            torch.empty_like(statistics) for _ in range(4)
        )
        values = (*members, batch, first.width)
        self._centred = torch.empty(len(norms), *values, dtype=dtype)
        self._work = torch.empty(values, dtype=dtype).numpy()
        self._stack = torch.empty_like(statistics).numpy()
        self._slope, self._shift = (
            share_units(torch.empty(*members, first.width, dtype=dtype)) for _ in range(2)
        )
        self._layers = [self._layer(norm, index, gradients) for index, norm in enumerate(norms)]

    def _layer(self, norm: Norm, index: int, gradients: Sequence[Tensors]) -> _Layer:
        found, like = gradients[index], self._means[index]
        gamma = torch.ones_like(like) if norm.gamma is None else norm.gamma
        beta = torch.zeros_like(like) if norm.beta is None else norm.beta
        return _Layer(
            mean=share_units(self._means[index]),
            var=self._vars[index].numpy(),
            inverse_std=self._inverse_stds[index].numpy(),
            scale=share_units(self._scales[index]),
            centred=share(self._centred[index]),
            gamma=gamma.numpy(),
            beta=beta.unsqueeze(-2),
            dgamma=found.get("gamma", torch.empty_like(gamma)).numpy(),
            dbeta=found.get("beta", torch.empty_like(beta)).numpy(),
        )

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """y = γ (x − μ) / √(σ² + ε) + β."""
        state, work = self._layers[layer], self._work
        centred, inverse_std = state.centred.array, state.inverse_std
        np.matmul(self._average, x.array, out=state.mean.array)
        torch.sub(x.tensor, state.mean.tensor, out=state.centred.tensor)
        np.multiply(centred, centred, out=work)
        np.matmul(self._average, work, out=state.var)
        np.add(state.var, self._eps, out=inverse_std)
        np.sqrt(inverse_std, out=inverse_std)
        np.reciprocal(inverse_std, out=inverse_std)
        np.multiply(inverse_std, state.gamma, out=state.scale.array)
        torch.addcmul(state.beta, state.centred.tensor, state.scale.tensor, out=y.tensor)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """dx = (γ/σ)(dy − mean dy − x̂ · mean(dy · x̂)), with x̂ = centred / σ."""
        state, work, batch = self._layers[layer], self._work, self._batch
        scale, slope, shift = state.scale.array, self._slope.array, self._shift.array
        np.multiply(dy.array, state.centred.array, out=work)
        np.matmul(self._average, work, out=slope)
        np.multiply(slope, state.inverse_std, out=slope)
        np.multiply(slope, batch, out=state.dgamma)
        np.multiply(slope, state.inverse_std, out=slope)
        np.multiply(slope, scale, out=slope)
        np.matmul(self._average, dy.array, out=shift)
        np.multiply(shift, batch, out=state.dbeta)
        np.multiply(shift, scale, out=shift)
        np.negative(shift, out=shift)
        torch.addcmul(self._shift.tensor, dy.tensor, state.scale.tensor, out=dx.tensor)
        torch.addcmul(dx.tensor, state.centred.tensor, self._slope.tensor, value=-1, out=dx.tensor)

    def update_statistics(self) -> None:
        """Running mean and unbiased variance of all layers at once."""
        kept, taken = 1 - self._momentum, self._momentum
        unbiased = taken * self._batch / max(self._batch - 1, 1)
        work = self._stack
        for running, new, share_of_new in (
            (self._running_mean, self._means.numpy(), taken),
            (self._running_var, self._vars.numpy(), unbiased),
        ):
            np.multiply(new, share_of_new, out=work)
            np.multiply(running, kept, out=running)
            np.add(running, work, out=running)
