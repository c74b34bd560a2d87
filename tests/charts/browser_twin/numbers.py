"""Numbers as a person writes them, as `assets/live/format.js` does; a test holds the two together.

The formats are those of `bnviz.charts.numbers`.
"""

from __future__ import annotations

import math

from bnviz.charts.numbers import Format

NO_BREAK_SPACE = "\u00a0"
NARROW_SPACE = "\u202f"
MINUS = "\u2212"


def write(value: float, style: Format) -> str:
    """A number as a person would write it."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return _sign(value) + "∞"
    if style == "count":
        return _sign(value) + _group(round(abs(value)))
    if style == "number":
        return _sign(value) + _number(abs(value))
    return _percent(value, 1 if style == "percent1" else 0) + NO_BREAK_SPACE + "%"


def _percent(share: float, places: int) -> str:
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    if 0 < share < 0.001:
        return "<0.1"
    if 0.999 < share < 1:
        return ">99.9"
    near_end = 0 < share < 0.01 or 0.99 < share < 1
    text = f"{100 * share:.{max(1, places) if near_end else places}f}"
    return text if places else text.removesuffix(".0")


def _number(size: float) -> str:
    if size == 0:
        return "0"
    mantissa, _, exponent = f"{size:.1e}".partition("e")
    power = int(exponent)
    if not -4 < power < 4:
        return f"{mantissa.removesuffix('.0')}e{power}"
    return f"{size:.0f}" if power >= 2 else f"{float(f'{size:.2g}'):.10g}"


def _sign(value: float) -> str:
    return MINUS if value < 0 else ""


def _group(whole: int) -> str:
    return str(whole) if whole < 10_000 else f"{whole:,}".replace(",", NARROW_SPACE)
