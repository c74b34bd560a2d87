"""Quantities by which runs are compared, as the ratio of one network to another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bnviz.records import ProbeValues, Snapshot


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """Non-negative quantity that a probe measures. The table `gauges` in `series.toml` names it."""

    probe: str
    read: Callable[[ProbeValues], np.ndarray]


# Norms of the networks in the numerator and in the denominator of a ratio.
ABOVE, BELOW = "batch", "none"
# Quantities of the claims E8 and E10. Layer 1 has no gradient shift, because no layer is below it.
GAUGES: dict[str, Gauge] = {
    "gradient_shift": Gauge(probe="ics", read=lambda values: values["change"][1:]),
    "loss_range": Gauge(
        probe="landscape", read=lambda values: values["loss_high"] - values["loss_low"]
    ),
    "effective_beta": Gauge(probe="landscape", read=lambda values: values["beta"]),
}


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """Gauges (keys of `GAUGES`) to compare as ratios of two networks, and steps to measure."""

    gauges: tuple[str, ...]
    steps: tuple[int, ...]

    @property
    def probes(self) -> tuple[str, ...]:
        """Return the probes that the gauges need, without duplicates."""
        return tuple(dict.fromkeys(GAUGES[name].probe for name in self.gauges))

    def of(self, snapshots: Mapping[int, Snapshot]) -> dict[str, float | None]:
        """Return the geometric mean of each ratio over steps and layers.

        A ratio is None if a value was not measured at its own step, or is not positive and finite.
        """
        return {name: self._ratio(GAUGES[name], snapshots) for name in self.gauges}

    def waits(self, snapshots: Mapping[int, Snapshot]) -> bool:
        """Return whether measurements of the last step are missing for a network that still trains.

        At earlier steps a run waits for measurements. At its last step they may arrive later.
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
    """Return a network's values at a step, or None if one is missing, not finite or ≤ 0."""
    record = snapshots[step].networks.get(norm) if step in snapshots else None
    measured = record.measured(gauge.probe, step) if record else None
    if measured is None:
        return None
    values = np.asarray(gauge.read(measured), dtype=np.float64)
    return values if bool((np.isfinite(values) & (values > 0)).all()) else None
