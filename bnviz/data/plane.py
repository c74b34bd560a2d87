"""Two classes of points in the plane: 1,000 for training, 500 for testing.

The points are evenly spaced on curves, and the noise that is added later scatters them. The scatter
therefore depends on `RunConfig.noise` and the seed. Every third point is a test point.
"""

from __future__ import annotations

import numpy as np

from bnviz.data.base import RawData

POINTS = 1500
PER_CLASS = POINTS // 2
SPIRAL_TURNS = 1.75
SPIRAL_RADIUS = 3.0
INNER_RADIUS = 0.5


def spirals() -> RawData:
    """Two arms of an Archimedean spiral, half a turn apart, radius 3."""
    share = np.linspace(0.1, 1, PER_CLASS)
    angle, radius = 2 * np.pi * SPIRAL_TURNS * share, SPIRAL_RADIUS * share
    arm = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return _split(arm, -arm)


def moons() -> RawData:
    """Two interleaved half circles of radius 1."""
    angle = np.linspace(0, np.pi, PER_CLASS)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return _split(upper, lower)


def circles() -> RawData:
    """A circle of radius 1 around a circle of radius 0.5."""
    angle = np.linspace(0, 2 * np.pi, PER_CLASS, endpoint=False)
    outer = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _split(outer, INNER_RADIUS * outer)


def xor() -> RawData:
    """Clouds around the corners (±1, ±1); opposite corners share a class."""
    sign = np.where(np.arange(PER_CLASS) < PER_CLASS // 2, 1.0, -1.0)
    return _split(np.stack([sign, sign], axis=1), np.stack([sign, -sign], axis=1))


def _split(first: np.ndarray, second: np.ndarray) -> RawData:
    inputs = np.concatenate([first, second]).astype(np.float32)
    labels = np.repeat(np.arange(2, dtype=np.int64), PER_CLASS)
    is_test = np.arange(POINTS) % 3 == 2
    return RawData(inputs[~is_test], labels[~is_test], inputs[is_test], labels[is_test], None)
