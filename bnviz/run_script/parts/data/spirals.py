"""Needs NumPy and torch."""

import numpy as np

from bnviz.run_script.parts.data.plane import split


def load():
    """Return two arms of an Archimedean spiral, half a turn apart."""
    share = np.linspace(0.1, 1, 750)
    angle, radius = 2 * np.pi * 1.75 * share, 3 * share
    arm = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return split(arm, -arm)
