"""PyTorch scripts that repeat the lessons' runs: `assets/scripts/<lesson>.py`.

A script needs only NumPy and torch. It uses the initial weights and mini-batches of the lesson, so
its numbers agree with the run up to rounding, except for noise inside a network and for times.
"""

from __future__ import annotations

import functools

from bnviz.locations import locations

FOLDER = locations().assets / "scripts"


@functools.cache
def script_of(lesson: str) -> str | None:
    """Return the script of a lesson, or None if it has none."""
    path = FOLDER / f"{lesson}.py"
    return path.read_text(encoding="utf-8") if path.is_file() else None
