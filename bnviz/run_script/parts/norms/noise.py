"""Noise inside norms."""

import numpy as np

from bnviz.run_script.parts.setting import SEED


def noise(norm):
    """Return a generator of the run's noise in one layer at one step."""
    return np.random.default_rng([SEED, 4, norm.layer, norm.step])
