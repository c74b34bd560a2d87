"""Initial weights, which are the same for all networks of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

WEIGHTS_STREAM = 0
DEFAULT_STD = 0.1

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


def glorot(generator: np.random.Generator, fan_out: int, fan_in: int) -> np.ndarray:
    """Draw weights uniformly between ±√(6 / (fan_in + fan_out)) (Glorot & Bengio 2010)."""
    limit = np.sqrt(6 / (fan_in + fan_out))
    return generator.uniform(-limit, limit, (fan_out, fan_in))


def he(generator: np.random.Generator, fan_out: int, fan_in: int) -> np.ndarray:
    """Draw normal weights with standard deviation √(2 / fan_in) (He et al. 2015)."""
    return generator.normal(0, np.sqrt(2 / fan_in), (fan_out, fan_in))


def orthogonal(generator: np.random.Generator, fan_out: int, fan_in: int) -> np.ndarray:
    """Draw a matrix with orthonormal rows or columns, whichever are fewer (Saxe et al. 2014)."""
    gaussian = generator.standard_normal((max(fan_out, fan_in), min(fan_out, fan_in)))
    q, r = np.linalg.qr(gaussian)
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)  # makes the distribution uniform
    return q if fan_out >= fan_in else q.T


INITS: dict[str, Draw] = {"glorot": glorot, "he": he, "orthogonal": orthogonal}


def draw_weights(
    name: str, std: float | None, shapes: list[tuple[int, int]], seed: int
) -> list[np.ndarray]:
    """Return the initial weights of linear layers, each float64 [fan_out, fan_in].

    The standard deviation `std` is only used for "normal" weights; None means 0.1.
    """
    generator = np.random.default_rng([seed, WEIGHTS_STREAM])
    if name == "normal":
        scale = DEFAULT_STD if std is None else std
        return [generator.normal(0, scale, shape) for shape in shapes]
    draw = INITS[name]
    return [draw(generator, *shape) for shape in shapes]
