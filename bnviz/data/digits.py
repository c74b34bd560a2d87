"""The UCI handwritten digits, embedded in the repository (see assets/data/README.md)."""

from __future__ import annotations

from functools import cache

import numpy as np

from bnviz.data.base import RawData, stratified_split
from bnviz.locations import locations

FILE = locations().assets / "data" / "digits.npz"
TEST_SHARE = 0.2
GREY_LEVELS = 16


@cache
def load() -> RawData:
    """1,797 images of 8×8 pixels, 0 to 1, split 80 to 20 with equal shares of every digit."""
    with np.load(FILE, allow_pickle=False) as file:
        images, labels = file["images"], file["labels"].astype(np.int64)
    inputs = images.astype(np.float32) / GREY_LEVELS
    train, test = stratified_split(labels, TEST_SHARE)
    return RawData(inputs[train], labels[train], inputs[test], labels[test], (0.0, 1.0))
