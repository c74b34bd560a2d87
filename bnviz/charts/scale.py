"""The asinh axis of pre-activations, where an activation saturates, and where rows stand."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bnviz.charts.theme import Attributes
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.probes.axis import BINS, LIMIT

REACH = math.asinh(LIMIT)
BIN_WIDTH = 2 * REACH / BINS
# The share of a layer's values in one bin at which a heat strip has its network's full colour.
HEAT_FULL, HEAT_FULL_WORDS = 0.15, "15 %"


def on_axis(value: float) -> float:
    """Where a value stands on the asinh axis, at most at its ends."""
    return max(-REACH, min(REACH, math.asinh(value)))


SMALL_TICK = "rgba(128,128,128,0.7)"
# Between two powers of ten the numbers stand ever closer: small ticks show it.
BETWEEN = tuple(
    sign * number * 10.0**power for power in range(3) for number in range(2, 10) for sign in (-1, 1)
)


def asinh_ticks(values: tuple[float, ...]) -> Attributes:
    """Tick attributes of a Plotly axis that is linear in asinh of the value.

    Numbers at `values`, and a small tick without one at every other whole digit.
    """
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
    """Tick attributes of a logarithmic axis: a line at each power of ten, words at every second."""
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
    """A logarithmic axis that follows its data between two powers of ten.

    Args:
        low, high: the outermost powers.
        include: powers that are always shown.
    """
    options = {"include": list(include), "minallowed": low, "maxallowed": high}
    return {"type": "log", "autorange": True, "autorangeoptions": options}


def log_axis(low: int, high: int, *, include: tuple[float, float], labelled: int = 2) -> Attributes:
    """`log_range` with ticks; words stand at powers that are a multiple of `labelled`."""
    return {**log_range(low, high, include=include), **decades(low, high, labelled=labelled)}


def from_zero(*include: float, nticks: int | None = 6, most: float | None = None) -> Attributes:
    """An axis that follows its data, from zero on, so that lengths compare.

    Args:
        include: values that are always shown, beside 0.
        nticks: so many numbers at most.
        most: the highest value that is ever shown.
    """
    options: Attributes = {"include": [0, *include], "minallowed": 0}
    if most is not None:
        options["maxallowed"] = most
    return {
        "autorange": True, "rangemode": "tozero", "autorangeoptions": options, "nticks": nticks,
    }  # fmt: skip


def percents(below: float = 2) -> Attributes:
    """All shares in percent, and a little beyond them, so that no line at an end is cut."""
    return {"range": [-below, 102], "tickvals": [0, 25, 50, 75, 100]}


def with_ends(words: list[str]) -> list[str]:
    """Numbers of an axis on whose ends all values beyond are drawn."""
    return [f"≤{words[0]}", *words[1:-1], f"≥{words[-1]}"]


def factor_axis(
    ticks: tuple[float, ...], *, include: tuple[float, float], allowed: tuple[float, float]
) -> Attributes:
    """A logarithmic axis with numbers at `ticks`, beyond whose ends values are marked.

    Args:
        ticks: the numbers.
        include: powers of ten that are always shown.
        allowed: the outermost ones, a little beyond the ticks.
    """
    words = with_ends([f"{tick:g}" for tick in ticks])
    return {**log_range(*allowed, include=include), "tickmode": "array", "tickvals": list(ticks),
            "ticktext": words}  # fmt: skip


def zones(activation: str) -> list[tuple[float, float]]:
    """The saturated intervals, in positions on the asinh axis."""
    return [(on_axis(low), on_axis(high)) for low, high in FLAT_ZONES.get(activation, ())]


def named_rows(names: list[str]) -> Attributes:
    """An axis of rows, each with its name, the first on top."""
    count = len(names)
    return {
        "range": [0.4, count + 0.6], "fixedrange": True, "showgrid": False, "tickmode": "array",
        "tickvals": list(range(count, 0, -1)), "ticktext": names,
    }  # fmt: skip


def layer_ticks(
    count: int, *, first: str, output: str | None, row: float, size: float
) -> Attributes:
    """Tick attributes of an axis whose layer l stands at l.

    Args:
        count: layers, without the output.
        first: what the lowest one is called.
        output: what the output above them is called; None: it has no row.
        row, size: pixels of a row and of the type; numbers that would touch are left out.
    """
    apart = 1.15 * size
    usual = (1, 5, 10, 20, 50, 100) if count <= 12 else (5, 10, 20, 50, 100)
    every = next((number for number in usual if number * row >= apart), 200)
    # Where a page has less room than the chart was made for, the first number comes near the name.
    near = apart if every == 1 else 1.6 * apart
    shown = [1, *(layer for layer in range(every, count + 1, every) if (layer - 1) * row >= near)]
    text = [first, *(str(layer) for layer in shown[1:])]
    if output is not None:
        while len(shown) > 1 and (count + 1 - shown[-1]) * row < apart:
            del shown[-1], text[-1]
        shown, text = [*shown, count + 1], [*text, output]
    return {"tickmode": "array", "tickvals": shown, "ticktext": text}
