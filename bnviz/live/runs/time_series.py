"""Time series of single values over the frames of a run, by step of the measurement."""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import orjson

from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.protocol.frames import typed
from bnviz.live.runs.parsed_frames import HistoryFrame, ParsedFrame
from bnviz.recently_used import RecentlyUsed
from bnviz.records import SCALARS
from bnviz.words.phrase import Phrase

# Maximum number of fields per request and per cache of a run.
MOST_FIELDS = 400
# Bytes of memory per time series in addition to its points.
SERIES_OVERHEAD = 300
# Step number that marks a frame without a value.
ABSENT = -1

_FIELD = re.compile(
    r"([a-z][a-z0-9_]*)\.([a-z_]+)(?:\.([a-z0-9_]+)(?::(-?\d{1,4}(?:,-?\d{1,4}){0,3}))?)?"
)
ALLOWED = Phrase("errors.field", {"scalars": "|".join(SCALARS)})


@dataclass(frozen=True)
class FieldQuery:
    """Query for one number in each frame: a scalar of a network, or an entry of a measured array.

    Attributes:
        text: The query as requested, such as "none.loss" or "batch.drift.w1_start:1,3".
        name: Name of the scalar, or of the probe if `value` is given.
        index: Index into the array. An empty index selects the first entry.
    """

    text: str
    network: str
    name: str
    value: str | None
    index: tuple[int, ...]

    def point(self, frame: ParsedFrame) -> tuple[int, float] | None:
        """Return (step of the measurement, number), or None if the frame lacks the number."""
        if self.value is None:
            found = frame.networks.get(self.network, {}).get(self.name)
            return None if found is None else (frame.step, float(found))
        array = frame.array(f"{self.network}.{self.name}.{self.value}")
        if array is None or len(self.index) not in (0, array.ndim):
            return None
        try:
            number = array[self.index] if self.index else array.flat[0]
        except IndexError:
            return None
        return frame.measured_at(self.network, self.name), float(number)


def read_fields(texts: Iterable[str]) -> list[FieldQuery]:
    """Parse the last `MOST_FIELDS` fields without duplicates, or raise `BadMessage`."""
    return [_read_field(text) for text in list(dict.fromkeys(texts))[-MOST_FIELDS:]]


def _read_field(text: str) -> FieldQuery:
    match = _FIELD.fullmatch(text)
    if match is None or (match[3] is None and match[2] not in SCALARS):
        raise BadMessage("field", text, ALLOWED)
    index = tuple(int(part) for part in match[4].split(",")) if match[4] else ()
    return FieldQuery(text, match[1], match[2], match[3], index)


