"""A run's whole state as bytes: a tree of plain values and arrays, without pickle."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

from bnviz.pieces import Pieces, run_to_end

_ARRAY = "__array__"
# Copied and summed up in a few milliseconds.
PIECE_BYTES = 4 * 2**20


def pack(tree: dict[str, Any]) -> bytes:
    """Nested dicts and lists of plain values and NumPy arrays as bytes (an uncompressed npz)."""
    return run_to_end(pack_in_pieces(tree))


def pack_in_pieces(tree: dict[str, Any]) -> Pieces[bytes]:
    """`pack`, some megabytes at a time; the arrays must not change meanwhile."""
    arrays: dict[str, np.ndarray] = {}
    outline = json.dumps(_strip(tree, arrays))
    stream = io.BytesIO()
    written = 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as stored:
        for name, array in {"outline": np.array(outline), **arrays}.items():
            with stored.open(f"{name}.npy", "w", force_zip64=True) as member:
                ordered = np.asarray(array, order="C")
                header = np.lib.format.header_data_from_array_1_0(ordered)
                np.lib.format.write_array_header_1_0(member, header)
                data = memoryview(ordered.reshape(-1).data).cast("B") if ordered.size else b""
                for start in range(0, len(data), PIECE_BYTES):
                    part = data[start : start + PIECE_BYTES]
                    member.write(part)
                    written += len(part)
                    if written >= PIECE_BYTES:
                        written = 0
                        yield
    return stream.getvalue()


def unpack(data: bytes) -> dict[str, Any]:
    """The tree that `pack` was given.

    Raises:
        ValueError: these bytes are no checkpoint.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as stored:
            tree = _fill(json.loads(str(_read(stored, "outline"))), stored)
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError) as error:
        raise ValueError("These bytes are no checkpoint of a run.") from error
    if not isinstance(tree, dict):
        raise ValueError("These bytes are no checkpoint of a run.")
    return tree


def _read(stored: zipfile.ZipFile, name: str) -> np.ndarray:
    with stored.open(f"{name}.npy") as member:
        array: np.ndarray = np.lib.format.read_array(member, allow_pickle=False)
    return array


def _strip(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, dict):
        return {key: _strip(part, arrays) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_strip(part, arrays) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _fill(value: Any, stored: zipfile.ZipFile) -> Any:
    if isinstance(value, dict):
        if _ARRAY in value:
            return _read(stored, value[_ARRAY])
        return {key: _fill(part, stored) for key, part in value.items()}
    return [_fill(part, stored) for part in value] if isinstance(value, list) else value
