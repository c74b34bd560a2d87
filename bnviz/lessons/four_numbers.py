"""Batch normalization of a few numbers in float64, without torch: what a page prints of it.

The engine's own is `bnviz.norms.batch.batch_norm_forward`; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POINTS = (2.1, 3.5, 1.8, 4.2)


@dataclass(frozen=True)
class Normalized:
    """Ioffe & Szegedy 2015, Alg. 1, before γ and β.

    Attributes:
        mean: μ.
        var: σ², divided by m.
        values: x̂ [m].
    """

    mean: float
    var: float
    values: np.ndarray


def normalize(points: np.ndarray | tuple[float, ...], eps: float = 0.0) -> Normalized:
    """x̂ = (x − μ) / √(σ² + ε) of one unit's values [m]; 0 where σ² + ε is 0."""
    x = np.asarray(points, dtype=np.float64)
    centred = x - x.mean()
    var = float(np.mean(centred**2))
    std = np.sqrt(var + eps)
    values = centred / std if std > 0 else np.zeros_like(x)
    return Normalized(float(x.mean()), var, values)