class TimeSeries:
    """Values of one field per frame, with the step of each measurement or `ABSENT`."""

    def __init__(self) -> None:
        self.steps = array("i")
        self.values = array("d")

    @property
    def size(self) -> int:
        per_point = self.steps.itemsize + self.values.itemsize
        return SERIES_OVERHEAD + per_point * len(self.steps)

    def add(self, field: FieldQuery, frame: ParsedFrame) -> None:
        step, value = field.point(frame) or (ABSENT, 0.0)
        self.steps.append(step)
        self.values.append(value)

    def keep(self, chosen: Sequence[bool]) -> None:
        """Keep only the chosen frames."""
        self.steps = array("i", compress(self.steps, chosen))
        self.values = array("d", compress(self.values, chosen))

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ascending steps and their values. For repeated steps, the last frame counts."""
        steps = np.array(self.steps, np.int32)
        order = np.argsort(steps, kind="stable")
        steps = steps[order]
        last = np.append(steps[1:] != steps[:-1], True)[: len(steps)] & (steps != ABSENT)
        return steps[last].astype(np.uint32), np.array(self.values)[order][last]


class TimeSeriesCache:
    """Least-recently-used cache of the time series of one run. Thread-safe.

    `most_bytes` limits all series, and separately all encoded responses. `parsed` counts the frames
    parsed so far.
    """

    def __init__(self, most_bytes: int) -> None:
        self._lock = threading.Lock()
        # Frame numbers that every series covers, in the order of reading.
        self._seqs = array("q")
        self._series: RecentlyUsed[FieldQuery, TimeSeries] = RecentlyUsed(
            MOST_FIELDS, most_size=most_bytes, size=lambda series: series.size
        )
        self._answers: RecentlyUsed[tuple[FieldQuery, ...], bytes] = RecentlyUsed(
            most_size=most_bytes, size=len
        )
        self._version = -1
        self.parsed = 0

    def __len__(self) -> int:
        return len(self._series)

    @property
    def size(self) -> float:
        return self._series.size

    def answer(
        self, version: int, kept: Sequence[HistoryFrame], fields: Sequence[FieldQuery],
        unseen: Mapping[str, Any] | None = None,
    ) -> bytes:  # fmt: skip
        """Return the fields over all frames as JSON.

        The format is `{"seq", "step", "unseen", "steps": […], "fields": {field: {"step",
        "value"}}}`. `seq` is the number of the newest frame, `step` lists the steps of all frames,
        and `unseen` lists the unseen spans. `steps` lists distinct arrays of steps, and the `step`
        of a field is the index of its array.
        """
        requested = tuple(fields)
        with self._lock:
            if version != self._version:
                self._answers.clear()
                self._version = version
            answer = self._answers.use(requested)
            if answer is None:
                series = self._update(kept, fields)
                answer = self._encode(kept, series, unseen)
                self._answers.put(requested, answer)
                self._series.put_all(series)
                if not self._series:
                    self._seqs = array("q")
            else:
                # Mark the series as recently used, too.
                for field in fields:
                    self._series.use(field)
            return answer

    def _update(
        self, kept: Sequence[HistoryFrame], fields: Sequence[FieldQuery]
    ) -> dict[FieldQuery, TimeSeries]:
        """Read new frames into all series, and return the series of the given fields."""
        by_number = {frame.seq: frame for frame in kept}
        self._drop(by_number.keys())
        new = {field: TimeSeries() for field in fields if field not in self._series}
        for seq in self._seqs if new else ():
            self._parse(by_number[seq], new)
        every = {**self._series, **new}
        for seq in sorted(by_number.keys() - {*self._seqs}):
            self._parse(by_number[seq], every)
            self._seqs.append(seq)
        return {field: every[field] for field in fields}

    def _drop(self, kept: Collection[int]) -> None:
        chosen = [seq in kept for seq in self._seqs]
        if not all(chosen):
            for series in self._series.values():
                series.keep(chosen)
            self._seqs = array("q", compress(self._seqs, chosen))

    def _parse(self, frame: HistoryFrame, into: Mapping[FieldQuery, TimeSeries]) -> None:
        self.parsed += 1
        parsed = ParsedFrame(frame.body)
        for field, series in into.items():
            series.add(field, parsed)

    def _encode(
        self, kept: Sequence[HistoryFrame], requested: Mapping[FieldQuery, TimeSeries],
        unseen: Mapping[str, Any] | None,
    ) -> bytes:  # fmt: skip
        # Most fields are measured at the same steps, so each array of steps is sent once.
        indices: dict[bytes, int] = {}
        steps: list[dict[str, str]] = []
        found = {}
        for field, series in requested.items():
            at, values = series.points()
            index = indices.setdefault(at.tobytes(), len(indices))
            if index == len(steps):
                steps.append(typed(at))
            found[field.text] = {"step": index, "value": typed(values)}
        return orjson.dumps({
            "seq": max((frame.seq for frame in kept), default=-1),
            "step": typed(np.array([frame.step for frame in kept], dtype=np.uint32)),
            "unseen": unseen,
            "steps": steps,
            "fields": found,
        })  # fmt: skip
