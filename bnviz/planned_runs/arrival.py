"""First step at which the test accuracy, smoothed over several tests, reaches a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

# Number of consecutive test accuracies that are averaged.
TESTS = 3
AROUND = TESTS // 2


def smoothed(accuracies: Sequence[float]) -> list[float]:
    """Average each accuracy with its neighbours. The first and the last have one neighbour."""
    return [
        fmean(accuracies[max(0, at - AROUND) : at + AROUND + 1]) for at in range(len(accuracies))
    ]


def arrival(accuracies: Mapping[int, float], enough: float) -> int | None:
    """Return the first step whose smoothed test accuracy (0 to 1) is at least `enough`, or None."""
    means = zip(accuracies, smoothed([*accuracies.values()]), strict=True)
    return next((step for step, mean in means if mean >= enough), None)
