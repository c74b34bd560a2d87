"""Measurements of undisturbed runs, to compare with the frames of other runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.records import Change

# Fields of each network in a frame that are compared with an undisturbed run.
MEASURED = ("loss", "test_loss", "test_accuracy", "state")


class Reference:
    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        self._going: dict[str, tuple[Experiment, int]] = {}

    def measured(self, config: RunConfig, log: list[Change], step: int) -> Iterator[dict[str, Any]]:
        """Yield the networks at a step: before the live changes at this step, and after each of
        these changes.
        """
        before = [change for change in log if change.step < step]
        at_once = [change for change in log if change.step == step]
        for count in range(len(at_once) + 1):
            made = [*before, *at_once[:count]]
            key = repr((config, step, made))
            if key not in self._known:
                self._known[key] = self._run(config, made, step)
            yield self._known[key]

    def _run(self, config: RunConfig, changes: list[Change], step: int) -> dict[str, Any]:
        experiment, made = self._going.pop(repr(config), (Experiment(config), 0))
        missed = [change for change in changes[made:] if change.step < experiment.step_number]
        if experiment.step_number > step or missed or experiment.changes != changes[:made]:
            experiment, made = Experiment(config), 0
        while True:
            while made < len(changes) and changes[made].step == experiment.step_number:
                experiment.update(drag=changes[made].drag, **changes[made].values)
                made += 1
            if experiment.step_number == step:
                break
            experiment.step()
        self._going[repr(config)] = experiment, len(experiment.changes)
        return compared(json.loads(encode_body(experiment.snapshot(()))))


def compared(body: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a frame that is compared with an undisturbed run."""
    return {
        norm: {name: found[name] for name in MEASURED} for norm, found in body["networks"].items()
    }  # fmt: skip
