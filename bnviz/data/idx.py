"""Reader for IDX, the file format of MNIST, plain or compressed with gzip."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import numpy as np

from bnviz.words.phrase import Phrase, phrase
from bnviz.words.texts import ENGLISH

IMAGES_MAGIC = 0x00000803
LABELS_MAGIC = 0x00000801
SIDE = 28
CLASSES = 10
MAX_COUNT = 1_000_000


class DataError(ValueError):
    """Error for a missing or invalid data file. `phrase` names the file."""

    def __init__(self, why: Phrase) -> None:
        self.phrase = why
        super().__init__(why.text(ENGLISH))


def read_images(path: Path) -> np.ndarray:
    """Read images of 28×28 pixels, uint8 [N, 784]. Raise DataError if the file is invalid."""
    header, body = _read(path, 4, IMAGES_MAGIC, SIDE * SIDE)
    if tuple(header[2:]) != (SIDE, SIDE):
        raise DataError(phrase("data.side", file=path, height=int(header[2]), width=int(header[3])))
    return body.reshape(-1, SIDE * SIDE)


def read_labels(path: Path) -> np.ndarray:
    """Read labels 0 to 9, int64 [N]. Raise DataError if the file is invalid."""
    _, body = _read(path, 2, LABELS_MAGIC, 1)
    if body.max() >= CLASSES:
        raise DataError(phrase("data.label", file=path, label=int(body.max())))
    return body.astype(np.int64)


def _read(path: Path, words: int, magic: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Read header and body of an IDX file with `size` bytes per example."""
    content = _content(path, 4 * words + size * MAX_COUNT)
    if len(content) < 4 * words:
        raise DataError(phrase("data.short", file=path))
    header = np.frombuffer(content, dtype=">u4", count=words)
    if header[0] != magic:
        begins = {"found": f"{header[0]:#010x}", "wanted": f"{magic:#010x}"}
        raise DataError(phrase("data.begins", file=path, **begins))
    count, body = int(header[1]), np.frombuffer(content, dtype=np.uint8, offset=4 * words)
    if not 1 <= count <= MAX_COUNT:
        raise DataError(phrase("data.count", file=path, count=count))
    if len(body) != count * size:
        raise DataError(
            phrase("data.bytes", file=path, count=count, bytes=count * size, found=len(body))
        )
    return header, body


def _content(path: Path, limit: int) -> bytes:
    """Read at most `limit` bytes of a file, decompressed if necessary."""
    try:
        with path.open("rb") as file:
            compressed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if compressed else path.open("rb") as file:
            return file.read(limit)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(phrase("data.unreadable", file=path, error=error)) from error
