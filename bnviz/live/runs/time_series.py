"""Fields of a series: which number of a frame, and at which step it was measured.

Columns over kept frames: the past of curves, read from each frame once.
"""

from __future__ import annotations

import re
import threading
from array import array
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.protocol.frames import typed
from bnviz.live.runs.kept_frames import KeptFrame, ParsedFrame
from bnviz.words.phrase import Phrase

SCALARS = (
    "loss", "test_loss", "test_accuracy", "learning_rate", "stability_limit", "seconds_per_step",
)  # fmt: skip
MOST_FIELDS = 400
_FIELD = re.compile(
    r"([a-z][a-z0-9_]*)\.([a-z_]+)(?:\.([a-z0-9_]+)(?::(-?\d{1,4}(?:,-?\d{1,4}){0,3}))?)?"
)
ALLOWED = Phrase("errors.field", {"scalars": "|".join(SCALARS)})


@dataclass(frozen=True)
class FieldQuery:
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

    def point(self, reading: ParsedFrame) -> tuple[int, float] | None:
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


def read_field(text: str) -> FieldQuery:
    """Understand "none.loss" or "batch.drift.w1_start:1,3".

    Raises:
        BadMessage: it is neither.
    """
    match = _FIELD.fullmatch(text)
    if match is None or (match[3] is None and match[2] not in SCALARS):
        raise BadMessage("field", text, ALLOWED)
    index = tuple(int(part) for part in match[4].split(",")) if match[4] else ()
    return FieldQuery(text, match[1], match[2], match[3], index)


def read_fields(texts: Iterable[str]) -> list[FieldQuery]:
    """The fields asked for, each once; of more than `MOST_FIELDS` those asked for last.

    Raises:
        BadMessage: one of these is none.
    """
    return [read_field(text) for text in list(dict.fromkeys(texts))[-MOST_FIELDS:]]


# What a column costs besides its points.
SERIES_OVERHEAD = 300
ABSENT = -1


class TimeSeries:
    """One field in every frame that was read: where it was measured, and the number."""

    def __init__(self) -> None:
        self.steps = array("i")
        self.values = array("d")

    @property
    def size(self) -> int:
        """Bytes it takes."""
        per_point = self.steps.itemsize + self.values.itemsize
        return SERIES_OVERHEAD + per_point * len(self.steps)

    def add(self, field: FieldQuery, reading: ParsedFrame) -> None:
        """Take the field's point of one frame, or note that it has none."""
        step, value = field.point(reading) or (ABSENT, 0.0)
        self.steps.append(step)
        self.values.append(value)

    def keep(self, chosen: np.ndarray) -> None:
        """Leave out the frames that are not chosen, a mask."""
        self.steps = array("i", np.frombuffer(self.steps, np.intc)[chosen].tobytes())
        self.values = array("d", np.frombuffer(self.values, np.float64)[chosen].tobytes())

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps, ascending, and values: one value a step, the last that was measured there."""
        steps = np.array(self.steps, np.int32)
        order = np.argsort(steps, kind="stable")
        steps = steps[order]
        last = np.append(steps[1:] != steps[:-1], True)[: len(steps)] & (steps != ABSENT)
        return steps[last].astype(np.uint32), np.array(self.values)[order][last]


class TimeSeriesCache:
    """The columns of one run that were asked for last, filled as its frames come.

    Args:
        most_bytes: all columns together, and as many again of answers, which are kept for those who
            ask the same before anything has changed; what was asked for the longest ago goes first.

    Attributes:
        parsed: frames read so far.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._seqs = array("q")
        self._columns: OrderedDict[FieldQuery, TimeSeries] = OrderedDict()
        self._answers: OrderedDict[tuple[FieldQuery, ...], bytes] = OrderedDict()
        self._version = -1
        self.parsed = 0

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return sum(column.size for column in self._columns.values())

    def answer(
        self, version: int, kept: Sequence[KeptFrame], fields: Sequence[FieldQuery],
        unseen: Mapping[str, Any] | None = None,
    ) -> bytes:  # fmt: skip
        """The fields over all kept frames, as JSON.

        `{"seq", "step", "unseen", "steps": […], "fields": {field: {"step", "value"}}}`: the number
        of the newest frame, the steps of all frames, the spans that nobody saw; then each field's
        values, and which of `steps` has the steps at which they were measured.

        Args:
            version: of the history; the same one, the same answer.
            kept: its frames.
            fields: what is asked for.
            unseen: `UnseenSpans.plain`.
        """
        asked = tuple(fields)
        with self._lock:
            if version != self._version:
                self._answers.clear()
                self._version = version
            answer = self._answers.get(asked)
            if answer is None:
                self._read(kept, fields)
                answer = self._answers[asked] = self._written(kept, fields, unseen)
                self._forget()
            else:
                self._answers.move_to_end(asked)
                self._renew(fields)
            return answer

    def _renew(self, fields: Sequence[FieldQuery]) -> None:
        """Note that these were asked for, one after the other."""
        for field in fields:
            if field in self._columns:
                self._columns.move_to_end(field)

    def _read(self, kept: Sequence[KeptFrame], fields: Sequence[FieldQuery]) -> None:
        """Bring the columns up to date; no frame is read twice for the same field."""
        by_number = {frame.seq: frame for frame in kept}
        self._drop(by_number.keys())
        fresh = {field: TimeSeries() for field in fields if field not in self._columns}
        known = set(self._seqs)
        if fresh:
            for seq in self._seqs:
                self._take(by_number[seq], fresh)
        self._columns.update(fresh)
        for seq in sorted(by_number.keys() - known):
            self._take(by_number[seq], self._columns)
            self._seqs.append(seq)
        self._renew(fields)

    def _drop(self, numbers: Collection[int]) -> None:
        """Leave out the frames that are no longer kept."""
        chosen = np.array([seq in numbers for seq in self._seqs], dtype=bool)
        if chosen.all():
            return
        for column in self._columns.values():
            column.keep(chosen)
        self._seqs = array("q", np.frombuffer(self._seqs, np.int64)[chosen].tobytes())

    def _take(self, frame: KeptFrame, columns: Mapping[FieldQuery, TimeSeries]) -> None:
        self.parsed += 1
        reading = ParsedFrame(frame.body)
        for field, column in columns.items():
            column.add(field, reading)

    def _written(
        self,
        kept: Sequence[KeptFrame],
        fields: Sequence[FieldQuery],
        unseen: Mapping[str, Any] | None,
    ) -> bytes:
        axes: dict[bytes, int] = {}
        steps: list[dict[str, str]] = []
        found = {}
        for field in fields:
            at, values = self._columns[field].points()
            place = axes.setdefault(at.tobytes(), len(axes))
            if place == len(steps):
                steps.append(typed(at))
            found[field.text] = {"step": place, "value": typed(values)}
        return orjson.dumps({
            "seq": max((frame.seq for frame in kept), default=-1),
            "step": typed(np.array([frame.step for frame in kept], dtype=np.uint32)),
            "unseen": unseen,
            "steps": steps,
            "fields": found,
        })  # fmt: skip

    def _forget(self) -> None:
        while self._columns and (len(self) > MOST_FIELDS or self.size > self._most_bytes):
            self._columns.popitem(last=False)
        if not self._columns:
            self._seqs = array("q")
        while sum(map(len, self._answers.values())) > self._most_bytes:
            self._answers.popitem(last=False)
