"""When a network arrives: the first step at which its smoothed test accuracy is high enough.

A single test hangs on a few images, and a network may pass a level once and fall below it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

# Tests in a row of which the mean is taken.
TESTS = 3
AROUND = TESTS // 2


def smoothed(accuracies: Sequence[float]) -> list[float]:
    """The mean of each test and its neighbours; the first and the last test have one neighbour."""
    return [
        fmean(accuracies[max(0, at - AROUND) : at + AROUND + 1]) for at in range(len(accuracies))
    ]


def arrival(accuracies: Mapping[int, float], enough: float) -> int | None:
    """The first step at which the smoothed accuracy is high enough; None where it never is.

    Args:
        accuracies: test accuracy, 0 to 1, by step, ascending.
        enough: the accuracy to reach, 0 to 1.
    """
    means = zip(accuracies, smoothed([*accuracies.values()]), strict=True)
    return next((step for step, mean in means if mean >= enough), None)
