"""The unit of a measured value, by what is measured."""

from __future__ import annotations

import re
from enum import StrEnum


class Unit(StrEnum):
    """In what a value is counted."""

    PERCENT = "percent"  # a share of all: recorded from 0 to 1
    POINTS = "points"  # a difference of two such shares
    TIMES = "times"  # one value in terms of another of its kind
    TIMES_A_LAYER = "times-a-layer"
    TIMES_A_STEP = "times-a-step"
    DIRECTIONS = "directions"
    LAYERS = "layers"
    NONE = "none"  # a plain number: a cosine, a singular value, an amount of random values


# The first that is found in the words for what is measured.
UNITS = (
    (re.compile(r"\baccuracy\b.*(?:\bless\b|−)"), Unit.POINTS),
    (re.compile(r"\baccuracy\b|^share\b"), Unit.PERCENT),
    (re.compile(r"^\(Σs²\)² ÷ Σs⁴$"), Unit.DIRECTIONS),
    (re.compile(r"^layers\b"), Unit.LAYERS),
    (re.compile(r"^factor a layer\b"), Unit.TIMES_A_LAYER),
    (re.compile(r"÷.*, a step$"), Unit.TIMES_A_STEP),
    (re.compile(r"÷|^ηλ/|^factor\b|^2/λ"), Unit.TIMES),
)
SHARES = (Unit.PERCENT, Unit.POINTS)


def unit_of(quantity: str) -> Unit:
    """The unit of a quantity, in the words of its statement."""
    return next((unit for found, unit in UNITS if found.search(quantity)), Unit.NONE)
