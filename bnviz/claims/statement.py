"""What is claimed, and what is expected before anything is measured.

A statement holds no words: those stand in `assets/texts/<language>/claims`, under the name of its
experiment and its key.
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
    """Names as measured.json has them, in English words. Pages have words of their own for them."""

    @property
    def slug(self) -> str:
        """The name as texts, addresses and styles have it: does-not-hold."""
        return self.replace(" ", "-")


class Kind(RecordedName):
    """Where a statement comes from."""

    PAPER = "paper"  # its words name which
    CALCULATION = "calculation"
    EARLIER = "earlier run"  # of one seed or few
    FOUND = "found here"


class Unit(StrEnum):
    """In what a measured value is counted."""

    PERCENT = "percent"  # a share of all: recorded from 0 to 1
    POINTS = "points"  # a difference of two such shares
    TIMES = "times"  # one value in terms of another of its kind
    TIMES_A_LAYER = "times-a-layer"
    TIMES_A_STEP = "times-a-step"
    DIRECTIONS = "directions"
    LAYERS = "layers"
    NONE = "none"  # a plain number: a cosine, a singular value, an amount of random values


PERCENT, POINTS, TIMES, TIMES_A_LAYER = (
    Unit.PERCENT, Unit.POINTS, Unit.TIMES, Unit.TIMES_A_LAYER
)  # fmt: skip
SHARES = (PERCENT, POINTS)

# Of `RunConfig`: what differs from its defaults.
Knobs = Mapping[str, Any]


@dataclass(frozen=True)
class Expectation:
    """The interval in which a measured value is expected, bounds included.

    Attributes:
        low: lower bound, or minus infinity.
        high: upper bound, or infinity.
        written: a single bound, or a number and a share of it, as they were declared; empty: the
            interval is written by its two bounds.
    """

    low: float = -math.inf
    high: float = math.inf
    written: str = ""

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

    @property
    def words(self) -> str:
        """The interval without a unit, in the language that is spoken."""
        return self.written or text("claims.phrases.between").format(
            low=as_declared(self.low, 3), high=as_declared(self.high, 3)
        )


def at_least(low: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(low=low, written=f"≥ {as_declared(low)}")


def at_most(high: float) -> Expectation:
    """A sign or an order of magnitude."""
    return Expectation(high=high, written=f"≤ {as_declared(high)}")


def between(low: float, high: float) -> Expectation:
    """A range that was reported."""
    return Expectation(low, high)


def about(value: float, share: float) -> Expectation:
    """A number that was reported or derived, within this share of it."""
    margin = abs(value) * share
    written = f"{as_declared(value, 4)} ± {100 * share:g} %"
    return Expectation(value - margin, value + margin, written)


def as_declared(value: float, digits: int = 6) -> str:
    """A number with a minus sign that is one, and exponents without zeros (1e-8)."""
    written = re.sub(r"e-0(\d)", r"e-\1", f"{value:.{digits}g}")
    return written.replace("-", "−", 1) if written.startswith("-") else written


@dataclass(frozen=True)
class Watch:
    """How the lab shows a statement.

    Attributes:
        query: of the lab's address: the setting, and under `charts` those in which the statement
            is seen, the telling one first; without it, those that always stand.
        step: at which it is seen, or None.
    """

    query: Mapping[str, str]
    step: int | None = None


def in_lab(knobs: Knobs, chart: str = "", step: int | None = None) -> Watch:
    """How the lab shows a statement.

    Args:
        knobs: what differs from the defaults of `RunConfig`.
        chart: in which it is seen; empty: those that are always there.
        step: at which it is seen, or None.

    Raises:
        ConfigError: there is no such setting.
    """
    query = RunConfig(**knobs).to_query()
    return Watch(query | ({"charts": chart} if chart else {}), step)


class Plain(BaseModel):
    """Plain values that are written as JSON and read again."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="strings")


class Statement(Plain):
    """One sentence that can be false, without its words.

    Attributes:
        key: its name among the statements of its experiment; its words stand under it, and a
            measurement gives its value under it.
        expected: declared before measuring.
        kind: where it comes from.
        unit: of what is measured. Shares are recorded from 0 to 1, whatever they are written in.
        part: which of its experiment's measurements gives its value; empty: the main one.
        instead_of: key of a statement that fails, where this one says under which setting it holds.
        difference: whether the value is a difference of two accuracies on the same test images.
        comparator: key under which the accuracy is measured of what the statement compares with;
            where that has learned nothing, the comparison says nothing. None: there is no such
            comparison.
        watch: how the lab shows it; None: it cannot, and its words say why.
    """

    key: str
    expected: Expectation
    kind: Kind
    unit: Unit = Unit.NONE
    part: str = ""
    instead_of: str | None = None
    difference: bool = False
    comparator: str | None = None
    watch: Watch | None = None

    @property
    def found(self) -> bool:
        """Whether it was stated after it had been seen."""
        return self.kind is Kind.FOUND

    @property
    def query(self) -> Mapping[str, str]:
        """Of the lab's address that shows it; empty where the lab cannot."""
        return self.watch.query if self.watch else {}


def _stated(
    kind: Kind,
    key: str,
    expected: Expectation,
    unit: Unit = Unit.NONE,
    watch: Watch | None = None,
    **others: Any,
) -> Statement:
    return Statement(key=key, expected=expected, kind=kind, unit=unit, watch=watch, **others)


# Experiments declare their statements by these: quoted("loss", at_most(1), TIMES, in_lab(KNOBS)).
# Keywords give the other fields of `Statement`.
quoted = partial(_stated, Kind.PAPER)
calculated = partial(_stated, Kind.CALCULATION)
earlier = partial(_stated, Kind.EARLIER)
found_here = partial(_stated, Kind.FOUND)

Values = Mapping[str, float]
Measure = Callable[[int], Values]
Numbers = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Claim:
    """An experiment.

    Attributes:
        statements: all that it is held to.
        measure: seed -> one value for every statement of the main part, by key.
        parts: further measurements, by the name that their statements give as `part`. Each runs
            on the seeds of its own statements only.
        other_numbers: what its words name besides constants; see `numbers`.
    """

    statements: tuple[Statement, ...]
    measure: Measure
    parts: Mapping[str, Measure] = field(default_factory=dict)
    other_numbers: Numbers = field(default_factory=dict)

    @property
    def numbers(self) -> Numbers:
        """The numbers that its words may name: {steps} is STEPS in the file of a measurement."""
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
        """The measurement of a part."""
        return self.parts[part] if part else self.measure
