"""Batch normalization combined with dropout after the nonlinearity."""

from __future__ import annotations

from torch import Tensor

from bnviz.norms.batch import BatchNorm
from bnviz.norms.dropout import DroppingNorm


class BatchNormDropout(DroppingNorm, BatchNorm):
    """Batch normalization with dropout of the layer's output (Srivastava et al. 2014).

    With ReLU, dropout before the nonlinearity gives the same: max(c z, 0) = c max(z, 0) for c ≥ 0.
    """

    name = "batch_dropout"
    stackable = False  # Each network draws its own noise.
    drops = True

    def mask(self, output: Tensor) -> Tensor:
        return self.draw_mask(output)
