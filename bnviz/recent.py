"""A cache of what was used last: beyond its bounds it drops what was used the longest ago."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, ItemsView, Iterator, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class RecentlyUsed(Generic[Key, Value]):
    """Values by key, within a number of values and a total size. Callers of several threads lock.

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
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[Key]:
        """The keys, beginning with what was used the longest ago."""
        return iter(self._values)

    @property
    def size(self) -> float:
        """The sizes of all values together."""
        return sum(map(self._size, self._values.values()))

    def items(self) -> ItemsView[Key, Value]:
        """Keys and values, beginning with what was used the longest ago."""
        return self._values.items()

    def get(self, key: Key) -> Value | None:
        """The value of a key, which counts as used now; None where there is none."""
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def peek(self, key: Key) -> Value | None:
        """The value of a key, which does not count as used; None where there is none."""
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, which counts as used now, and drop others beyond the bounds.

        A value that is larger than all may be together is dropped itself.
        """
        self.update({key: value})

    def update(self, values: Mapping[Key, Value]) -> None:
        """Keep several values, the last of which counts as used last; see `put`."""
        for key, value in values.items():
            self._values[key] = value
            self._values.move_to_end(key)
        while len(self._values) > self._least and self._is_beyond():
            self._values.popitem(last=False)

    def pop(self, key: Key) -> Value | None:
        """Drop the value of a key. Returns it; None where there was none."""
        return self._values.pop(key, None)

    def clear(self) -> None:
        """Drop all values."""
        self._values.clear()

    def _is_beyond(self) -> bool:
        if self._most is not None and len(self._values) > self._most:
            return True
        return self._most_size is not None and self.size > self._most_size
