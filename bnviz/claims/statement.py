"""Statements of the claims, with expectations declared before any measurement.

Their texts are in `assets/texts/<language>/claims`, under the experiment's name and the
statement's key.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict

from bnviz.config import RunConfig
from bnviz.words.texts import text


class RecordedName(StrEnum):
    """English names in measured.json. Pages translate them."""

    @property
    def slug(self) -> str:
        """Name for texts, URLs and styles, such as does-not-hold."""
        return self.replace(" ", "-")


class StatementKind(RecordedName):
    """Origin of a statement."""

    PAPER = "paper"  # named in the texts
    CALCULATION = "calculation"
    EARLIER = "earlier run"  # measured before, with one seed or a few seeds
    FOUND = "found here"


class Unit(StrEnum):
    PERCENT = "percent"  # share, recorded from 0 to 1
    POINTS = "points"  # difference of two shares
    TIMES = "times"  # ratio of two values of the same kind
    TIMES_A_LAYER = "times-a-layer"
    TIMES_A_STEP = "times-a-step"
    DIRECTIONS = "directions"
    LAYERS = "layers"
    NONE = "none"  # plain number, such as a cosine or a singular value


PERCENT, POINTS, TIMES, TIMES_A_LAYER = (
    Unit.PERCENT, Unit.POINTS, Unit.TIMES, Unit.TIMES_A_LAYER
)  # fmt: skip
SHARES = (PERCENT, POINTS)

# Values of the knobs that differ from the defaults of `RunConfig`.
KnobValues = Mapping[str, Any]


@dataclass(frozen=True)
class Expectation:
    """Interval in which a measured value is expected, bounds included.

    `written` is the declared text, such as a single bound. If it is empty, both bounds are shown.
    """

    low: float = -math.inf
    high: float = math.inf
    written: str = ""

    def met_by(self, value: float) -> bool:
        """Return whether a value is in the interval. NaN never is."""
        return self.low <= value <= self.high

    def margin(self, value: float) -> float:
        """Distance of a value from the nearest bound, negative outside the interval."""
        return min(value - self.low, self.high - value)

    @property
    def a_tie(self) -> bool:
        """Return whether 0 is inside the interval, so that a difference of 0 is as expected."""
        return self.low < 0 < self.high

    @property
    def words(self) -> str:
        """Interval as text without a unit, in the current language."""
        return self.written or text("claims.phrases.between").format(
            low=as_declared(self.low, 3), high=as_declared(self.high, 3)
        )


def at_least(low: float) -> Expectation:
    return Expectation(low=low, written=f"≥ {as_declared(low)}")


def at_most(high: float) -> Expectation:
    return Expectation(high=high, written=f"≤ {as_declared(high)}")


def between(low: float, high: float) -> Expectation:
    return Expectation(low, high)


def about(value: float, share: float) -> Expectation:
    """Return the interval value ± share × |value|, for a reported or derived number."""
    margin = abs(value) * share
    written = f"{as_declared(value, 4)} ± {100 * share:g} %"
    return Expectation(value - margin, value + margin, written)


def as_declared(value: float, digits: int = 6) -> str:
    """Format a number with a true minus sign, and without leading zeros in the exponent (1e-8)."""
    written = re.sub(r"e-0(\d)", r"e-\1", f"{value:.{digits}g}")
    return written.replace("-", "−", 1) if written.startswith("-") else written


@dataclass(frozen=True)
class LabLink:
    """Lab settings and step that show a statement.

    Attributes:
        query: settings for the lab's address. `charts` names the charts to open, the most important
            one first. Without `charts`, the charts that are always open show the statement.
    """

    query: Mapping[str, str]
    step: int | None = None


def in_lab(knobs: KnobValues, chart: str = "", step: int | None = None) -> LabLink:
    """Build a `LabLink`. Raise ConfigError if a knob is invalid."""
    query = RunConfig(**knobs).to_query()
    return LabLink(query | ({"charts": chart} if chart else {}), step)


class Plain(BaseModel):
    """Base of immutable models that are saved as JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Statement(Plain):
    """Statement that can be false, without its texts.

    Attributes:
        key: name within its experiment, for its texts and its measured value.
        part: measurement of the experiment that gives the value, or empty for the main measurement.
        instead_of: key of a failed statement that this statement replaces, in a setting in which it
            holds.
        difference: whether the value is a difference of two accuracies on the same test images.
        comparator: key of the accuracy with which the statement compares. If this accuracy is at
            chance level, the comparison is not evidence.
        watch: how the lab shows the statement, or None if it cannot.
    """

    key: str
    expected: Expectation
    kind: StatementKind
    unit: Unit = Unit.NONE
    part: str = ""
    instead_of: str | None = None
    difference: bool = False
    comparator: str | None = None
    watch: LabLink | None = None

    @property
    def found(self) -> bool:
        """Return whether the statement was made after its effect had been observed."""
        return self.kind is StatementKind.FOUND

    @property
    def query(self) -> Mapping[str, str]:
        """Query of the lab's address, or empty if the lab cannot show the statement."""
        return self.watch.query if self.watch else {}


def _stated(
    kind: StatementKind,
    key: str,
    expected: Expectation,
    unit: Unit = Unit.NONE,
    watch: LabLink | None = None,
    **others: Any,
) -> Statement:
    return Statement(key=key, expected=expected, kind=kind, unit=unit, watch=watch, **others)


# Constructors of statements: quoted("loss", at_most(1), TIMES, in_lab(KNOBS)). Keyword arguments
# set the other fields of `Statement`.
quoted = partial(_stated, StatementKind.PAPER)
calculated = partial(_stated, StatementKind.CALCULATION)
earlier = partial(_stated, StatementKind.EARLIER)
found_here = partial(_stated, StatementKind.FOUND)

ClaimValues = Mapping[str, float]
Measure = Callable[[int], ClaimValues]
WordNumbers = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Claim:
    """Statements of an experiment and their measurements.

    Attributes:
        measure: function from a seed to the values of the main part, by key of the statement.
        parts: further measurements by part name. Each uses only the seeds of its own statements.
        other_numbers: numbers in the texts in addition to constants; see `numbers`.
    """

    statements: tuple[Statement, ...]
    measure: Measure
    parts: Mapping[str, Measure] = field(default_factory=dict)
    other_numbers: WordNumbers = field(default_factory=dict)

    @property
    def numbers(self) -> WordNumbers:
        """Numbers for the texts: {steps} is the constant STEPS in the file of a measurement."""
        found: dict[str, int | float | str] = {}
        for measurement in (*self.parts.values(), self.measure):
            constants = vars(sys.modules[measurement.__module__])
            found |= {
                name.lower(): value
                for name, value in constants.items()
                if name.isupper() and isinstance(value, int | float)
            }
        return found | dict(self.other_numbers)

    def measurement(self, part: str) -> Measure:
        return self.parts[part] if part else self.measure
