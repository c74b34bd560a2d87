"""What a kept frame says: which value was measured at which step.

A frame carries the last values of probes that are measured rarely along, with the step that they
belong to. A point of a series is a value and the step at which it was measured, whichever frame
brings it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson

from bnviz.live.protocol.frames import untyped

Spec = dict[str, str]


class Reading:
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
