"""A run's data to take away: a table of numbers over steps, or everything.

What was measured at a step stands there, once: not again with every later frame that carries it.

Export texts of all runs: made once, shared by whoever asks for the same, kept for a while.
"""

from __future__ import annotations

import csv
import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import orjson

from bnviz.config import RunConfig
from bnviz.live.protocol.frames import plain_change
from bnviz.live.runs.kept_frames import KeptFrame, ParsedFrame
from bnviz.live.runs.time_series import SCALARS
from bnviz.probes import PROBES
from bnviz.records import Change

# Larger arrays (histograms, decision boundaries) are in the JSON file only.
MOST_COLUMNS = 64

Cells = dict[str, Any]
Shape = tuple[int, ...]
# What one measurement is: network, probe, step.
Measurement = tuple[str, str, int]


def csv_lines(kept: Sequence[KeptFrame]) -> Iterator[str]:
    """A header, then a line for each step that was shown or at which something was measured.

    The header has the columns of every probe that any of the frames has; they are named as in
    `/series`. A step that no kept frame shows has what later frames say of it, and empty cells.
    """
    scalars: dict[int, Cells] = {}
    arrays: dict[int, dict[str, np.ndarray]] = {}
    shapes: dict[str, dict[Shape, None]] = {}
    for reading in _in_order_of_arrival(kept):
        scalars[reading.step] = _scalars(reading)
        for _, _, step, values in reading.measurements():
            row = arrays.setdefault(step, {})
            for name in values:
                array = reading.array(name)
                if array is not None and array.size <= MOST_COLUMNS:
                    row[name] = array
                    shapes.setdefault(name, {})[array.shape] = None
    names = list(dict.fromkeys(name for cells in scalars.values() for name in cells))
    columns = {
        name: list(dict.fromkeys(part for shape in shapes[name] for part in _indices(shape)))
        for name in sorted(shapes, key=_place)
    }
    numbered = [f"{name}:{part}" for name, parts in columns.items() for part in parts]
    yield _line(["step", *names, *numbered])
    for step in sorted(scalars.keys() | arrays.keys()):
        line = [step, *(scalars.get(step, {}).get(name, "") for name in names)]
        for name, parts in columns.items():
            array = arrays.get(step, {}).get(name)
            line += [""] * len(parts) if array is None else _numbers(array, parts)
        yield _line(line)


def json_parts(
    config: RunConfig, changes: Sequence[Change], kept: Sequence[KeptFrame]
) -> Iterator[str]:
    """One JSON object: the config at step 0, the live changes, every kept frame.

    A measurement is in one frame: that of its step, or else the first one that carries it, where
    `measured_at` has its step.
    """
    readings = {frame.seq: ParsedFrame(frame.body) for frame in kept}
    held = _held(readings)
    head = {"config": config.model_dump(), "changes": [plain_change(change) for change in changes]}
    yield orjson.dumps(head).decode()[:-1] + ',"frames":['
    for at, frame in enumerate(kept):
        reading = readings.pop(frame.seq)
        yield ("," if at else "") + _readable(reading, held.get(frame.seq, []))
    yield "]}"


def _in_order_of_arrival(kept: Sequence[KeptFrame]) -> Iterator[ParsedFrame]:
    """The value that comes last counts: a step may be measured again after a live change."""
    for frame in sorted(kept, key=lambda frame: frame.seq):
        yield ParsedFrame(frame.body)


def _held(readings: dict[int, ParsedFrame]) -> dict[int, list[Measurement]]:
    """By number of the frame, the measurements that it is to show."""
    holder: dict[Measurement, int] = {}
    digests: dict[Measurement, int] = {}
    for seq in sorted(readings):
        for network, probe, step, values in readings[seq].measurements():
            one = (network, probe, step)
            digest = hash(tuple((name, spec["bdata"]) for name, spec in sorted(values.items())))
            better = one not in digests or digest != digests[one] or step == readings[seq].step
            if not better and readings[holder[one]].step != step:
                better = readings[seq].step < readings[holder[one]].step
            if better:
                holder[one], digests[one] = seq, digest
    held: dict[int, list[Measurement]] = {}
    for one, seq in holder.items():
        held.setdefault(seq, []).append(one)
    return held


