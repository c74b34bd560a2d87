"""A frame as the history keeps it.

What a kept frame says: which value was measured at which step.

A frame carries the last values of probes that are measured rarely along, with the step that they
belong to. A point of a series is a value and the step at which it was measured, whichever frame
brings it.

The kept frames of a run as records, each read when it is first looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from bnviz.live.protocol.frames import untyped
from bnviz.records import Break, Dip, NetworkRecord, ProbeValues, Snapshot


@dataclass(frozen=True, slots=True)
class KeptFrame:
    """A kept frame: its number, its step, what was measured."""

    seq: int
    step: int
    body: bytes


Spec = dict[str, str]


class ParsedFrame:
    """A kept frame, read.

    Attributes:
        step: of the frame.
        networks: plain values of each network, by name of its norm.
        arrays: "<network>.<probe>.<value>" -> typed array.
    """

    def __init__(self, body: bytes) -> None:
        self.plain: dict[str, Any] = orjson.loads(body)
        self.step: int = self.plain["step"]
        self.networks: dict[str, dict[str, Any]] = self.plain["networks"]
        self.arrays: dict[str, Spec] = self.plain["arrays"]
        self._decoded: dict[str, np.ndarray] = {}

    def array(self, name: str) -> np.ndarray | None:
        """A measured array, or None where the frame lacks it."""
        if name not in self._decoded:
            spec = self.arrays.get(name)
            if spec is None:
                return None
            self._decoded[name] = untyped(spec)
        return self._decoded[name]

    def measured_at(self, network: str, probe: str) -> int:
        """The step at which the values of a probe were measured."""
        steps = self.networks.get(network, {}).get("measured_at", {})
        return int(steps.get(probe, self.step))

    def measurements(self) -> Iterator[tuple[str, str, int, dict[str, Spec]]]:
        """Network, probe, step at which it was measured, and its values by their whole names."""
        groups: dict[tuple[str, str], dict[str, Spec]] = {}
        for name, spec in self.arrays.items():
            network, probe, _ = name.split(".", 2)
            groups.setdefault((network, probe), {})[name] = spec
        for (network, probe), values in groups.items():
            yield network, probe, self.measured_at(network, probe), values


class KeptRecords(Sequence[Snapshot]):
    """Snapshots ascending by step, as `bnviz.experiment.run` yields them; safe in any thread.

    A snapshot carries the last values of probes that were too expensive to measure again:
    `measured_at` says of which step they are.

    Args:
        kept: frames in order of step.
    """

    def __init__(self, kept: Sequence[KeptFrame]) -> None:
        self._kept = kept
        self._read: dict[int, Snapshot] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        frame = self._kept[index]
        if frame.seq not in self._read:
            self._read[frame.seq] = read_snapshot(frame.body)
        return self._read[frame.seq]

    @property
    def steps(self) -> list[int]:
        """The steps there is a snapshot of, ascending."""
        return [frame.step for frame in self._kept]

    def at(self, step: int) -> Snapshot:
        """The snapshot nearest to a step; of two as near the earlier one.

        Raises:
            LookupError: there is none at all.
        """
        if not self._kept:
            raise LookupError("The run has no frame yet.")
        snapshot: Snapshot = self[self._nearest(step)]
        return snapshot

    def near(self, steps: Iterable[int]) -> KeptRecords:
        """The snapshots nearest to these steps, each once."""
        if not self._kept:
            return self
        chosen = sorted({self._nearest(step) for step in steps})
        return KeptRecords([self._kept[at] for at in chosen])

    def series(self, network: str, value: str) -> np.ndarray:
        """`loss`, `test_loss` or `test_accuracy` of one network over `steps`, float64 [T]."""
        return np.array([getattr(s.networks[network], value) for s in self], dtype=np.float64)

    def _nearest(self, step: int) -> int:
        after = bisect_left(self._kept, step, key=lambda frame: frame.step)
        around = range(max(0, after - 1), min(after + 1, len(self._kept)))
        return min(around, key=lambda at: abs(self._kept[at].step - step))


def read_snapshot(body: bytes) -> Snapshot:
    """What a frame was made of, its arrays read-only; the clock's values and all."""
    reading = ParsedFrame(body)
    probes: dict[str, dict[str, ProbeValues]] = {norm: {} for norm in reading.networks}
    for name in reading.arrays:
        norm, probe, value = name.split(".", 2)
        array = reading.array(name)
        assert array is not None
        probes[norm].setdefault(probe, {})[value] = array
    networks = {
        norm: _record(plain, probes[norm]) for norm, plain in reading.networks.items()
    }  # fmt: skip
    return Snapshot(reading.step, networks)


def _record(plain: dict[str, Any], probes: dict[str, ProbeValues]) -> NetworkRecord:
    broke, dip, seconds = plain["broke"], plain["dip"], plain["seconds_per_step"]
    return NetworkRecord(
        loss=float(plain["loss"]), test_loss=float(plain["test_loss"]),
        test_accuracy=float(plain["test_accuracy"]), state=plain["state"],
        broke=Break(**broke) if broke else None, probes=probes,
        measured_at=dict(plain["measured_at"]), learning_rate=float(plain["learning_rate"]),
        stability_limit=plain["stability_limit"], paused=plain["paused"],
        stopped=plain["stopped"], dip=Dip(**dip) if dip else None,
        seconds_per_step=None if seconds is None else float(seconds),
    )  # fmt: skip
