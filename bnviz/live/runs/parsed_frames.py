"""Frames of a history as bytes, as parsed JSON and as snapshots.

A frame repeats the last values of probes that were not measured at its step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from bnviz.live.protocol.frames import RECORD_FIELDS, untyped
from bnviz.records import (
    NAMES_OUTSIDE,
    Break,
    Dip,
    NetworkRecord,
    ProbeValues,
    Snapshot,
    from_plain,
)


@dataclass(frozen=True, slots=True)
class HistoryFrame:
    """Frame with its number and JSON body (see `bnviz.live.protocol.frames.encode_body`)."""

    seq: int
    step: int
    body: bytes


# Array encoded by `bnviz.live.protocol.frames.typed`.
Spec = dict[str, str]


class ParsedFrame:
    """Parsed body of a frame.

    Attributes:
        plain: The whole JSON object.
        networks: Name of a norm -> scalars of its network.
        arrays: "<network>.<probe>.<value>" -> encoded array.
    """

    def __init__(self, body: bytes) -> None:
        self.plain: dict[str, Any] = orjson.loads(body)
        self.step: int = self.plain["step"]
        self.networks: dict[str, dict[str, Any]] = self.plain["networks"]
        self.arrays: dict[str, Spec] = self.plain["arrays"]
        self._decoded: dict[str, np.ndarray] = {}

    def array(self, name: str) -> np.ndarray | None:
        """Return a measured array (read-only), or None if the frame does not contain it."""
        if name in self.arrays and name not in self._decoded:
            self._decoded[name] = untyped(self.arrays[name])
        return self._decoded.get(name)

    def measured_at(self, network: str, probe: str) -> int:
        steps = self.networks.get(network, {}).get("measured_at", {})
        return int(steps.get(probe, self.step))

    def measurements(self) -> Iterator[tuple[str, str, int, dict[str, Spec]]]:
        """Yield (network, probe, step of the measurement, encoded arrays by name)."""
        groups: dict[tuple[str, str], dict[str, Spec]] = {}
        for name, spec in self.arrays.items():
            network, probe, _ = name.split(".", 2)
            groups.setdefault((network, probe), {})[name] = spec
        for (network, probe), values in groups.items():
            yield network, probe, self.measured_at(network, probe), values


class HistoryRecords(Sequence[Snapshot]):
    """Snapshots in order of step, in the form that `bnviz.experiment.run` yields, parsed on first
    use.

    Thread-safe. A snapshot repeats the last values of expensive probes.
    """

    def __init__(self, kept: Sequence[HistoryFrame]) -> None:
        self._kept = kept
        self._parsed: dict[int, Snapshot] = {}
        self.steps = [frame.step for frame in kept]

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: Any) -> Any:
        frame = self._kept[index]
        if frame.seq not in self._parsed:
            self._parsed[frame.seq] = read_snapshot(frame.body)
        return self._parsed[frame.seq]

    def only(self, steps: Collection[int]) -> HistoryRecords:
        return HistoryRecords([frame for frame in self._kept if frame.step in steps])


def nearest(kept: Sequence[HistoryFrame], step: int) -> int:
    """Return the index of the frame nearest to a step; if two are equally near, the earlier."""
    after = bisect_left(kept, step, key=lambda frame: frame.step)
    around = range(max(0, after - 1), min(after + 1, len(kept)))
    return min(around, key=lambda at: abs(kept[at].step - step))


def read_snapshot(body: bytes) -> Snapshot:
    """Decode a frame's body into a snapshot with read-only arrays."""
    parsed = ParsedFrame(body)
    probes: dict[str, dict[str, ProbeValues]] = {norm: {} for norm in parsed.networks}
    for norm, probe, _, specs in parsed.measurements():
        probes[norm][probe] = {name.split(".", 2)[2]: untyped(spec) for name, spec in specs.items()}
    networks = {
        norm: _record(plain, probes[norm]) for norm, plain in parsed.networks.items()
    }  # fmt: skip
    return Snapshot(parsed.step, networks)


def _record(plain: dict[str, Any], probes: dict[str, ProbeValues]) -> NetworkRecord:
    # Return the record of a network. Runs exported by older versions have no predictions.
    outside = {name: NAMES_OUTSIDE.get(name, name) for name in RECORD_FIELDS}
    facts: dict[str, Any] = {name: plain[key] for name, key in outside.items() if key in plain}
    facts["predictions"] = tuple(plain.get("predictions", ()))
    for name, value in facts.items():
        if value in ("NaN", "Infinity", "-Infinity"):
            facts[name] = float(value)
    for name, kind in (("broke", Break), ("dip", Dip)):
        facts[name] = facts[name] and from_plain(kind, facts[name])
    return NetworkRecord(**facts, probes=probes)
