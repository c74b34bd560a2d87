"""How long the slices of a worker took: a distribution, and which one was the longest."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

# Upper borders in seconds of CPU time; what is longer counts in a last, open class.
BORDERS = (0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0)


class SliceTimes:
    """Counts by length, and the longest of all with its name."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BORDERS) + 1)
        self._longest, self._what = 0.0, ""

    def add(self, seconds: float, what: str) -> None:
        """Take in one slice of so much CPU time."""
        self._counts[bisect_left(BORDERS, seconds)] += 1
        if seconds > self._longest:
            self._longest, self._what = seconds, what

    def to_json(self) -> dict[str, Any]:
        """Plain values for `/status`."""
        return {
            "borders_seconds": BORDERS,
            "counts": self._counts,
            "longest_seconds": round(self._longest, 4),
            "longest": self._what,
        }
