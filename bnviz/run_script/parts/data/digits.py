"""Needs NumPy, torch, and bnviz-digits.npz in the same folder (the app has it at
/scripts/bnviz-digits.npz)."""

import numpy as np


def load():
    """Return the UCI digits: inputs [N, 64] and labels for training, then for test."""
    return np.load("bnviz-digits.npz").values()
