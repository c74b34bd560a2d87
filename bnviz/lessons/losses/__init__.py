"""Every break of the course in which BN loses, and what was measured of it.

The page `when-it-loses` is made of this. A break is one of them by its `batch_loses`; what was
measured stands in `measured.json`, which `measure.py` writes and which is read without torch.
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
# The measure that counts steps; all others are accuracies.
STEPS = "steps"


@dataclass(frozen=True, kw_only=True)
class Loss:
    """What was measured of a break in which BN loses, one value a seed.

    Attributes:
        seeds: of the runs.
        batch: test accuracy of the network with BN, 0 to 1; or the steps that it took.
        other: that of the one it loses to.
        made_of: a hash of the setting that was measured.
        by: the measure, as `BatchLoses` has it.
    """

    seeds: tuple[int, ...]
    batch: tuple[float, ...]
    other: tuple[float, ...]
    made_of: str
    by: str

    @property
    def gaps(self) -> tuple[float, ...]:
        """How far BN is behind, by seed: in accuracy, or in steps that it took more."""
        behind = -1 if self.by == STEPS else 1
        pairs = zip(self.batch, self.other, strict=True)
        return tuple(behind * (there - here) for here, there in pairs)

    @property
    def gap(self) -> float:
        """The median of how far BN is behind."""
        return statistics.median(self.gaps)

    def median_of(self, network: Literal["batch", "other"]) -> float:
        """The median of what one network came to."""
        return statistics.median(self.batch if network == "batch" else self.other)


def breaks_lost() -> Iterator[tuple[Lesson, str, BatchLoses]]:
    """Every break of the course in which BN loses: its lesson, its name, and the measure."""
    for entry in LESSONS.values():
        lesson = entry.lesson
        for each in lesson.breaks if lesson else ():
            if lesson is not None and each.batch_loses is not None:
                yield lesson, each.name, each.batch_loses


def key_of(lesson: Lesson, name: str) -> str:
    """The name of a break in `measured.json`."""
    return f"{lesson.name}/{name}"


def made_of(lesson: Lesson, name: str, measure: BatchLoses) -> str:
    """A hash of all that decides what is measured of a break, but for the seed."""
    plan, target_accuracy = lesson.break_plan(name), lesson.break_named(name).target_accuracy
    given: Mapping[str, Any] = {
        # Without what stands at its default: a further knob changes no earlier measurement.
        "config": lesson.break_config(name).to_query(),
        "changes": [[change.step, dict(change.values)] for change in plan.changes],
        "last_step": plan.last_step,
        "measure": asdict(measure)
        | ({} if target_accuracy is None else {"until": target_accuracy}),
    }
    return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()[:16]


def read(file: Path = FILE) -> dict[str, Loss]:
    """What was measured, by `key_of`."""
    found = json.loads(file.read_text(encoding="utf-8"))
    values = ("seeds", "batch", "other")
    return {
        name: Loss(**each | {field: tuple(each[field]) for field in values})
        for name, each in found.items()
    }


def write(losses: Mapping[str, Loss], file: Path = FILE) -> None:
    """Write down what was measured."""
    found = {name: asdict(each) for name, each in losses.items()}
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
