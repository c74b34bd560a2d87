"""Training pass of batch normalization in preallocated memory.

It uses the formulas of `bnviz.norms.batch` with few passes over each array. Means over the batch
are products with a row of 1/N, which BLAS computes faster than NumPy sums. Row broadcasts use
torch, whose loops over short rows are faster than NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from bnviz.norms.base import Learned, NormLayers
from bnviz.norms.kernels import Kernels, Shared, share, share_units


@dataclass(frozen=True)
class _BatchLayer:
    """Arrays of one layer: statistics [D], γ, β, x − μ [N, D]; stacks have a leading axis K."""

    mean: Shared
    var: np.ndarray
    inverse_std: np.ndarray
    scale: Shared
    centred: Shared
    learned: Learned


class BatchKernels(Kernels):
    """Kernels for all batch norms of one network or stack, for one mini-batch size."""

    def __init__(self, layers: NormLayers) -> None:
        first, batch, buffers = layers.norms[0], layers.batch, layers.buffers
        self._running_mean, self._running_var = (
            buffers[name].numpy() for name in ("running_mean", "running_var")
        )
        self._norms, self._eps, self._batch = layers.norms, first.eps, batch
        statistics = buffers["running_mean"]
        dtype, members = statistics.dtype, layers.members
        self._average = torch.full((batch,), 1 / batch, dtype=dtype).numpy()
        self._means, self._vars = (torch.empty_like(statistics) for _ in range(2))
        values = (*members, batch, first.width)
        self._work = torch.empty(values, dtype=dtype).numpy()
        self._stack = torch.empty_like(statistics).numpy()
        self._slope, self._shift = (
            share_units(torch.empty(*members, first.width, dtype=dtype)) for _ in range(2)
        )
        self._layers = [
            _BatchLayer(
                mean=share_units(self._means[index]),
                var=self._vars[index].numpy(),
                inverse_std=torch.empty(*members, first.width, dtype=dtype).numpy(),
                scale=share_units(torch.empty(*members, first.width, dtype=dtype)),
                centred=share(torch.empty(values, dtype=dtype)),
                learned=layers.learned(index),
            )
            for index in range(len(layers.norms))
        ]

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
        np.multiply(inverse_std, state.learned.gamma.array, out=state.scale.array)
        beta = state.learned.beta.tensor
        torch.addcmul(beta, state.centred.tensor, state.scale.tensor, out=y.tensor)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """dx = (γ/σ)(dy − mean dy − x̂ · mean(dy · x̂)), with x̂ = centred / σ."""
        state, work, batch = self._layers[layer], self._work, self._batch
        scale, slope, shift = state.scale.array, self._slope.array, self._shift.array
        np.multiply(dy.array, state.centred.array, out=work)
        np.matmul(self._average, work, out=slope)
        np.multiply(slope, state.inverse_std, out=slope)
        np.multiply(slope, batch, out=state.learned.dgamma)
        np.multiply(slope, state.inverse_std, out=slope)
        np.multiply(slope, scale, out=slope)
        np.matmul(self._average, dy.array, out=shift)
        np.multiply(shift, batch, out=state.learned.dbeta)
        np.multiply(shift, scale, out=shift)
        np.negative(shift, out=shift)
        torch.addcmul(self._shift.tensor, dy.tensor, state.scale.tensor, out=dx.tensor)
        torch.addcmul(dx.tensor, state.centred.tensor, self._slope.tensor, value=-1, out=dx.tensor)

    def update_statistics(self) -> None:
        """Update the running mean and unbiased variance of all layers at once."""
        taken = self._norms[0].share_of_new
        kept = 1 - taken
        unbiased = taken * self._batch / max(self._batch - 1, 1)
        work = self._stack
        for running, new, share_of_new in (
            (self._running_mean, self._means.numpy(), taken),
            (self._running_var, self._vars.numpy(), unbiased),
        ):
            np.multiply(new, share_of_new, out=work)
            np.multiply(running, kept, out=running)
            np.add(running, work, out=running)
        for norm in self._norms:
            norm.count_batch()
