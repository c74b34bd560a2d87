"""The training pass of whitening norms on NumPy arrays.

The formulas of `bnviz.norms.whitening`; products of many small matrices are three times as fast in
NumPy as in torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.kernels import Kernels, Shared, share


class Whitening(Protocol):
    """What these kernels need of a norm; every `WhiteningNorm` has it."""

    width: int
    dtype: torch.dtype
    groups: int
    size: int
    momentum: float

    @property
    def gamma(self) -> Tensor | None:
        """γ [D]; None: 1."""

    @property
    def beta(self) -> Tensor | None:
        """β [D]; None: 0."""

    buffers: dict[str, Tensor]

    def whiten(self, covariance: Any, count: int) -> tuple[Any, Any]:
        """See `WhiteningNorm`."""

    def whiten_gradient(self, dwhitening: Any, memory: Any) -> Any:
        """See `WhiteningNorm`."""


@dataclass
class _Layer:
    """One layer's norm, what a forward pass left behind, and where gradients go."""

    norm: Whitening
    mean: Shared  # [D]
    centred: np.ndarray  # [G, M, K]
    normalized: Shared  # [M, D]
    dgamma: np.ndarray | None
    dbeta: np.ndarray | None
    whitening: np.ndarray | None = None  # [G, K, K]
    memory: Any = None


class WhiteningKernels(Kernels):
    """All whitening norms of one network, for mini-batches of one size."""

    def __init__(
        self,
        norms: Sequence[Whitening],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
    ) -> None:
        """Allocate for `batch` examples.

        Args:
            norms: the norm of each hidden layer, all of one width.
            batch: N.
            gradients: where to write the gradients of γ and β, by layer.
        """
        first = norms[0]
        dtype, width = first.dtype, first.width
        self._batch, self._width = batch, width
        self._average = torch.full((batch,), 1 / batch, dtype=dtype).numpy()
        self._ones = torch.ones(batch, dtype=dtype).numpy()
        # Rows as wide as all groups together; what is beyond the units stays zero.
        self._rows = torch.zeros(batch, first.groups * first.size, dtype=dtype).numpy()
        self._grouped = self._rows.reshape(batch, first.groups, first.size).swapaxes(0, 1)
        self._units = share(torch.from_numpy(self._rows)[:, :width])
        self._work = torch.empty(batch, width, dtype=dtype).numpy()
        self._layers = [
            _Layer(
                norm=norm,
                mean=share(torch.empty(width, dtype=dtype)),
                centred=np.empty(self._grouped.shape, self._rows.dtype),
                normalized=share(torch.empty(batch, width, dtype=dtype)),
                dgamma=found["gamma"].numpy() if "gamma" in found else None,
                dbeta=found["beta"].numpy() if "beta" in found else None,
            )
            for norm, found in zip(norms, gradients, strict=True)
        ]

    def forward(self, layer: int, x: Shared, y: Shared) -> None:
        """y = γ W (x − μ) + β."""
        state = self._layers[layer]
        norm, centred, normalized = state.norm, state.centred, state.normalized
        np.matmul(self._average, x.array, out=state.mean.array)
        torch.sub(x.tensor, state.mean.tensor, out=self._units.tensor)
        np.copyto(centred, self._grouped)
        covariance = centred.mT @ centred
        covariance /= self._batch
        state.whitening, state.memory = norm.whiten(covariance, self._batch)
        np.copyto(self._grouped, centred @ state.whitening)
        np.copyto(normalized.array, self._units.array)
        if norm.gamma is None:
            np.copyto(y.array, normalized.array)
        elif norm.beta is None:
            torch.mul(normalized.tensor, norm.gamma, out=y.tensor)
        else:
            torch.addcmul(norm.beta, normalized.tensor, norm.gamma, out=y.tensor)
        self._clear()

    def backward(self, layer: int, dy: Shared, dx: Shared) -> None:
        """dC = g W + 2/M · C dΣ with g = γ dy; dx = dC − mean dC."""
        state = self._layers[layer]
        norm, centred = state.norm, state.centred
        assert state.whitening is not None
        if state.dgamma is not None:
            np.multiply(dy.array, state.normalized.array, out=self._work)
            np.matmul(self._ones, self._work, out=state.dgamma)
        if state.dbeta is not None:
            np.matmul(self._ones, dy.array, out=state.dbeta)
        if norm.gamma is None:
            np.copyto(self._units.array, dy.array)
        else:
            torch.mul(dy.tensor, norm.gamma, out=self._units.tensor)
        g = np.ascontiguousarray(self._grouped)
        dwhitening = centred.mT @ g
        dcovariance = norm.whiten_gradient((dwhitening + dwhitening.mT) / 2, state.memory)
        dcentred = g @ state.whitening
        dcentred += centred @ (dcovariance * (2 / self._batch))
        np.copyto(self._grouped, dcentred)
        mean = torch.from_numpy(np.matmul(self._average, self._units.array))
        torch.sub(self._units.tensor, mean, out=dx.tensor)
        self._clear()

    def _clear(self) -> None:
        """What is not finite must not stay beyond the units, where products would spread it."""
        self._rows[:, self._width :] = 0

    def update_statistics(self) -> None:
        """Running means and whitening matrices."""
        for state in self._layers:
            norm, buffers = state.norm, state.norm.buffers
            assert state.whitening is not None
            new = {"running_mean": state.mean.tensor,
                   "running_whitening": torch.from_numpy(state.whitening)}  # fmt: skip
            for name, value in new.items():
                buffers[name].mul_(1 - norm.momentum).add_(value, alpha=norm.momentum)
