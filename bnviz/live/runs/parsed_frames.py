"""The kept frames of a run: as bytes, parsed, and as records.

A frame also has the last values of those probes that were not measured at its step, with the step
at which they were.
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
    """A frame in a history.

    Attributes:
        seq: its number.
        step: its step.
        body: what was measured, as JSON; see `bnviz.live.protocol.frames.encode_body`.
    """

    seq: int
    step: int
    body: bytes


# An array as `bnviz.live.protocol.frames.typed` has it.
Spec = dict[str, str]


class ParsedFrame:
    """A frame's body, parsed.

    Attributes:
        plain: all of it.
        step: of the frame.
        networks: the scalars of each network, by name of its norm.
        arrays: by "<network>.<probe>.<value>", the typed arrays.
    """

    def __init__(self, body: bytes) -> None:
        self.plain: dict[str, Any] = orjson.loads(body)
        self.step: int = self.plain["step"]
        self.networks: dict[str, dict[str, Any]] = self.plain["networks"]
        self.arrays: dict[str, Spec] = self.plain["arrays"]
        self._decoded: dict[str, np.ndarray] = {}

    def array(self, name: str) -> np.ndarray | None:
        """A measured array, read-only; None where the frame has none of that name."""
        if name in self.arrays and name not in self._decoded:
            self._decoded[name] = untyped(self.arrays[name])
        return self._decoded.get(name)

    def measured_at(self, network: str, probe: str) -> int:
        steps = self.networks.get(network, {}).get("measured_at", {})
        return int(steps.get(probe, self.step))

    def measurements(self) -> Iterator[tuple[str, str, int, dict[str, Spec]]]:
        """For each probe of each network: network, probe, the step at which it was measured, and
        its typed arrays by name.
        """
        groups: dict[tuple[str, str], dict[str, Spec]] = {}
        for name, spec in self.arrays.items():
            network, probe, _ = name.split(".", 2)
            groups.setdefault((network, probe), {})[name] = spec
        for (network, probe), values in groups.items():
            yield network, probe, self.measured_at(network, probe), values


class HistoryRecords(Sequence[Snapshot]):
    """Snapshots ascending by step, as `bnviz.experiment.run` yields them, each parsed on first use.

    Safe in any thread. A snapshot also has the last values of probes that were too expensive to
    measure again, with their step in `measured_at`.

    Args:
        kept: frames in order of step.
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
        """The snapshots of these steps."""
        return HistoryRecords([frame for frame in self._kept if frame.step in steps])


def nearest(kept: Sequence[HistoryFrame], step: int) -> int:
    """The index of the frame nearest to a step; of two at the same distance the earlier one."""
    after = bisect_left(kept, step, key=lambda frame: frame.step)
    around = range(max(0, after - 1), min(after + 1, len(kept)))
    return min(around, key=lambda at: abs(kept[at].step - step))


def read_snapshot(body: bytes) -> Snapshot:
    """The snapshot that a frame's body was encoded from, its arrays read-only."""
    parsed = ParsedFrame(body)
    probes: dict[str, dict[str, ProbeValues]] = {norm: {} for norm in parsed.networks}
    for norm, probe, _, specs in parsed.measurements():
        probes[norm][probe] = {name.split(".", 2)[2]: untyped(spec) for name, spec in specs.items()}
    networks = {
        norm: _record(plain, probes[norm]) for norm, plain in parsed.networks.items()
    }  # fmt: skip
    return Snapshot(parsed.step, networks)


def _record(plain: dict[str, Any], probes: dict[str, ProbeValues]) -> NetworkRecord:
    # Runs exported by earlier versions have no predictions.
    outside = {name: NAMES_OUTSIDE.get(name, name) for name in RECORD_FIELDS}
    facts: dict[str, Any] = {name: plain[key] for name, key in outside.items() if key in plain}
    facts["predictions"] = tuple(plain.get("predictions", ()))
    for name, value in facts.items():
        if value in ("NaN", "Infinity", "-Infinity"):
            facts[name] = float(value)
    for name, kind in (("broke", Break), ("dip", Dip)):
        facts[name] = facts[name] and from_plain(kind, facts[name])
    return NetworkRecord(**facts, probes=probes)
