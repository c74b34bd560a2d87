"""Recorded step 0 of the default run, which the home page shows while its scripts load.

The data is in `assets/data/first_frame.json`. `python -m bnviz rates` measures it again.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from bnviz.locations import locations

PATH = locations().assets / "data" / "first_frame.json"


class FirstNetwork(NamedTuple):
    """One network at step 0.

    Attributes:
        predictions: predicted classes of the eight images that pages show.
        histogram: counts [layers][bins] of the inputs of each layer's nonlinearity.
    """

    predictions: list[int]
    test_accuracy: float
    histogram: list[list[int]]
    saturated: list[float]


@functools.cache
def first_frame() -> Mapping[str, FirstNetwork]:
    found: dict[str, dict[str, Any]] = orjson.loads(PATH.read_bytes())
    return {norm: FirstNetwork(**network) for norm, network in found.items()}
