"""What is claimed, and what is expected before anything is measured."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Where a statement comes from."""

    PAPER = "paper"
    CALCULATION = "calculation"
    EARLIER = "earlier run"
    FOUND = "found here"


@dataclass(frozen=True)
class Expectation:
    """The interval in which a measured value is expected, bounds included.

    Attributes:
        low: lower bound, or minus infinity.
        high: upper bound, or infinity.
        words: what is expected, as the table prints it.
    """

    low: float
    high: float
    words: str

    def met_by(self, value: float) -> bool:
        """Whether one value lies in the interval; NaN never does."""
        return self.low <= value <= self.high

    def margin(self, value: float) -> float:
        """How far inside of the nearest bound a value lies; negative outside of it."""
        return min(value - self.low, self.high - value)

    @property
    def a_tie(self) -> bool:
        """Whether no difference at all would be as expected, on either side of it."""
        return self.low < 0 < self.high


def at_least(low: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(low, math.inf, f"≥ {_written(low)}")


def at_most(high: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(-math.inf, high, f"≤ {_written(high)}")


def between(low: float, high: float) -> Expectation:
    """A range that was reported."""
    return Expectation(low, high, f"{_written(low, 3)} to {_written(high, 3)}")


def about(value: float, share: float) -> Expectation:
    """A number that was reported or derived, within this share of it."""
    margin = abs(value) * share
    words = f"{_written(value, 4)} ± {100 * share:g} %"
    return Expectation(value - margin, value + margin, words)


def _written(value: float, digits: int = 6) -> str:
    """A number with a minus sign that is one, and exponents without zeros (1e-8)."""
    text = re.sub(r"e-0(\d)", r"e-\1", f"{value:.{digits}g}")
    return text.replace("-", "−", 1) if text.startswith("-") else text


@dataclass(frozen=True)
class Watch:
    """How the lab shows a statement.

    Attributes:
        knobs: of `RunConfig`, what differs from its defaults.
        charts: those in which it is seen, the telling one first; none: those that always stand.
        step: at which it is seen, or None.
    """

    knobs: Mapping[str, Any] = field(default_factory=dict)
    charts: tuple[str, ...] = ()
    step: int | None = None


@dataclass(frozen=True)
class Comparator:
    """What a statement compares with: where it has learned nothing, the comparison says nothing.

    Attributes:
        key: under which `measure` gives its accuracy.
        name: what it is, as a sentence calls it ("the plain network").
    """

    key: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One sentence that can be false.

    Attributes:
        key: its name among the statements of its experiment; a measurement gives its value under
            it.
        text: the sentence.
        setting: under which conditions, in full.
        quantity: what is measured.
        expected: declared before measuring.
        source: the paper, "calculation", "earlier run" (one seed or few), or "found here".
        lead: the sentence by itself, without its neighbours, where it belongs to what a reader
            should know first; else empty.
        part: which of its experiment's measurements gives its value; empty: the main one.
        instead_of: key of a statement that fails, where this one says under which setting it holds.
        difference: whether the value is a difference of two accuracies on the same test images.
        comparator: what it compares with, where that may have learned nothing.
        changed: where setting, window or bound were changed after a measurement: what was declared
            first, and what had been found; where a bound was set knowing an earlier measurement:
            what that was. Empty: neither.
        watch: how the lab shows it; or a sentence that says why it cannot.
    """

    key: str
    text: str
    setting: str
    quantity: str
    expected: Expectation
    source: str
    lead: str = ""
    part: str = ""
    instead_of: str | None = None
    difference: bool = False
    comparator: Comparator | None = None
    changed: str = ""
    watch: Watch | str = ""

    @property
    def kind(self) -> Kind:
        """Where it comes from; whatever is no other kind is a paper."""
        return Kind(self.source) if self.source in set(Kind) else Kind.PAPER

    @property
    def found(self) -> bool:
        """Whether it was stated after it had been seen."""
        return self.kind is Kind.FOUND


Measure = Callable[[int], Mapping[str, float]]


@dataclass(frozen=True)
class Claim:
    """An experiment.

    Attributes:
        statements: all that it is held to.
        measure: seed -> one value for every statement of the main part, by key.
        note: what a reader should know of how it is measured; may be empty.
        parts: further measurements, by the name that their statements give as `part`. Each runs
            on the seeds of its own statements only.
    """

    statements: tuple[Statement, ...]
    measure: Measure
    note: str = ""
    parts: Mapping[str, Measure] = field(default_factory=dict)

    def measurement(self, part: str) -> Measure:
        """The measurement of a part."""
        return self.parts[part] if part else self.measure
