"""Random numbers of the claims, separate from a run's random numbers. Does not import torch."""

from __future__ import annotations

import numpy as np

CLAIMS_STREAM = 6


def random_numbers(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, CLAIMS_STREAM, number])
