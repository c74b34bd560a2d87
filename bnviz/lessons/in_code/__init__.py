"""What the page `in-code` shows: code that the suite runs, and what checks of it have measured.

Nothing here imports torch: a page reads the code as text.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MEASURED = FOLDER / "measured.json"
# What the checks are run with: steps, examples of a small batch, and vectors of a layer.
VALUES = {"steps": 300, "few": 4, "vectors": 4}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault of the class in `faulty.py`.

    Attributes:
        name: key of its words, and of its check in `checks.py`.
        check: the function there that finds it.
        answers: keys of what might be expected.
        right: the one of them that the check finds.
        lines: of `faulty.py`, in which it lies; none where something is missing.
        mended: the lines of `layer.py` that stand there instead.
    """

    name: str
    check: str
    answers: tuple[str, ...]
    right: str
    lines: tuple[str, ...]
    mended: tuple[str, ...]


FAULTS = (
    Fault(
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
    Fault(
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
    Fault(
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
    Fault(
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
    Fault(
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
    """The code of a class or function as it stands in a file of this folder.

    Raises:
        KeyError: the file defines nothing of that name.
    """
    text = (FOLDER / file).read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return "\n".join(text.splitlines()[node.lineno - 1 : node.end_lineno])
    raise KeyError(name)


def line_numbers(code: str, lines: tuple[str, ...]) -> tuple[int, ...]:
    """On which lines of some code, counted from 1, these lines stand."""
    stripped = [line.strip() for line in code.splitlines()]
    return tuple(stripped.index(line) + 1 for line in lines)


@functools.cache
def measured() -> Mapping[str, float | int | bool]:
    """What `checks.py` has measured of the faulty layer, and of the mended one as `mended_…`."""
    found: Mapping[str, float | int | bool] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return found
