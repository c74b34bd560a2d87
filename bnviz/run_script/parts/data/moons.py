"""Needs NumPy and torch."""

import numpy as np

from bnviz.run_script.parts.data.plane import split


def load():
    """Return two interleaved half circles."""
    angle = np.linspace(0, np.pi, 750)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return split(upper, lower)
