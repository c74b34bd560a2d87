"""Try-it experiments in which BN loses, and their recorded results for the page `when-it-loses`.

`measure.py` writes `measured.json`. Reading it does not import torch.
"""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bnviz.lessons import LESSONS
from bnviz.lessons.lesson import BatchLoses, Lesson

FILE = Path(__file__).with_name("measured.json")
# Name of the measure that counts steps. All other measures are test accuracies.
STEPS = "steps"


@dataclass(frozen=True, kw_only=True)
class RecordedDefeat:
    """Recorded results of an experiment in which BN loses, one value per seed.

    Attributes:
        batch: test accuracy with BN, 0 to 1, or the number of steps that BN took.
        other: the same quantity for the network that BN loses to.
        made_of: hash of the measured setting.
    """

    seeds: tuple[int, ...]
    batch: tuple[float, ...]
    other: tuple[float, ...]
    made_of: str
    by: str

    @property
    def gaps(self) -> tuple[float, ...]:
        """Deficit of BN per seed, in test accuracy or in extra steps."""
        behind = -1 if self.by == STEPS else 1
        pairs = zip(self.batch, self.other, strict=True)
        return tuple(behind * (there - here) for here, there in pairs)

    @property
    def gap(self) -> float:
        return statistics.median(self.gaps)

    def median_of(self, network: Literal["batch", "other"]) -> float:
        return statistics.median(self.batch if network == "batch" else self.other)


def breaks_lost() -> Iterator[tuple[Lesson, str, BatchLoses]]:
    """Yield the lesson, name and measure of every experiment in which BN loses."""
    for entry in LESSONS.values():
        lesson = entry.lesson
        for each in lesson.breaks if lesson else ():
            if lesson is not None and each.batch_loses is not None:
                yield lesson, each.name, each.batch_loses


def key_of(lesson: Lesson, name: str) -> str:
    return f"{lesson.name}/{name}"


def made_of(lesson: Lesson, name: str, measure: BatchLoses) -> str:
    """Hash everything that affects the results of an experiment, except the seed."""
    plan, target_accuracy = lesson.plan_of_try(name), lesson.try_named(name).target_accuracy
    given: Mapping[str, Any] = {
        # Leave out default values, so that a new knob does not invalidate earlier results.
        "config": lesson.config_of_try(name).to_query(),
        "changes": [[change.step, dict(change.values)] for change in plan.changes],
        "last_step": plan.last_step,
        "measure": asdict(measure)
        | ({} if target_accuracy is None else {"until": target_accuracy}),
    }
    return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:16]


def read(file: Path = FILE) -> dict[str, RecordedDefeat]:
    """Return the recorded results of all experiments, with keys made by `key_of`."""
    found = json.loads(file.read_text(encoding="utf-8"))
    values = ("seeds", "batch", "other")
    return {
        name: RecordedDefeat(**each | {field: tuple(each[field]) for field in values})
        for name, each in found.items()
    }


def write(losses: Mapping[str, RecordedDefeat], file: Path = FILE) -> None:
    found = {name: asdict(each) for name, each in losses.items()}
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
