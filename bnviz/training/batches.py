"""Order of the training examples, the same for every network."""

from __future__ import annotations

import numpy as np

ORDER_STREAM = 1


class Batches:
    """Endless stream of training indices, in consecutive permutations of the training set.

    The next indices depend only on the seed and on `position`, the number of indices taken so far.
    So a live change of the batch size neither skips nor repeats examples.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size, self._seed = size, seed
        self.position = 0
        self._epochs: dict[int, np.ndarray] = {}

    def peek(self, count: int) -> np.ndarray:
        """Return the next `count` indices, int64, without consuming them."""
        first, start = divmod(self.position, self._size)
        last = (self.position + count - 1) // self._size
        if first == last:
            return self._epoch(first)[start : start + count]
        self._epochs = {
            epoch: self._epoch(epoch) for epoch in range(first, last + 1) if epoch < first + 2
        }
        joined = np.concatenate([self._epoch(epoch) for epoch in range(first, last + 1)])
        return joined[start : start + count]

    def take(self, count: int) -> np.ndarray:
        """Return the next `count` indices, int64, and advance `position`."""
        indices = self.peek(count)
        self.position += count
        return indices

    def _epoch(self, epoch: int) -> np.ndarray:
        if epoch not in self._epochs:
            generator = np.random.default_rng([self._seed, ORDER_STREAM, epoch])
            if len(self._epochs) > 1:
                self._epochs.pop(min(self._epochs))
            self._epochs[epoch] = generator.permutation(self._size)
        return self._epochs[epoch]
