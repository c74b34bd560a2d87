"""A run's data to take away: a table of numbers over steps, or everything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from bnviz.config import RunConfig
from bnviz.live.frames import plain_change, untyped
from bnviz.live.history import Kept
from bnviz.live.series import SCALARS
from bnviz.records import Change

# Larger arrays (histograms, decision boundaries) are in the JSON file only.
MOST_COLUMNS = 64


def csv_lines(kept: Sequence[Kept]) -> Iterator[str]:
    """A header, then a line for each kept frame. A column is named as in `/series`."""
    names: list[str] | None = None
    for frame in kept:
        row = _row(orjson.loads(frame.body))
        if names is None:
            names = list(row)
            yield _line(names)
        yield _line([row.get(name, "") for name in names])


def json_parts(config: RunConfig, changes: Sequence[Change], kept: Sequence[Kept]) -> Iterator[str]:
    """One JSON object: the config at step 0, the live changes, every kept frame."""
    head = {"config": config.model_dump(), "changes": [plain_change(change) for change in changes]}
    yield orjson.dumps(head).decode()[:-1] + ',"frames":['
    for at, frame in enumerate(kept):
        yield ("," if at else "") + _readable(frame.body)
    yield "]}"


def _readable(body: bytes) -> str:
    """A frame with its arrays as nested lists; JSON has null for what is not finite."""
    frame = orjson.loads(body)
    frame["arrays"] = {name: untyped(spec).tolist() for name, spec in frame["arrays"].items()}
    frame.pop("replayed", None)
    return orjson.dumps(frame).decode()


def _row(frame: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"step": frame["step"]}
    for norm, network in frame["networks"].items():
        row[f"{norm}.state"] = network["state"]
        row.update({f"{norm}.{name}": network[name] for name in SCALARS})
    for name, spec in frame["arrays"].items():
        array = untyped(spec)
        if array.size > MOST_COLUMNS:
            continue
        for at, value in enumerate(array.reshape(-1).tolist()):
            index = ",".join(map(str, _index(at, array.shape)))
            row[f"{name}:{index}"] = value
    return row


def _index(at: int, shape: tuple[int, ...]) -> list[int]:
    index: list[int] = []
    for size in reversed(shape):
        at, part = divmod(at, size)
        index.insert(0, part)
    return index


def _line(cells: Sequence[Any]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow(cells)
    return stream.getvalue()
