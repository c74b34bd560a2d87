"""Frames: snapshots as JSON text for browsers, with arrays in Plotly's typed form.

A worker writes the body, with all measurements. The hub adds a head (run, number, status), so that
a run and its forks can share the body.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from bnviz.change_log import ChangeLog, Gesture, plain_change
from bnviz.records import NAMES_OUTSIDE, Change, NetworkRecord, Snapshot, json_number, plain

# Increment this when the format changes. A page that knows another version must reload.
WIRE_VERSION = 1
# Maximum number of gestures (changes by hand) in a frame. Older gestures are left out. One drag of
# a slider is one gesture, even if it changes a knob several times.
CHANGES_IN_FRAME = 20
# Frames per second that a worker produces for a run, and maximum and minimum that a viewer may
# request.
FRAMES_PER_SECOND = 15.0
MOST_FRAMES_PER_SECOND, LEAST_FRAMES_PER_SECOND = 60.0, 0.1
# Fields of `NetworkRecord` in a frame. The values of probes are separate, as arrays.
RECORD_FIELDS = tuple(
    field.name for field in dataclasses.fields(NetworkRecord)
    if field.name not in ("probes", "accuracy_trace", "headline")
)  # fmt: skip

# Array types that browsers support, in NumPy's notation without the byte order.
_DTYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8")


def typed(array: np.ndarray) -> dict[str, str]:
    """Encode an array as `{"dtype", "bdata", "shape"}` in base64; omit `shape` for one axis."""
    array = np.asarray(array)
    if array.dtype.str[1:] not in _DTYPES:
        array = array.astype({"b": np.uint8, "i": np.int32, "u": np.uint32}.get(
            array.dtype.kind, np.float32))  # fmt: skip
    name = array.dtype.str[1:]
    data = np.ascontiguousarray(array, dtype=f"<{name}")
    spec = {"dtype": name, "bdata": base64.b64encode(data.tobytes()).decode("ascii")}
    if array.ndim > 1:
        spec["shape"] = ",".join(map(str, array.shape))
    return spec


def untyped(spec: Mapping[str, str]) -> np.ndarray:
    array = np.frombuffer(base64.b64decode(spec["bdata"]), dtype=f"<{spec['dtype']}")
    if "shape" in spec:
        array = array.reshape([int(size) for size in spec["shape"].split(",")])
    return array


def plain_gesture(gesture: Gesture) -> dict[str, Any]:
    """Convert a gesture for JSON. A drag includes the steps and values at its start and end."""
    if not gesture.drag:
        return plain_change(gesture.changes[0])
    return {
        "step": gesture.step, "values": dict(gesture.values), "drag": gesture.drag,
        "from": dict(gesture.before), "until": gesture.last_step,
    }  # fmt: skip


def plain_gestures(changes: Sequence[Change]) -> list[dict[str, Any]]:
    log = changes if isinstance(changes, ChangeLog) else ChangeLog({}, changes)
    return [plain_gesture(gesture) for gesture in log.gestures[-CHANGES_IN_FRAME:]]


def encode_body(
    snapshot: Snapshot,
    *,
    changes: Sequence[Change] = (),
    gestures: Sequence[Mapping[str, Any]] | None = None,
    story: Mapping[str, Any] | None = None,
    replayed: bool = False,
) -> bytes:
    """Encode the body of a frame, with all measurements at one step.

    `story` has sentences about each network. `replayed` marks a step that the run had already
    passed.
    """
    networks, arrays = {}, {}
    for norm, record in snapshot.networks.items():
        networks[norm] = _network(record, snapshot.step, (story or {}).get(norm, {}))
        for probe, values in record.probes.items():
            for name, array in values.items():
                arrays[f"{norm}.{probe}.{name}"] = typed(array)
    body: dict[str, Any] = {
        "step": snapshot.step,
        "networks": networks,
        "arrays": arrays,
        "changes": plain_gestures(changes) if gestures is None else gestures,
    }
    if replayed:
        body["replayed"] = True
    return orjson.dumps(body, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _network(record: NetworkRecord, step: int, story: Any) -> dict[str, Any]:
    facts = {NAMES_OUTSIDE.get(name, name): getattr(record, name) for name in RECORD_FIELDS}
    measured = {probe: record.measured_at.get(probe, step) for probe in record.probes}
    return plain({**facts, "measured_at": measured, "story": story})


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
        return json_number(value) if isinstance(value, float) else value
    raise TypeError(f"A frame cannot contain a value of type {type(value).__name__}.")


def compose(run: str, seq: int, status: Mapping[str, Any], body: bytes) -> bytes:
    """Join the hub's head and a worker's body. For `status`, see `Run.numbered_status`."""
    head = orjson.dumps({"v": WIRE_VERSION, "type": "frame", "run": run, "seq": seq, **status})
    return head[:-1] + b"," + body[1:]
