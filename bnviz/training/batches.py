"""The order of the data: one endless stream of shuffled indices that every network shares."""

from __future__ import annotations

import numpy as np

ORDER_STREAM = 1


class Batches:
    """Permutations of the training set joined end to end, handed out m at a time.

    Which examples come next depends on the seed and on how many came before, not on the sizes in
    which they were taken; so a live change of the batch size skips and repeats nothing.

    Attributes:
        position: number of examples handed out; the whole state of the stream.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size, self._seed = size, seed
        self.position = 0
        self._epochs: dict[int, np.ndarray] = {}

    def peek(self, count: int) -> np.ndarray:
        """The next `count` indices, int64, without consuming them."""
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
        """The next `count` indices, int64; they are consumed."""
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
