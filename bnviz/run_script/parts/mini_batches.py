"""Order of the training examples."""

from functools import cache

import numpy as np

from bnviz.run_script.parts.examples import x
from bnviz.run_script.parts.setting import SEED


@cache
def shuffled(epoch):
    """Return the training examples in the random order of one pass through them."""
    return np.random.default_rng([SEED, 1, epoch]).permutation(len(x))


def mini_batch(taken, size):
    """Return the indices of the next mini-batch, after `taken` examples."""
    first, start = divmod(taken, len(x))
    last = (taken + size - 1) // len(x)
    order = np.concatenate([shuffled(epoch) for epoch in range(first, last + 1)])
    return order[start : start + size]
