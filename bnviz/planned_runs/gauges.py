"""Measured quantities by which runs can be compared: one network's divided by another's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bnviz.records import ProbeValues, Snapshot


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """A quantity that a probe measures; its name is a key of `gauges` in `series.toml`.

    Attributes:
        probe: that measures it.
        read: its values at one step, of any shape: none is negative.
    """

    probe: str
    read: Callable[[ProbeValues], np.ndarray]


# The networks: that whose quantities are divided, and by which.
ABOVE, BELOW = "batch", "none"
# As the claims E8 and E10 have them. Below the first layer nothing moves its gradient.
GAUGES: dict[str, Gauge] = {
    "gradient_shift": Gauge(probe="ics", read=lambda values: values["change"][1:]),
    "loss_range": Gauge(
        probe="landscape", read=lambda values: values["loss_high"] - values["loss_low"]
    ),
    "effective_beta": Gauge(probe="landscape", read=lambda values: values["beta"]),
}


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """The quantities of which one network's is divided by another's, and when.

    Attributes:
        gauges: keys of `GAUGES`.
        steps: at which they are measured, ascending.
    """

    gauges: tuple[str, ...]
    steps: tuple[int, ...]

    @property
    def probes(self) -> tuple[str, ...]:
        """The probes that measure them, each once."""
        return tuple(dict.fromkeys(GAUGES[name].probe for name in self.gauges))

    def of(self, snapshots: Mapping[int, Snapshot]) -> dict[str, float | None]:
        """The geometric mean of each ratio over layers, where a gauge has them, and steps.

        Args:
            snapshots: by step; of several of one step the last.

        Returns:
            By gauge; None where a value was not measured at its very step, or is not a positive
            finite number.
        """
        return {name: self._ratio(GAUGES[name], snapshots) for name in self.gauges}

    def waits(self, snapshots: Mapping[int, Snapshot]) -> bool:
        """Whether one of the networks, which goes on, still has to be measured at the last step.

        A run is held at the steps before it until they are measured; at its last step it only
        stands still, and its values may come later.
        """
        step = self.steps[-1]
        if step not in snapshots:
            return False
        records = (snapshots[step].networks[norm] for norm in (ABOVE, BELOW))
        return any(
            record.measured_at.get(probe, -1) != step
            for record in records if record.stopped is None and record.undefined_norm is None
            for probe in self.probes
        )  # fmt: skip

    def _ratio(self, gauge: Gauge, snapshots: Mapping[int, Snapshot]) -> float | None:
        logs = []
        for step in self.steps:
            pair = []
            for norm in (ABOVE, BELOW):
                values = _values(gauge, snapshots, step, norm)
                if values is None:
                    return None
                pair.append(np.log(values))
            logs.append(pair[0] - pair[1])
        return math.exp(float(np.mean(logs)))


def _values(
    gauge: Gauge, snapshots: Mapping[int, Snapshot], step: int, norm: str
) -> np.ndarray | None:
    """A gauge's values of one network at a step, float64; None where they cannot be divided."""
    record = snapshots[step].networks.get(norm) if step in snapshots else None
    measured = record.measured(gauge.probe, step) if record else None
    if measured is None:
        return None
    values = np.asarray(gauge.read(measured), dtype=np.float64)
    return values if bool((np.isfinite(values) & (values > 0)).all()) else None
