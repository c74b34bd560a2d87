"""Needs NumPy, torch, and the four IDX files of MNIST in the folder mnist."""

import gzip
from pathlib import Path

import numpy as np

FOLDER = Path("mnist")


def read(name, header):
    """Return the bytes of an IDX file, compressed or not, after its header."""
    path = FOLDER / name
    content = path.read_bytes() if path.exists() else gzip.open(f"{path}.gz").read()
    return np.frombuffer(content, np.uint8, offset=header)


def load():
    """Return MNIST: inputs [N, 784] and labels for training, then for test."""
    found = []
    for part in ("train", "t10k"):
        images = read(f"{part}-images-idx3-ubyte", 16).reshape(-1, 784)
        labels = read(f"{part}-labels-idx1-ubyte", 8)
        found += [images.astype(np.float32) / 255, labels.astype(np.int64)]
    return found
