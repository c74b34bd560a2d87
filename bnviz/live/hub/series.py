"""Fields of a series: which number of a frame, and at which step it was measured."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bnviz.live.hub.measured_values import Reading
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.phrase import Phrase

SCALARS = (
    "loss", "test_loss", "test_accuracy", "learning_rate", "stability_limit", "seconds_per_step",
)  # fmt: skip
MOST_FIELDS = 400
_FIELD = re.compile(
    r"([a-z][a-z0-9_]*)\.([a-z_]+)(?:\.([a-z0-9_]+)(?::(-?\d{1,4}(?:,-?\d{1,4}){0,3}))?)?"
)
ALLOWED = Phrase("errors.field", {"scalars": "|".join(SCALARS)})


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

    def point(self, reading: Reading) -> tuple[int, float] | None:
        """The step at which it was measured and the number; None where a frame has none."""
        if self.value is None:
            found = reading.networks.get(self.network, {}).get(self.name)
            return None if found is None else (reading.step, float(found))
        array = reading.array(f"{self.network}.{self.name}.{self.value}")
        if array is None or array.size == 0:
            return None
        if self.index and not self._fits(array.shape):
            return None
        number = array[self.index] if self.index else array.flat[0]
        return reading.measured_at(self.network, self.name), float(number)

    def _fits(self, shape: tuple[int, ...]) -> bool:
        return len(self.index) == len(shape) and all(
            -size <= place < size for place, size in zip(self.index, shape, strict=True)
        )


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


def read_fields(texts: Iterable[str]) -> list[Field]:
    """The fields asked for, each once; of more than `MOST_FIELDS` those asked for last.

    Raises:
        BadMessage: one of these is none.
    """
    return [read_field(text) for text in list(dict.fromkeys(texts))[-MOST_FIELDS:]]
