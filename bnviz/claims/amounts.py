"""Measured values as text, with units."""

from __future__ import annotations

import math
import re

from bnviz.claims.results import MeasuredValues, Row
from bnviz.claims.statement import SHARES, Unit, as_declared
from bnviz.words.joining import percent
from bnviz.words.texts import text

# Matches "2 ± 5 %", in which the unit belongs to the first number.
WITHIN = re.compile(r"(\S+)( ± .*)")

# Percentages from `SMALLEST` to `WHOLE` have one decimal, since one test image is 0.3 percentage
# points. Other percentages are formatted like any number.
SMALLEST, WHOLE = 0.05, 99.95


def format_amount(value: float) -> str:
    """Format a number without a unit: three digits, or one digit and a power of ten."""
    if not math.isfinite(value):
        return text("claims.phrases.none") if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if value == 0:
        return "0"
    if 0.001 <= abs(value) < 100_000:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        written = f"{value:,.{min(digits, 4)}f}"
    else:
        mantissa, exponent = f"{value:.0e}".split("e")
        written = f"{mantissa}e{int(exponent)}"
    return written.replace("-", "−", 1) if written.startswith("-") else written


def bare(value: float, unit: Unit) -> str:
    """Format a value without its unit; convert a share between 0 and 1 to percent."""
    scaled = _scaled(value, unit)
    if unit not in SHARES or not math.isfinite(scaled) or not SMALLEST <= abs(scaled) < WHOLE:
        return format_amount(scaled)
    return f"{scaled:.1f}".replace("-", "−")


def amount(value: float, unit: Unit) -> str:
    return _with_unit(bare(value, unit), unit)


def bound(value: float, unit: Unit) -> str:
    """Format a bound with its unit, in up to four digits, as it was declared."""
    return _with_unit(_declared(value, unit), unit)


def tick(value: float, unit: Unit) -> str:
    """Format a bound for an axis whose label already says "per layer" or "per step"."""
    return bound(value, Unit.TIMES if unit in (Unit.TIMES_A_LAYER, Unit.TIMES_A_STEP) else unit)


def median_and_range(row: Row, fresh: MeasuredValues | None = None) -> str:
    """Format median and range over the seeds, and how many seeds have no value.

    Args:
        row: row with the unit of the values.
        fresh: values on other seeds to format instead of the row's own.
    """
    measured = fresh or row
    middle, low, high = (
        bare(value, row.unit) for value in (measured.median, measured.lowest, measured.highest)
    )
    found = amount(measured.median, row.unit)
    if not middle == low == high:
        found = text("claims.phrases.range").format(middle=found, low=low, high=high)
    missing = len(measured.values) - len(measured.known)
    if 0 < missing < len(measured.values):
        return text("claims.phrases.missing").format(text=found, count=missing)
    return found


def margin(row: Row) -> str:
    """Format the margin of the worst seed, in points if the value is a share."""
    return amount(row.margin, Unit.POINTS if row.unit is Unit.PERCENT else row.unit)


def expected(row: Row) -> str:
    if row.unit in SHARES:
        return _interval(row)
    first, rest = row.expected.words, ""
    if within := WITHIN.fullmatch(first):
        first, rest = within.groups()
        rest = re.sub(r"(\S+) %$", lambda share: percent(share[1]).replace("\u00a0", " "), rest)
    return _with_unit(first, row.unit) + rest


def _interval(row: Row) -> str:
    """Format bounds of shares, which were declared between 0 and 1."""
    low, high = row.expected.low, row.expected.high
    if math.isinf(low):
        return f"≤ {bound(high, row.unit)}"
    if math.isinf(high):
        return f"≥ {bound(low, row.unit)}"
    return text("claims.phrases.between").format(
        low=_declared(low, row.unit), high=bound(high, row.unit)
    )


def _declared(value: float, unit: Unit) -> str:
    return as_declared(_scaled(value, unit), 4)


def _scaled(value: float, unit: Unit) -> float:
    return value * (100 if unit in SHARES else 1)


def _with_unit(written: str, unit: Unit) -> str:
    return text(f"claims.unit.{unit}").format(value=written)
