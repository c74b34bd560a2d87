"""Write IDX files in MNIST's format, for tests without MNIST."""

import gzip
import struct
from pathlib import Path

import numpy as np


def images_bytes(images: np.ndarray) -> bytes:
    """Return uint8 images [N, rows, columns] as an IDX file."""
    return struct.pack(">IIII", 0x803, *images.shape) + images.astype(np.uint8).tobytes()


def labels_bytes(labels: np.ndarray) -> bytes:
    """Return uint8 labels [N] as an IDX file."""
    return struct.pack(">II", 0x801, len(labels)) + labels.astype(np.uint8).tobytes()


def write_set(folder: Path, *, train: int = 60, test: int = 30, compressed: bool = True) -> None:
    """Write a small made-up data set under MNIST's file names: random images, all ten labels."""
    generator = np.random.default_rng(0)
    for part, count in (("train", train), ("t10k", test)):
        contents = {
            "images-idx3": images_bytes(generator.integers(0, 256, (count, 28, 28))),
            "labels-idx1": labels_bytes(np.arange(count) % 10),
        }
        for kind, content in contents.items():
            name = f"{part}-{kind}-ubyte" + (".gz" if compressed else "")
            (folder / name).write_bytes(gzip.compress(content) if compressed else content)
