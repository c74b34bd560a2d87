"""Rows of a sweep's table: cells with their outcomes, for printing, saving and sending."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from bnviz.config import ConfigError, RunConfig
from bnviz.records import Break
from bnviz.sweeps.cells import Cell, CellOutcome
from bnviz.words.phrase import phrase

# Columns of the table.
ROW_FIELDS = (
    "norm", "learning_rate", "batch_size", "seed", "steps", "state", "break_step", "break_layer",
    "break_reason", "stopped", "paused", "test_accuracy", "test_loss", "device",
)  # fmt: skip


def to_row(cell: Cell, outcome: CellOutcome) -> dict[str, Any]:
    """Return a cell and its outcome as plain values, ordered as `ROW_FIELDS`, with None for NaN."""
    config = cell.config
    return {
        "norm": cell.norm,
        "learning_rate": config.learning_rate,
        "batch_size": config.batch_size,
        "seed": config.seed,
        "steps": cell.steps,
        **_of_a_row(outcome),
    }


def plain_outcome(outcome: CellOutcome) -> dict[str, Any]:
    """Return an outcome as plain values, with None for NaN and `hills` as hexadecimal text."""
    return {
        **_of_a_row(outcome),
        "hills": None if outcome.hills is None else outcome.hills.hex(),
    }


def _of_a_row(outcome: CellOutcome) -> dict[str, Any]:
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
    """Return cells as one full config and the values that differ, so that `read_cells` is fast."""
    first = cells[0].config
    values = [cell.config.__dict__ for cell in cells]
    varied = [name for name, own in first if any(other[name] != own for other in values)]
    return {
        "config": first.model_dump(mode="json"), "varied": varied,
        "cells": [[other[name] for name in varied] for other in values],
        "steps": [cell.steps for cell in cells],
    }  # fmt: skip


def read_cells(plain: Mapping[str, Any]) -> list[Cell]:
    """Read cells from the result of `plain_cells`; validate only the first config."""
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
    text = io.StringIO()
    writer = csv.DictWriter(text, ROW_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def to_line(row: Mapping[str, Any]) -> bytes:
    return orjson.dumps(row) + b"\n"


def to_saved(cell: Cell, outcome: CellOutcome) -> bytes:
    """Return a line of a resumable sweep file: the cell's row and its full config."""
    return to_line({"setting": cell.config.to_query(), **to_row(cell, outcome)})


def from_saved(text: bytes, name: str) -> dict[Cell, CellOutcome]:
    """Read a sweep's file up to its last complete line; raise `ConfigError` for invalid lines."""
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


def read_outcome(row: Mapping[str, Any]) -> CellOutcome:
    """Read an outcome from a row or from the result of `plain_outcome`."""
    broke = None
    if row["break_step"] is not None:
        broke = Break.because(row["break_step"], row["break_layer"], row["break_reason"])
    accuracy, loss = (
        math.nan if row[key] is None else float(row[key]) for key in ("test_accuracy", "test_loss")
    )
    # In older files, a network that took no step because its norm is undefined has the state
    # "learning".
    state: Any = "paused" if row["paused"] else row["state"]
    hills = row.get("hills")
    return CellOutcome(
        state, broke, row["stopped"], accuracy, loss, row.get("device", "cpu"),
        None if hills is None else bytes.fromhex(hills),
    )  # fmt: skip


def in_order(cells: Sequence[Cell], done: Mapping[Cell, CellOutcome]) -> list[dict[str, Any]]:
    """Return the rows of the finished cells, in the order of `cells`."""
    return [to_row(cell, done[cell]) for cell in cells if cell in done]
