"""Needs NumPy and torch."""

import numpy as np

from bnviz.run_script.parts.data.plane import split


def load():
    """Return a circle of radius 1 around a circle of radius 0.5."""
    angle = np.linspace(0, 2 * np.pi, 750, endpoint=False)
    outer = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return split(outer, 0.5 * outer)
