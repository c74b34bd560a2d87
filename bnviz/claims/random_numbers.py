"""Random numbers of the claims, apart from every run's. Imports no torch: pages use them too."""

from __future__ import annotations

import numpy as np

CLAIMS_STREAM = 6


def random_numbers(seed: int, number: int) -> np.random.Generator:
    """A claim's own generator.

    Args:
        seed: the seed under which the claim is measured.
        number: of the experiment.
    """
    return np.random.default_rng([seed, CLAIMS_STREAM, number])
