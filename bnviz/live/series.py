"""Columns over kept frames: the past of a curve in one answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from bnviz.live.browser import BadMessage
from bnviz.live.frames import typed, untyped
from bnviz.live.history import Kept

SCALARS = ("loss", "test_loss", "test_accuracy", "learning_rate", "seconds_per_step")
MOST_FIELDS = 400
_FIELD = re.compile(
    r"([a-z][a-z0-9_]*)\.([a-z_]+)(?:\.([a-z0-9_]+)(?::(-?\d{1,4}(?:,-?\d{1,4}){0,3}))?)?"
)
ALLOWED = (
    f"<network>.<{'|'.join(SCALARS)}> or <network>.<probe>.<value>, which may end in :i or :i,j"
)


@dataclass(frozen=True)
class Field:
    """Which number of a frame: a network's, or one entry of a measured array.

    Attributes:
        text: as it was asked for.
        network: the norm's name.
        name: of the scalar; the probe's name if `value` is given.
        value: of the probe, or None.
        index: of the entry; empty: the first.
    """

    text: str
    network: str
    name: str
    value: str | None
    index: tuple[int, ...]

    def of(self, frame: dict[str, Any]) -> float:
        """The number in a frame; NaN where it was not measured."""
        if self.value is None:
            found = frame["networks"].get(self.network, {}).get(self.name)
            return math.nan if found is None else float(found)
        spec = frame["arrays"].get(f"{self.network}.{self.name}.{self.value}")
        if spec is None:
            return math.nan
        array = untyped(spec)
        if not self.index:
            return float(array.flat[0]) if array.size else math.nan
        try:
            return float(array[self.index])
        except (IndexError, TypeError):
            return math.nan


def read_field(text: str) -> Field:
    """Understand "none.loss" or "batch.drift.w1_start:1,3".

    Raises:
        BadMessage: it is neither.
    """
    match = _FIELD.fullmatch(text)
    if match is None or (match[3] is None and match[2] not in SCALARS):
        raise BadMessage("field", text, ALLOWED)
    index = tuple(int(part) for part in match[4].split(",")) if match[4] else ()
    return Field(text, match[1], match[2], match[3], index)


def columns(kept: Sequence[Kept], fields: Sequence[Field]) -> bytes:
    """`{"step": …, "fields": {field: …}}` as JSON, all of them typed arrays over the frames."""
    values = np.full((len(fields), len(kept)), np.nan)
    for at, frame in enumerate(kept):
        plain = orjson.loads(frame.body)
        for row, field in enumerate(fields):
            try:
                values[row, at] = field.of(plain)
            except ValueError:
                continue
    steps = np.array([frame.step for frame in kept], dtype=np.uint32)
    answer = {
        "step": typed(steps),
        "fields": {field.text: typed(row) for field, row in zip(fields, values, strict=True)},
    }
    return orjson.dumps(answer)
