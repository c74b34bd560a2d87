"""A frame as charts see it, decoded: plain values of each network, and arrays by field name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnviz.records import Change, Snapshot


@dataclass(frozen=True)
class Frame:
    """A decoded frame.

    Attributes:
        networks: by norm name the plain values of the wire ("state", "broke", "loss",
            "measured_at", …).
        arrays: "<network>.<probe>.<value>" -> array.
    """

    step: int
    networks: Mapping[str, Mapping[str, Any]]
    arrays: Mapping[str, np.ndarray]
    changes: Sequence[Change] = ()

    def value(self, name: str) -> np.ndarray | None:
        """A field, or None where the frame lacks it."""
        if name in self.arrays:
            return np.asarray(self.arrays[name], dtype=np.float64)
        network, _, value = name.partition(".")
        found = self.networks.get(network, {}).get(value)
        return None if found is None else np.asarray(float(found))

    def measured_at(self, name: str) -> int:
        """The step at which a field was measured: that of the frame, or an earlier one."""
        network, probe, *value = name.split(".")
        steps = self.networks.get(network, {}).get("measured_at", {}) if value else {}
        return int(steps.get(probe, self.step))


def to_frame(snapshot: Snapshot, changes: Sequence[Change] = ()) -> Frame:
    """A snapshot as the browser would see it."""
    networks, arrays = {}, {}
    for norm, record in snapshot.networks.items():
        broke = record.broke
        networks[norm] = {
            "state": record.state, "loss": record.loss, "test_loss": record.test_loss,
            "test_accuracy": record.test_accuracy, "learning_rate": record.learning_rate,
            "stability_limit": record.stability_limit, "measured_at": record.measured_at,
            "seconds_per_step": record.seconds_per_step, "paused": record.paused,
            "examples": record.examples, "epochs": record.epochs,
            "training_seconds": record.training_seconds, "stopped": record.stopped,
            "broke": {"step": broke.step, "layer": broke.layer} if broke else None,
        }  # fmt: skip
        for probe, values in record.probes.items():
            arrays.update({f"{norm}.{probe}.{name}": array for name, array in values.items()})
    return Frame(snapshot.step, networks, arrays, changes)
