"""Measured values as a person would write them, each with its unit."""

from __future__ import annotations

import math
import re

from bnviz.claims.results import Number, Row, value_of
from bnviz.claims.units import SHARES, Unit
from bnviz.words.texts import text

# "2 ± 5 %", as an expectation is written: the unit belongs to the first number.
WITHIN = re.compile(r"(\S+)( ± .*)")

# Shares have one digit behind the point: one test image is 0.3 points. Smaller ones keep their own.
SMALLEST, WHOLE = 0.05, 99.95


def number(value: float) -> str:
    """A number alone: three digits, or a power of ten."""
    if not math.isfinite(value):
        return text("claims.said.none") if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    if 0.001 <= abs(value) < 100_000:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        written = f"{value:,.{min(digits, 4)}f}"
    else:
        mantissa, exponent = f"{value:.0e}".split("e")
        written = f"{mantissa}e{int(exponent)}"
    return written.replace("-", "−", 1) if written.startswith("-") else written


def bare(value: Number, unit: Unit) -> str:
    """A value in its unit, which stands beside it: shares are recorded from 0 to 1."""
    scaled = _scaled(value, unit)
    if unit not in SHARES or not math.isfinite(scaled) or not SMALLEST <= abs(scaled) < WHOLE:
        return number(scaled)
    return f"{scaled:.1f}".replace("-", "−")


def amount(value: Number, unit: Unit) -> str:
    """A value with its unit."""
    return _with_unit(bare(value, unit), unit)


def bound(value: float, unit: Unit) -> str:
    """A bound with its unit, in as many digits as were declared."""
    return _with_unit(_declared(value, unit), unit)


def tick(value: float, unit: Unit) -> str:
    """A bound as it stands at an axis that says itself per what it counts."""
    return bound(value, Unit.TIMES if unit in (Unit.TIMES_A_LAYER, Unit.TIMES_A_STEP) else unit)


def spread(row: Row) -> str:
    """Median and range over the seeds, and in how many there is no number."""
    middle, low, high = (bare(value, row.unit) for value in (row.median, row.lowest, row.highest))
    found = amount(row.median, row.unit)
    if not middle == low == high:
        found = text("claims.said.range").format(middle=found, low=low, high=high)
    missing = sum(math.isnan(value_of(value)) for value in row.values)
    if 0 < missing < len(row.values):
        return text("claims.said.missing").format(text=found, count=missing)
    return found


def margin(row: Row) -> str:
    """How far inside of its bounds the worst seed lies: between two shares that is in points."""
    return amount(row.margin, Unit.POINTS if row.unit is Unit.PERCENT else row.unit)


def expected(row: Row) -> str:
    """What was declared, with its unit."""
    if row.unit in SHARES:
        return _interval(row)
    first, rest = row.expected, ""
    if within := WITHIN.fullmatch(row.expected):
        first, rest = within.groups()
    return _with_unit(first, row.unit) + rest


def _interval(row: Row) -> str:
    """Bounds of shares, which were declared from 0 to 1."""
    if row.low is None or row.high is None:
        one = row.high if row.low is None else row.low
        sign = "≤" if row.low is None else "≥"
        return f"{sign} {bound(one, row.unit)}" if one is not None else row.expected
    return text("claims.said.between").format(
        low=_declared(row.low, row.unit), high=bound(row.high, row.unit)
    )


def _declared(value: float, unit: Unit) -> str:
    written = f"{_scaled(value, unit):.4g}"
    written = re.sub(r"e-0(\d)", r"e-\1", written)
    return written.replace("-", "−", 1) if written.startswith("-") else written


def _scaled(value: Number, unit: Unit) -> float:
    return value_of(value) * (100 if unit in SHARES else 1)


def _with_unit(said: str, unit: Unit) -> str:
    return text(f"claims.unit.{unit}").format(value=said)
