"""A cell of a sweep: one network in one setting, and what became of it.

Cells with their outcomes as rows: what is printed, saved, and taken up again.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import orjson

from bnviz.config import ConfigError, RunConfig
from bnviz.records import Break, State
from bnviz.words.phrase import phrase

# A network has learned that classifies as many test images correctly.
LEARNED = 0.5

Kind = Literal["learned", "stuck", "broken"]


class Cell(NamedTuple):
    """One network to be run.

    Attributes:
        config: of the run; has this one norm.
        steps: optimization steps to take.
    """

    config: RunConfig
    steps: int

    @property
    def norm(self) -> str:
        """The network's normalization."""
        return self.config.norms[0]


@dataclass(frozen=True)
class Outcome:
    """What became of a cell, in the lab's words.

    Attributes:
        state: of the network after the last step; "paused" if it took no step, because its
            mini-batch is too small for its norm.
        broke: what broke first, if anything did.
        stopped: the step at which it diverged, or None.
        test_accuracy: share of the test set, inference mode, after the last step; NaN where
            logits are not finite.
        test_loss: mean over the test set; NaN likewise.
        device: where it was trained: "cpu" or "cuda".
        hills: histogram of what the last hidden layer's nonlinearity gets for the probe examples in
            inference mode, as `bnviz.training.hills` makes it; None where the network diverged.
    """

    state: State | Literal["paused"]
    broke: Break | None
    stopped: int | None
    test_accuracy: float
    test_loss: float
    device: str = "cpu"
    hills: bytes | None = None

    @property
    def undefined_norm(self) -> bool:
        """Whether the network took no step."""
        return self.state == "paused"

    @property
    def learned(self) -> bool:
        """Whether the network classifies enough of the test set correctly."""
        return self.test_accuracy >= LEARNED

    @property
    def slow(self) -> bool:
        """Whether it has not learned because its steps were too short or too few: nothing broke,
        and it is not at chance.
        """
        return not self.learned and self.broke is None and self.state == "learning"

    @property
    def kind(self) -> Kind:
        """What became of it in one word: what a map is coloured by, and refined at."""
        if self.learned:
            return "learned"
        return "stuck" if self.broke is None else "broken"


Done = list[tuple[Cell, Outcome]]


ROW_FIELDS = (
    "norm", "learning_rate", "batch_size", "seed", "steps", "state", "break_step", "break_layer",
    "break_reason", "stopped", "paused", "test_accuracy", "test_loss", "device",
)  # fmt: skip


def to_row(cell: Cell, outcome: Outcome) -> dict[str, Any]:
    """A cell and its outcome as plain values, in the order of `ROW_FIELDS`; NaN becomes None."""
    config = cell.config
    return {
        "norm": cell.norm,
        "learning_rate": config.learning_rate,
        "batch_size": config.batch_size,
        "seed": config.seed,
        "steps": cell.steps,
        **_of_a_row(outcome),
    }


def plain_outcome(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain values; NaN becomes None, hills become hexadecimal text."""
    return {
        **_of_a_row(outcome),
        "hills": None if outcome.hills is None else outcome.hills.hex(),
    }


def _of_a_row(outcome: Outcome) -> dict[str, Any]:
    """An outcome without its hills as plain values."""
    broke = outcome.broke
    return {
        "state": outcome.state,
        "break_step": None if broke is None else broke.step,
        "break_layer": None if broke is None else broke.layer,
        "break_reason": None if broke is None else broke.key,
        "stopped": outcome.stopped,
        "paused": outcome.undefined_norm,
        "test_accuracy": _finite(outcome.test_accuracy),
        "test_loss": _finite(outcome.test_loss),
        "device": outcome.device,
    }


def plain_cells(cells: Sequence[Cell]) -> dict[str, Any]:
    """Cells as plain values: the first one's config, and how the others differ from it.

    Thousands of configs that differ in two knobs are read at once; see `read_cells`.
    """
    first = cells[0].config
    values = [cell.config.__dict__ for cell in cells]
    varied = [name for name, own in first if any(other[name] != own for other in values)]
    return {
        "config": first.model_dump(mode="json"), "varied": varied,
        "cells": [[other[name] for name in varied] for other in values],
        "steps": [cell.steps for cell in cells],
    }  # fmt: skip


def read_cells(plain: Mapping[str, Any]) -> list[Cell]:
    """Read the result of `plain_cells`; only the first config is validated."""
    first, varied = RunConfig(**plain["config"]), plain["varied"]
    found = []
    for values, steps in zip(plain["cells"], plain["steps"], strict=True):
        lists = (tuple(value) if isinstance(value, list) else value for value in values)
        update = dict(zip(varied, lists, strict=True))
        found.append(Cell(first.model_copy(update=update), steps))
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def to_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ROW_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_line(row: Mapping[str, Any]) -> bytes:
    """A row as a JSON object on a line of its own."""
    return orjson.dumps(row) + b"\n"


def to_saved(cell: Cell, outcome: Outcome) -> bytes:
    """A line of a file that a sweep is resumed from: the row and the whole setting."""
    return to_line({"setting": cell.config.to_query(), **to_row(cell, outcome)})


def from_saved(text: bytes, name: str) -> dict[Cell, Outcome]:
    """What an earlier sweep has done.

    Args:
        text: the file; a last line without its end was being written when it stopped, and is not
            counted.
        name: of the file, for the error.

    Raises:
        ConfigError: a line is none of a sweep's.
    """
    lines = text.split(b"\n")[:-1]
    found = {}
    for number, line in enumerate(lines, 1):
        try:
            row = orjson.loads(line)
            cell = Cell(RunConfig.from_query(row["setting"]), int(row["steps"]))
            found[cell] = read_outcome(row)
        except (orjson.JSONDecodeError, ConfigError, KeyError, TypeError, ValueError) as error:
            allowed = phrase("errors.saved_sweep", line=number)
            raise ConfigError("--resume", name, allowed) from error
    return found


def read_outcome(row: Mapping[str, Any]) -> Outcome:
    """What `plain_outcome` made, or what is in a row."""
    broke = None
    if row["break_step"] is not None:
        broke = Break.because(row["break_step"], row["break_layer"], row["break_reason"])
    accuracy, loss = (
        math.nan if row[key] is None else float(row[key]) for key in ("test_accuracy", "test_loss")
    )
    # Older files say "learning" of a network that took no step.
    state: Any = "paused" if row["paused"] else row["state"]
    hills = row.get("hills")
    return Outcome(
        state, broke, row["stopped"], accuracy, loss, row.get("device", "cpu"),
        None if hills is None else bytes.fromhex(hills),
    )  # fmt: skip


def in_order(cells: Sequence[Cell], done: Mapping[Cell, Outcome]) -> list[dict[str, Any]]:
    """Rows of the cells that are done, in the order of the cells."""
    return [to_row(cell, done[cell]) for cell in cells if cell in done]
