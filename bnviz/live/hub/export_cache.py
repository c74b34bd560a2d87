"""Export texts of all runs: made once, shared by whoever asks for the same, kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

Key = tuple[str, int, str]

MOST_TEXTS = 8
MOST_BYTES = 64 * 2**20
# Characters of a piece; what reads a text slowly holds pieces, not copies.
PIECE = 2**16


class Exports:
    """The texts that were made last, by run, version of its history, and kind of file.

    Attributes:
        made: how many were made so far.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._texts: OrderedDict[Key, list[bytes]] = OrderedDict()
        self._lock = threading.Lock()
        self.made = 0

    @property
    def size(self) -> int:
        """Bytes of all texts kept."""
        return sum(len(piece) for text in self._texts.values() for piece in text)

    def text(self, key: Key, make: Callable[[], Iterable[str]]) -> list[bytes]:
        """The text in pieces; made if it is not kept. Nobody else may ask for it meanwhile.

        Args:
            key: the run, the version of its history, the kind of file.
            make: gives its parts.
        """
        with self._lock:
            text = self._texts.get(key)
        if text is None:
            text = list(_pieces(make()))
            with self._lock:
                self.made += 1
                # An older text of the same file is of no use to anybody who asks from now on.
                for old in [old for old in self._texts if (old[0], old[2]) == (key[0], key[2])]:
                    del self._texts[old]
                self._texts[key] = text
                while self._texts and not self._within():
                    self._texts.popitem(last=False)
        return text

    def _within(self) -> bool:
        return len(self._texts) <= MOST_TEXTS and self.size <= self._most_bytes


def _pieces(parts: Iterable[str]) -> Iterable[bytes]:
    waiting: list[str] = []
    length = 0
    for part in parts:
        waiting.append(part)
        length += len(part)
        if length >= PIECE:
            yield "".join(waiting).encode()
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting).encode()
