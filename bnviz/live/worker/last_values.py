"""The last values of a run's probes: between two measurements they travel on in its frames."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Set

from bnviz.records import ProbeValues, Snapshot


class LastValues:
    """By network and probe, the last values and the step at which they were measured."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, tuple[int, ProbeValues]]] = {}

    def keep_only(self, probes: Collection[str]) -> None:
        """Forget the values of all other probes."""
        for known in self._values.values():
            for gone in known.keys() - set(probes):
                del known[gone]

    def fill_in(self, snapshot: Snapshot, probes: Set[str]) -> Snapshot:
        """Note what a snapshot has of these probes; the same with all that is known filled in."""
        networks = {}
        for norm, record in snapshot.networks.items():
            known = self._values.setdefault(norm, {})
            for probe in probes & record.probes.keys():
                known[probe] = (snapshot.step, record.probes[probe])
            networks[norm] = dataclasses.replace(
                record,
                probes={probe: values for probe, (_, values) in known.items()},
                measured_at={probe: step for probe, (step, _) in known.items()},
            )
        return dataclasses.replace(snapshot, networks=networks)

    def add(
        self, step: int, found: Mapping[str, Mapping[str, ProbeValues]], probes: Set[str]
    ) -> None:
        """Note what was found of these probes at a step, where nothing newer is known."""
        for norm, values in found.items():
            known = self._values.setdefault(norm, {})
            for probe in probes & values.keys():
                if step >= known.get(probe, (-1, {}))[0]:
                    known[probe] = (step, values[probe])
