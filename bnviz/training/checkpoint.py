"""Serialization of a run's state, a tree of plain values and arrays, without pickle.

The format is a magic number, the length of the outline (the tree without its arrays), the outline
as JSON, and the arrays in order. NumPy's file format is not used, because its header reader calls
Python's parser, which raises SystemError if two threads call it at once (Python 3.11.7 and older).
"""

from __future__ import annotations

import io
import json
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, ClassVar

import numpy as np

from bnviz.pieces import Pieces, run_to_end

_ARRAY = "__array__"
_START = struct.Struct("<8sQ")
_MARK = b"bnviz/1\n"
# Number of bytes copied between two yields. Copying them takes a few milliseconds.
PIECE_BYTES = 4 * 2**20


class Checkpointed:
    """Base class of objects whose state is part of a checkpoint.

    Attributes:
        checkpointed: names of the saved attributes: plain values, arrays, deques, records and other
            `Checkpointed` objects. The tree uses the names without a leading underscore.
        records: for each saved attribute that is a dataclass or None, its dataclass.
    """

    checkpointed: ClassVar[tuple[str, ...]]
    records: ClassVar[Mapping[str, type]] = {}

    def to_tree(self) -> dict[str, Any]:
        """Return the state as plain values and arrays."""
        return {name.lstrip("_"): self._plain(name) for name in self.checkpointed}

    def load_tree(self, tree: dict[str, Any]) -> None:
        """Restore the state from the result of `to_tree`, whose tuples may have become lists."""
        for name in self.checkpointed:
            value, now = tree[name.lstrip("_")], getattr(self, name)
            if isinstance(now, Checkpointed):
                now.load_tree(value)
            elif isinstance(now, deque):
                setattr(self, name, deque(map(_as_tuple, value), maxlen=now.maxlen))
            elif name in self.records and value is not None:
                setattr(self, name, self.records[name](*value))
            else:
                setattr(self, name, _as_tuple(value))

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        if isinstance(value, Checkpointed):
            return value.to_tree()
        if isinstance(value, deque):
            return list(value)
        return astuple(value) if name in self.records and value is not None else value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def pack(tree: dict[str, Any]) -> bytes:
    """Serialize nested dicts and lists of plain values and NumPy arrays."""
    return run_to_end(pack_in_pieces(tree))


def pack_in_pieces(tree: dict[str, Any]) -> Pieces[bytes]:
    """Run `pack` and yield every few megabytes; the arrays must not change until the end."""
    arrays: list[np.ndarray] = []
    outline = json.dumps(_strip(tree, arrays)).encode()
    stream = io.BytesIO()
    stream.write(_START.pack(_MARK, len(outline)))
    stream.write(outline)
    written = 0
    for array in arrays:
        data = _bytes_of(array)
        for start in range(0, len(data), PIECE_BYTES):
            written += stream.write(data[start : start + PIECE_BYTES])
            if written >= PIECE_BYTES:
                written = 0
                yield
    return stream.getvalue()


def unpack(data: bytes) -> dict[str, Any]:
    """Return the tree that was passed to `pack`, or raise ValueError for other bytes."""
    try:
        mark, length = _START.unpack_from(data)
        stream = io.BytesIO(data)
        stream.seek(_START.size)
        tree = _fill(json.loads(stream.read(length)), stream)
        whole = mark == _MARK and isinstance(tree, dict) and not stream.read(1)
    except (struct.error, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError("These bytes are not a checkpoint of a run.") from error
    if not whole:
        raise ValueError("These bytes are not a checkpoint of a run.")
    return tree


def _bytes_of(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _strip(value: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(value, np.ndarray):
        arrays.append(np.asarray(value, order="C"))
        return {_ARRAY: value.dtype.str, "shape": value.shape}
    if isinstance(value, dict):
        return {key: _strip(part, arrays) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_strip(part, arrays) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _fill(value: Any, stream: io.BytesIO) -> Any:
    """Insert the arrays into the outline, in the order in which `_strip` removed them."""
    if isinstance(value, dict):
        if _ARRAY in value:
            found = np.empty(value["shape"], np.dtype(value[_ARRAY]))
            if stream.readinto(_bytes_of(found)) < found.nbytes:
                raise ValueError("The bytes end before the end of an array.")
            return found
        return {key: _fill(part, stream) for key, part in value.items()}
    return [_fill(part, stream) for part in value] if isinstance(value, list) else value
