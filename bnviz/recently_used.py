"""Cache that drops the least recently used values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentlyUsed(OrderedDict[Key, Value]):
    """Values by key, from least to most recently used, with limits on their number and total size.

    Threads that share this cache must lock it. `use`, `put` and `put_all` count as a use. The
    function `size` is called again at every `put`, because values may grow. The last `least` values
    are kept whatever their size.
    """

    def __init__(
        self,
        most: int | None = None,
        *,
        most_size: float | None = None,
        size: Callable[[Value], float] = lambda value: 0,
        least: int = 0,
    ) -> None:
        self._most, self._most_size, self._size, self._least = most, most_size, size, least
        super().__init__()

    @property
    def size(self) -> float:
        """Total size of all values in the cache."""
        return sum(map(self._size, self.values()))

    def use(self, key: Key) -> Value | None:
        """Return a value and mark it as used now, or return None if the key is unknown."""
        if key in self:
            self.move_to_end(key)
        return self.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Store a value and mark it as used now. Drop values beyond the limits.

        The new value is dropped too if it is too large by itself.
        """
        self.put_all({key: value})

    def put_all(self, values: Mapping[Key, Value]) -> None:
        """Store several values as in `put`, the last one as the most recently used."""
        for key, value in values.items():
            self[key] = value
            self.move_to_end(key)
        while len(self) > self._least and self._is_beyond():
            self.popitem(last=False)

    def _is_beyond(self) -> bool:
        if self._most is not None and len(self) > self._most:
            return True
        return self._most_size is not None and self.size > self._most_size
