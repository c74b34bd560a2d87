"""A cache of what was used last: beyond its bounds it drops what was used the longest ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentlyUsed(OrderedDict[Key, Value]):
    """Values by key, within a number of values and a total size. Callers of several threads lock.

    It begins with what was used the longest ago; `use`, `put` and `put_all` count as a use.

    Args:
        most: values at most; None: any number.
        most_size: their sizes together at most; None: any size.
        size: of a value, such as its bytes. It is asked anew whenever a value is put in, so values
            may grow meanwhile.
        least: so many values are kept whatever their size.
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
        """The sizes of all values together."""
        return sum(map(self._size, self.values()))

    def use(self, key: Key) -> Value | None:
        """The value of a key, which counts as used now; None where there is none."""
        if key in self:
            self.move_to_end(key)
        return self.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, which counts as used now, and drop others beyond the bounds.

        A value that is larger than all may be together is dropped itself.
        """
        self.put_all({key: value})

    def put_all(self, values: Mapping[Key, Value]) -> None:
        """Keep several values, the last of which counts as used last; see `put`."""
        for key, value in values.items():
            self[key] = value
            self.move_to_end(key)
        while len(self) > self._least and self._is_beyond():
            self.popitem(last=False)

    def _is_beyond(self) -> bool:
        if self._most is not None and len(self) > self._most:
            return True
        return self._most_size is not None and self.size > self._most_size
