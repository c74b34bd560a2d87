"""Batch normalization of a few numbers in float64, without torch.

A test compares it with the engine's `bnviz.norms.batch.batch_norm_forward`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

POINTS = (2.1, 3.5, 1.8, 4.2)


@dataclass(frozen=True)
class Normalized:
    """Mean, biased variance and normalized values x̂ [m] (Ioffe & Szegedy 2015, Alg. 1)."""

    mean: float
    var: float
    values: np.ndarray


def normalize(points: np.ndarray | tuple[float, ...], eps: float = 0.0) -> Normalized:
    """Return x̂ = (x − μ) / √(σ² + ε) of one unit's values [m], or 0 if σ² + ε is 0."""
    x = np.asarray(points, dtype=np.float64)
    centred = x - x.mean()
    var = float(np.mean(centred**2))
    std = np.sqrt(var + eps)
    values = centred / std if std > 0 else np.zeros_like(x)
    return Normalized(float(x.mean()), var, values)
