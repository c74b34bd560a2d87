"""Lessons' runs as PyTorch scripts, one file each: `assets/scripts/<lesson>.py`.

A script is for whoever wants to learn from code: it needs NumPy and torch, nothing of bnviz, and
prints numbers of the lesson's verdict by the names that its words have for them, then the verdict.
It begins with the lesson's weights and takes its mini-batches, so the numbers are those of its run,
but for rounding. Noise inside a network is drawn anew, and the time of a step is that of torch's
own layers.
"""

from __future__ import annotations

import functools
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "scripts"


@functools.cache
def script_of(lesson: str) -> str | None:
    """The script of a lesson's run; None where there is none."""
    path = FOLDER / f"{lesson}.py"
    return path.read_text(encoding="utf-8") if path.is_file() else None
