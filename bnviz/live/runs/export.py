"""Export of a run as CSV with one line per step, or as JSON with all data; cache of export files.

Frames repeat the last values of probes, but a file contains each measurement only once.
"""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import orjson

from bnviz.change_log import plain_change
from bnviz.config import RunConfig
from bnviz.live.protocol.frames import untyped
from bnviz.live.runs.parsed_frames import HistoryFrame, ParsedFrame
from bnviz.probes import PROBES
from bnviz.recently_used import RecentlyUsed
from bnviz.records import SCALARS, Change, entry_names

# Maximum number of columns per array. Larger arrays are in the JSON file only.
MOST_COLUMNS = 64
# Limits of the cache: number of files, and their total size in bytes.
MOST_FILES = 8
MOST_BYTES = 64 * 2**20
# Maximum number of (name, shape) pairs whose column names are cached.
MOST_SHAPES = 2_000
# Bytes per piece of a file. Slow downloads share the cached pieces instead of copying them.
PIECE = 2**16

Cells = dict[str, Any]
ArrayShape = tuple[int, ...]
# (network, probe, step).
Measurement = tuple[str, str, int]
# (run id, kind of file).
ExportKey = tuple[str, str]


def csv_lines(kept: Sequence[HistoryFrame]) -> Iterator[str]:
    """Yield a CSV header, and one line per step with a frame or a measurement.

    Columns are named as in `/series`. The scalars of a step without a frame are empty.
    """
    scalars: dict[int, Cells] = {}
    arrays: dict[int, dict[str, np.ndarray]] = {}
    # Name of a value -> its column names in order.
    columns: dict[str, Cells] = {}
    # Use the last value, because a step may be measured again after a live change.
    for frame in (ParsedFrame(one.body) for one in sorted(kept, key=lambda frame: frame.seq)):
        scalars[frame.step] = _scalars(frame)
        for _, _, step, values in frame.measurements():
            row = arrays.setdefault(step, {})
            for name, spec in values.items():
                array = untyped(spec)
                if array.size <= MOST_COLUMNS:
                    row[name] = array
                    columns.setdefault(name, {}).update(dict.fromkeys(_columns(name, array.shape)))
    names = dict.fromkeys(name for cells in scalars.values() for name in cells)
    entries = [column for name in sorted(columns, key=_column_order) for column in columns[name]]
    table = csv.DictWriter(_Echo(), ["step", *names, *entries], lineterminator="\n")
    yield table.writeheader()
    for step in sorted(scalars.keys() | arrays.keys()):
        cells = {"step": step, **scalars.get(step, {})}
        for name, array in arrays.get(step, {}).items():
            cells.update(zip(_columns(name, array.shape), array.ravel().tolist(), strict=True))
        yield table.writerow(cells)


class _Echo:
    """File object whose `write` returns the line, so that a generator can use `csv`."""

    def write(self, line: str) -> str:
        return line


def json_parts(
    config: RunConfig, changes: Sequence[Change], kept: Sequence[HistoryFrame], resolved_device: str
) -> Iterator[str]:
    """Yield parts of a JSON object with the initial config, device, live changes and frames.

    A measurement is in the frame of its step, or in the first frame that contains it, with its step
    in `measured_at`.
    """
    frames = {frame.seq: ParsedFrame(frame.body) for frame in kept}
    measurements = _assign_measurements(frames)
    head = {
        "config": config.model_dump(), "resolved_device": resolved_device,
        "changes": [plain_change(change) for change in changes],
    }  # fmt: skip
    yield orjson.dumps(head).decode()[:-1] + ',"frames":['
    for at, frame in enumerate(kept):
        parsed = frames.pop(frame.seq)
        yield ("," if at else "") + _frame_text(parsed, measurements.get(frame.seq, []))
    yield "]}"


def _assign_measurements(frames: dict[int, ParsedFrame]) -> dict[int, list[Measurement]]:
    """Return the measurements to write into each frame, by frame number."""
    # Measurement -> (digest, rank of the best frame so far, number of that frame).
    best: dict[Measurement, tuple[int, tuple[bool, int], int]] = {}
    for seq, frame in sorted(frames.items()):
        for network, probe, step, values in frame.measurements():
            one, suits = (network, probe, step), (frame.step != step, frame.step)
            digest = hash(tuple((name, spec["bdata"]) for name, spec in sorted(values.items())))
            if one not in best or best[one][0] != digest or suits < best[one][1]:
                best[one] = digest, suits, seq
    assigned: dict[int, list[Measurement]] = {}
    for one, (_, _, seq) in best.items():
        assigned.setdefault(seq, []).append(one)
    return assigned


def _frame_text(frame: ParsedFrame, measurements: list[Measurement]) -> str:
    """Return a frame as JSON with the given measurements. Non-finite numbers become null."""
    shown = {(network, probe): step for network, probe, step in measurements}
    arrays = {
        name: untyped(spec).tolist() for name, spec in frame.arrays.items()
        if tuple(name.split(".")[:2]) in shown
    }  # fmt: skip
    networks = {
        norm: {**plain, "measured_at": {
            probe: step for (network, probe), step in shown.items() if network == norm
        }}
        for norm, plain in frame.networks.items()
    }  # fmt: skip
    found = {**frame.plain, "networks": networks, "arrays": arrays}
    found.pop("replayed", None)
    return orjson.dumps(found).decode()


def _scalars(frame: ParsedFrame) -> Cells:
    cells: Cells = {}
    for norm, network in frame.networks.items():
        cells[f"{norm}.state"] = network["state"]
        cells.update({f"{norm}.{name}": network.get(name) for name in SCALARS})
    return cells


def _column_order(name: str) -> tuple[list[int], str]:
    """Return a sort key: probes in registry order, then names."""
    probes = list(PROBES)
    _, probe, _ = name.split(".", 2)
    return [probes.index(probe) if probe in probes else len(probes)], name


_columns = lru_cache(MOST_SHAPES)(entry_names)


class ExportCache:
    """Cache of the most recent export files, in pieces. Thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        # Key -> (version of the run, file in pieces).
        self._files: RecentlyUsed[ExportKey, tuple[Hashable, list[bytes]]] = RecentlyUsed(
            MOST_FILES, most_size=most_bytes, size=lambda kept: sum(map(len, kept[1]))
        )
        self._lock = threading.Lock()

    @property
    def size(self) -> float:
        return self._files.size

    def file(
        self, key: ExportKey, version: Hashable, make: Callable[[], Iterable[str | bytes]]
    ) -> list[bytes]:
        """Return a file from the cache, or make it. Calls for the same key must not overlap."""
        with self._lock:
            kept = self._files.get(key)
        if kept is not None and kept[0] == version:
            return kept[1]
        file = list(_pieces(make()))
        with self._lock:
            self._files.put(key, (version, file))
        return file


def _pieces(parts: Iterable[str | bytes]) -> Iterator[bytes]:
    waiting = bytearray()
    for part in parts:
        waiting += part.encode() if isinstance(part, str) else part
        while len(waiting) >= PIECE:
            yield bytes(waiting[:PIECE])
            del waiting[:PIECE]
    if waiting:
        yield bytes(waiting)