def _readable(reading: ParsedFrame, held: list[Measurement]) -> str:
    """A frame with its arrays as nested lists; JSON has null for what is not finite."""
    shown = {(network, probe): step for network, probe, step in held}
    arrays = {
        name: reading.array(name).tolist()  # type: ignore[union-attr]
        for name in reading.arrays if tuple(name.split(".")[:2]) in shown
    }  # fmt: skip
    networks = {
        norm: {**plain, "measured_at": {
            probe: step for (network, probe), step in shown.items() if network == norm
        }}
        for norm, plain in reading.networks.items()
    }  # fmt: skip
    frame = {**reading.plain, "networks": networks, "arrays": arrays}
    frame.pop("replayed", None)
    return orjson.dumps(frame).decode()


def _scalars(reading: ParsedFrame) -> Cells:
    cells: Cells = {}
    for norm, network in reading.networks.items():
        cells[f"{norm}.state"] = network["state"]
        cells.update({f"{norm}.{name}": network.get(name) for name in SCALARS})
    return cells


def _place(name: str) -> tuple[list[int], str]:
    """Sorts columns by probe, in the order of the registry, then by network and value."""
    probes = list(PROBES)
    _, probe, _ = name.split(".", 2)
    return [probes.index(probe) if probe in probes else len(probes)], name


def _numbers(array: np.ndarray, parts: list[str]) -> list[Any]:
    numbers = dict(zip(_indices(array.shape), array.reshape(-1).tolist(), strict=True))
    return [numbers.get(part, "") for part in parts]


def _indices(shape: Shape) -> list[str]:
    """Places in an array of this shape, row by row: "0,0", "0,1", …; "" for a single number."""
    return [",".join(map(str, place)) for place in np.ndindex(*shape)]


def _line(cells: Sequence[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()


ExportKey = tuple[str, int, str]

MOST_TEXTS = 8
MOST_BYTES = 64 * 2**20
# Characters of a piece; what reads a text slowly holds pieces, not copies.
PIECE = 2**16


class ExportCache:
    """The texts that were made last, by run, version of its history, and kind of file.

    Attributes:
        made: how many were made so far.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._texts: OrderedDict[ExportKey, list[bytes]] = OrderedDict()
        self._lock = threading.Lock()
        self.made = 0

    @property
    def size(self) -> int:
        """Bytes of all texts kept."""
        return sum(len(piece) for text in self._texts.values() for piece in text)

    def text(self, key: ExportKey, make: Callable[[], Iterable[str]]) -> list[bytes]:
        """The text in pieces; made if it is not kept. Nobody else may ask for it meanwhile.

        Args:
            key: the run, the version of its history, the kind of file.
            make: gives its parts.
        """
        with self._lock:
            text = self._texts.get(key)
        if text is None:
            text = list(_pieces(make()))
            with self._lock:
                self.made += 1
                # An older text of the same file is of no use to anybody who asks from now on.
                for old in [old for old in self._texts if (old[0], old[2]) == (key[0], key[2])]:
                    del self._texts[old]
                self._texts[key] = text
                while self._texts and not self._within():
                    self._texts.popitem(last=False)
        return text

    def _within(self) -> bool:
        return len(self._texts) <= MOST_TEXTS and self.size <= self._most_bytes


def _pieces(parts: Iterable[str]) -> Iterable[bytes]:
    waiting: list[str] = []
    length = 0
    for part in parts:
        waiting.append(part)
        length += len(part)
        if length >= PIECE:
            yield "".join(waiting).encode()
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting).encode()
