"""Formats of numbers; `assets/live/lib/format.js` has the same formats for the browser.

A text names a format of `FORMATS` in its placeholder: `{accuracy:percent1}`. Some of them are

    number              two significant digits: "0.21", "3.1", "420", "1.1e-8", "5e4"
    number3             three significant digits, for numbers that readers calculate with
    count               nearest whole number, grouped
    percent0, percent1  percent; only 0 and 1 give 0 and 100 ("0.3 %", "<0.1 %", ">99.9 %")
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

from bnviz.words.joining import percent

Format = Literal["percent0", "percent1", "number", "number3", "count"]

NO_BREAK_SPACE = "\u00a0"
NARROW_SPACE = "\u202f"
MINUS = "\u2212"
# Multiplication sign in front of a number, with the space between them.
PRODUCT = re.compile(f"× (?=[{MINUS}0-9])")
# Smallest whole number that is written with an exponent in a sentence.
MOST_WHOLE = 1_000_000


def write(value: float, style: Format) -> str:
    """Format a number in a given style."""
    if math.isnan(value):
        return "not a number"
    if math.isinf(value) or (style.startswith("percent") and math.isinf(100 * value)):
        return _sign(value) + "∞"
    if style == "count":
        return _sign(value) + _group(round(abs(value)))
    if style in ("number", "number3"):
        return _sign(value) + _number(abs(value), 3 if style == "number3" else 2)
    return percent(_percent(value, 1 if style == "percent1" else 0))


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


def _number(size: float, digits: int) -> str:
    if size == 0:
        return "0"
    mantissa, _, exponent = f"{size:.{digits - 1}e}".partition("e")
    power = int(exponent)
    if not -4 < power < 4:
        return f"{float(mantissa):g}e{power}"
    return f"{size:.0f}" if power >= digits else f"{float(f'{size:.{digits}g}'):.10g}"


def _sign(value: float) -> str:
    return MINUS if value < 0 else ""


def _group(whole: int) -> str:
    return str(whole) if whole < 10_000 else f"{whole:,}".replace(",", NARROW_SPACE)


def exact(value: float) -> str:
    """Format a number with all its digits, as it was set."""
    return _minus(f"{value:.10g}")


def plain(value: float) -> str:
    """Format a whole number below a million in full, and any other with two significant digits."""
    whole = isinstance(value, int) and abs(value) < MOST_WHOLE
    return write(value, "count" if whole else "number")


def keep_products(text: str) -> str:
    """Keep a multiplication sign and its number ("× 20") on one line."""
    return PRODUCT.sub("×" + NO_BREAK_SPACE, text)


def _minus(written: str) -> str:
    return written.replace("-", MINUS, 1)


FORMATS: dict[str, Callable[[float], str]] = {
    "exact": exact,
    "plain": plain,
    **{style: partial(write, style=style) for style in get_args(Format)},
    "percent": partial(write, style="percent0"),
    "points": lambda value: _minus(f"{100 * value:.1f}"),
    "two": lambda value: _minus(f"{value:.2f}"),
    "three": lambda value: _minus(f"{value:.3f}"),
}
