"""Scales of axes: asinh of pre-activations, logarithms, percentages, and rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bnviz.charts.theme import Attributes
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import BINS, LIMIT

REACH = math.asinh(LIMIT)
BIN_WIDTH = 2 * REACH / BINS
# Share of a layer's values in one bin at which a heat strip has its full colour.
HEAT_FULL, HEAT_FULL_WORDS = 0.15, "15 %"


def on_axis(value: float) -> float:
    """Return the position of a value on the asinh axis, clipped to the ends of the axis."""
    return max(-REACH, min(REACH, math.asinh(value)))


SMALL_TICK = "rgba(128,128,128,0.7)"
# Small ticks, which show that numbers between two powers of ten get closer and closer.
BETWEEN = tuple(
    sign * number * 10.0**power for power in range(3) for number in range(2, 10) for sign in (-1, 1)
)


def asinh_ticks(values: tuple[float, ...]) -> Attributes:
    """Return ticks of an axis of asinh(value): numbers at `values`, and small ticks."""
    return {
        "tickmode": "array",
        "tickvals": [math.asinh(value) for value in values],
        "ticktext": [f"{value:g}".replace("-", "−") for value in values],
        "minor": {
            "tickmode": "array", "tickvals": [math.asinh(value) for value in BETWEEN],
            "ticks": "outside", "ticklen": 4, "tickcolor": SMALL_TICK, "showgrid": False,
        },
    }  # fmt: skip


def decades(low: int, high: int, *, labelled: int = 2) -> Attributes:
    """Return ticks at powers of ten, labelled if the exponent is a multiple of `labelled`."""
    powers = range(low, high + 1)
    small = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    names = {0: "1", 1: "10"}
    return {
        "tickmode": "array",
        "tickvals": [10.0**power for power in powers],
        "ticktext": [
            names.get(power, "10" + str(power).translate(small)) if power % labelled == 0 else ""
            for power in powers
        ],
    }


def log_range(low: float, high: float, *, include: Sequence[float]) -> Attributes:
    """Return a log axis from `low` to `high` (exponents of 10) that fits its data and `include`."""
    options = {"include": list(include), "minallowed": low, "maxallowed": high}
    return {"type": "log", "autorange": True, "autorangeoptions": options}


def log_axis(low: int, high: int, *, include: tuple[float, float], labelled: int = 2) -> Attributes:
    """Return `log_range` with ticks, labelled if the exponent is a multiple of `labelled`."""
    return {**log_range(low, high, include=include), **decades(low, high, labelled=labelled)}


def from_zero(*include: float, nticks: int | None = 6, most: float | None = None) -> Attributes:
    """Return an axis from zero to its data; it always shows `include` and never exceeds `most`."""
    options: Attributes = {"include": [0, *include], "minallowed": 0}
    if most is not None:
        options["maxallowed"] = most
    return {
        "autorange": True, "rangemode": "tozero", "autorangeoptions": options, "nticks": nticks,
    }  # fmt: skip


def percents(below: float = 2) -> Attributes:
    """Return an axis from 0 to 100 %, extended so that a line at an end is not cut off."""
    return {"range": [-below, 102], "tickvals": [0, 25, 50, 75, 100]}


def with_ends(words: list[str]) -> list[str]:
    """Add ≤ and ≥ to the numbers at the ends, where all values beyond the axis are drawn."""
    return [f"≤{words[0]}", *words[1:-1], f"≥{words[-1]}"]


def factor_axis(
    ticks: tuple[float, ...], *, include: tuple[float, float], allowed: tuple[float, float]
) -> Attributes:
    """Return a log axis with numbers at `ticks`; values beyond it are drawn at its ends.

    `include` are powers of ten that are always shown; the axis never extends beyond `allowed`.
    """
    words = with_ends([f"{tick:g}" for tick in ticks])
    return {**log_range(*allowed, include=include), "tickmode": "array", "tickvals": list(ticks),
            "ticktext": words}  # fmt: skip


def zones(activation: str) -> list[tuple[float, float]]:
    """Return the saturated intervals, as positions on the asinh axis."""
    return [(on_axis(low), on_axis(high)) for low, high in FLAT_ZONES.get(activation, ())]


def named_rows(names: list[str]) -> Attributes:
    """Return an axis of named rows, the first on top."""
    count = len(names)
    return {
        "range": [0.4, count + 0.6], "fixedrange": True, "showgrid": False, "tickmode": "array",
        "tickvals": list(range(count, 0, -1)), "ticktext": names,
    }  # fmt: skip


def layer_ticks(
    count: int, *, first: str, output: str | None, row: float, size: float
) -> Attributes:
    """Return the ticks of an axis with layer l at position l, without numbers that would touch.

    Args:
        first, output: names of the lowest layer and of the output (None if the output has no row).
        row, size: height of a row, and type size, in pixels.
    """
    apart = 1.15 * size
    usual = (1, 5, 10, 20, 50, 100) if count <= 12 else (5, 10, 20, 50, 100)
    every = next((number for number in usual if number * row >= apart), 200)
    # On a page with less room than planned, the first number would be too close to the name of
    # layer 1.
    near = apart if every == 1 else 1.6 * apart
    shown = [1, *(layer for layer in range(every, count + 1, every) if (layer - 1) * row >= near)]
    text = [first, *(str(layer) for layer in shown[1:])]
    if output is not None:
        while len(shown) > 1 and (count + 1 - shown[-1]) * row < apart:
            del shown[-1], text[-1]
        shown, text = [*shown, count + 1], [*text, output]
    return {"tickmode": "array", "tickvals": shown, "ticktext": text}
