"""Runs of the real engine that record every measurement. Their frames may contain values measured
at earlier steps.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import encode_body
from bnviz.live.runs.time_series import SCALARS
from bnviz.live.worker.probe_schedule import ProbeSchedule
from bnviz.records import Snapshot
from bnviz.words.story import tell_story

SMALL = RunConfig(depth=1, width=4, batch_size=8, seed=3)


# Probes that are measured separately in a turn with `late`.
APART = ("jacobian", "sharpness")


class Truth:
    """Every value that the engine measured, by field and step.

    A step can be measured twice: before and after a live change.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[int, list[np.ndarray]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def note(self, snapshot: Snapshot) -> None:
        for norm, record in snapshot.networks.items():
            for name in SCALARS:
                value = getattr(record, name)
                if value is not None:
                    self._values[f"{norm}.{name}"][snapshot.step].append(np.float64(value))
            for probe, values in record.probes.items():
                for name, array in values.items():
                    self._values[f"{norm}.{probe}.{name}"][snapshot.step].append(np.array(array))

    def arrays(self) -> dict[str, tuple[int, ...]]:
        """Return the name and the shape of every array that probes measured."""
        return {
            name: next(iter(steps.values()))[0].shape
            for name, steps in self._values.items() if name.count(".") == 2
        }  # fmt: skip

    def fields(self) -> list[str]:
        """Return a field for every scalar, and for the first and the last entry of every array."""
        ends = []
        for name, shape in self.arrays().items():
            corners = {(0,) * len(shape), tuple(size - 1 for size in shape)}
            ends += [f"{name}:{','.join(map(str, c))}" if c else name for c in sorted(corners)]
        return [*(name for name in self._values if name.count(".") == 1), *ends]

    def has(self, name: str, step: int, value: Any, index: tuple[int, ...] = ()) -> bool:
        """Return whether the engine measured this value of a field at this step.

        After transport, a scalar cannot be told apart from an array with one value, so they count
        as equal.
        """
        return any(
            np.array_equal(
                _part(np.atleast_1d(array), index, np.ndim(value)), value, equal_nan=True
            )
            for array in self._values.get(name, {}).get(step, ())
        )


def _part(array: np.ndarray, index: tuple[int, ...], dimensions: int) -> Any:
    if index:
        return array[index]
    return array if dimensions else array.flat[0]


class Noting(Experiment):
    """Experiment that records its measurements."""

    truth: Truth

    def snapshot(self, *arguments: Any, **options: Any) -> Snapshot:
        snapshot = super().snapshot(*arguments, **options)
        self.truth.note(snapshot)
        return snapshot


@dataclasses.dataclass(frozen=True)
class Turn:
    """Steps and changes before a frame, and how the frame is measured."""

    steps: int = 1
    seconds: float = 0.1
    how: str = "due"
    rate: float | None = None
    batch: int | None = None
    # Also measure `APART`, whose values arrive with the next frame.
    late: bool = False


def played(
    turns: Sequence[Turn], truth: Truth, config: RunConfig = SMALL
) -> Iterator[tuple[Snapshot, bytes, Noting]]:
    """Yield the snapshot, the frame's body and the experiment after each turn. Measurements are
    scheduled as if four runs shared the worker.
    """
    experiment, measuring, now = Noting(config), ProbeSchedule(), 0.0
    experiment.truth = truth
    apart: tuple[Any, ...] | None = None
    for turn in turns:
        for _ in range(turn.steps):
            experiment.step()
        if turn.rate is not None:
            experiment.update(learning_rate=turn.rate)
        if turn.batch is not None:
            experiment.update(batch_size=turn.batch)
        now += turn.seconds
        measuring.accrue(turn.seconds, 4, full_pace=False)
        if apart is not None:
            measuring.take_slow(*apart)
        names = measuring.choose(experiment.step_number, now, turn.how, urgent=False)
        measuring.frame_began(now)
        snapshot, seconds = _measured(experiment, names)
        measuring.charge(sum(seconds.values()))
        shown = measuring.complete(snapshot, seconds, now)
        apart = None
        if turn.late:
            beside, seconds = _measured(experiment, APART)
            found = {norm: record.probes for norm, record in beside.networks.items()}
            apart = (beside.step, found, seconds, now)
        story = tell_story(shown, config, experiment.changes)
        body = encode_body(shown, changes=experiment.changes, story=story)
        yield shown, body, experiment


def _measured(experiment: Experiment, names: Sequence[str]) -> tuple[Snapshot, dict[str, float]]:
    seconds: dict[str, float] = {}
    return experiment.snapshot(names, seconds=seconds), seconds
