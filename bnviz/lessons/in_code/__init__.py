"""Code and check results that the page `in-code` shows, read without importing torch."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MEASURED = FOLDER / "measured.json"
# Numbers used by the checks: training steps, examples in a small batch, and vectors in a layer.
VALUES = {"steps": 300, "few": 4, "vectors": 4}


@dataclass(frozen=True, kw_only=True)
class FaultyLine:
    """Fault of the class in `faulty.py`.

    Attributes:
        check: name of the function in `checks.py` that finds the fault.
        right: key of the correct answer.
        lines: faulty lines of `faulty.py`; empty if the fault is a missing line.
        mended: lines of `layer.py` that do the same without the fault.
    """

    name: str
    check: str
    answers: tuple[str, ...]
    right: str
    lines: tuple[str, ...]
    mended: tuple[str, ...]


FAULTS = (
    FaultyLine(
        name="saved",
        check="saved",
        answers=("all", "learned", "none"),
        right="learned",
        lines=(
            "self.running_mean = torch.zeros(units)",
            "self.running_var = torch.ones(units)",
        ),
        mended=(
            'self.register_buffer("running_mean", torch.zeros(units))',
            'self.register_buffer("running_var", torch.ones(units))',
        ),
    ),
    FaultyLine(
        name="graph",
        check="graph",
        answers=("nothing", "last", "grows"),
        right="grows",
        lines=(
            "self.running_mean = keep * self.running_mean + new * mean",
            "self.running_var = keep * self.running_var + new * var",
        ),
        mended=(
            "with torch.no_grad():",
            "self.running_mean.lerp_(mean, self.momentum)",
            "self.running_var.lerp_(unbiased, self.momentum)",
        ),
    ),
    FaultyLine(
        name="backward",
        check="backward_in_use",
        answers=("usual", "zero", "fails"),
        right="fails",
        lines=(
            "self.running_mean = keep * self.running_mean + new * mean",
            "self.running_var = keep * self.running_var + new * var",
        ),
        mended=("with torch.no_grad():",),
    ),
    FaultyLine(
        name="variance",
        check="stored_variance",
        answers=("right", "small", "large"),
        right="small",
        lines=("self.running_var = keep * self.running_var + new * var",),
        mended=(
            "unbiased = var * m / (m - 1)",
            "self.running_var.lerp_(unbiased, self.momentum)",
        ),
    ),
    FaultyLine(
        name="one",
        check="batch_of_one",
        answers=("refused", "beta", "infinite"),
        right="beta",
        lines=(),
        mended=("if m < 2:",),
    ),
)


@functools.cache
def source(file: str, name: str) -> str:
    """Return the code of a class or function in a file of this folder."""
    text = (FOLDER / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)


def line_numbers(code: str, lines: tuple[str, ...]) -> tuple[int, ...]:
    """Return the numbers of the given lines in the code, counted from 1."""
    stripped = [line.strip() for line in code.splitlines()]
    return tuple(stripped.index(line) + 1 for line in lines)


@functools.cache
def measured() -> Mapping[str, float | int | bool]:
    """Return the recorded results of `checks.py`. Names that begin with `mended_` belong to the
    mended layer.
    """
    found: Mapping[str, float | int | bool] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found
