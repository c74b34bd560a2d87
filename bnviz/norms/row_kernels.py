"""Training pass of layer and RMS normalization, with the formulas of `bnviz.norms.group`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from bnviz.norms.base import Learned, NormLayers
from bnviz.norms.kernels import Kernels, Shared, share


@dataclass(frozen=True)
class _RowLayer:
    """Arrays of one layer: x̂ [N, D], 1/σ [N, 1], γ and β; stacks have a leading axis K."""

    normalized: Shared
    inverse_std: np.ndarray
    learned: Learned


class RowKernels(Kernels):
    """Kernels for layer normalization, or for RMS normalization if `centre` is false."""

    def __init__(self, layers: NormLayers, *, centre: bool) -> None:
        first, batch = layers.norms[0], layers.batch
        width, dtype, values = first.width, first.dtype, (*layers.members, batch)
        self._centre, self._eps, self._shifts = centre, first.eps, first.beta is not None
        self._average = torch.full((width, 1), 1 / width, dtype=dtype).numpy()
        self._ones = torch.ones(batch, dtype=dtype).numpy()
        self._work = torch.empty(*values, width, dtype=dtype).numpy()
        self._column = torch.empty(*values, 1, dtype=dtype).numpy()
        self._layers = [
            _RowLayer(
                normalized=share(torch.empty(*values, width, dtype=dtype)),
                inverse_std=torch.empty(*values, 1, dtype=dtype).numpy(),
                learned=layers.learned(index),
            )
            for index in range(len(layers.norms))
        ]

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """y = γ x̂ + β; x̂ is (x − μ)/σ for layer normalization, x/RMS for RMS normalization."""
        state, work, inverse_std = self._layers[layer], self._work, self._layers[layer].inverse_std
        normalized, values = state.normalized.array, x.array
        if self._centre:
            np.matmul(values, self._average, out=self._column)
            np.subtract(values, self._column, out=normalized)
            values = normalized
        np.multiply(values, values, out=work)
        np.matmul(work, self._average, out=inverse_std)
        np.add(inverse_std, self._eps, out=inverse_std)
        np.sqrt(inverse_std, out=inverse_std)
        np.reciprocal(inverse_std, out=inverse_std)
        np.multiply(values, inverse_std, out=normalized)
        gamma, beta = state.learned.gamma.tensor, state.learned.beta.tensor
        torch.addcmul(beta, state.normalized.tensor, gamma, out=y.tensor)

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy; for RMS, without mean g."""
        state, work, g = self._layers[layer], self._work, dx.array
        normalized, learned = state.normalized.array, state.learned
        np.multiply(dy.array, normalized, out=work)
        np.matmul(self._ones, work, out=learned.dgamma)
        if self._shifts:
            np.matmul(self._ones, dy.array, out=learned.dbeta)
        torch.mul(dy.tensor, learned.gamma.tensor, out=dx.tensor)
        np.multiply(g, normalized, out=work)
        np.matmul(work, self._average, out=self._column)
        np.multiply(normalized, self._column, out=work)
        if self._centre:
            np.matmul(g, self._average, out=self._column)
            np.subtract(g, self._column, out=g)
        np.subtract(g, work, out=g)
        np.multiply(g, state.inverse_std, out=g)

    def update_statistics(self) -> None:
        """Do nothing, because these norms have no running statistics."""
