"""Batch normalization and dropout in one network: BN, the nonlinearity, then dropout."""

from __future__ import annotations

from torch import Tensor

from bnviz.norms.batch import BatchNorm
from bnviz.norms.dropout import DroppingNorm


class BatchNormDropout(DroppingNorm, BatchNorm):
    """Batch normalization, and dropout of what the layer then sends on (Srivastava et al. 2014).

    Where the nonlinearity is ReLU it does not matter on which side of it values are dropped:
    max(c z, 0) = c max(z, 0) for c ≥ 0. The same step drops the same values as `Dropout` does.
    """

    name = "batch_dropout"
    stackable = False  # each network draws noise of its own
    drops = True

    def mask(self, output: Tensor) -> Tensor:
        """0 where a value is dropped in training mode, 1/(1 − p) elsewhere."""
        return self.draw_mask(output)
